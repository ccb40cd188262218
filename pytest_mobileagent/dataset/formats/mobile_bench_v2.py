r"""Mobile-Bench-v2: tasks on the graphs of Mobile3M, some with vague goals, and noisy tasks.

    DIR/APP_graph_NUMBER/…      the graphs (see `mobile3m`)
        *.json                  [{"name": "app0_3_12", "task": "1. …\n2. …\nthe goal"}, …]
        *.json                  the ambiguous split: [{"name": …, "easy_instruct": …,
                                  "complete_instruct": …, "step_instruct": ["…", …]}, …]
        noisy-instruction-2/…   any number of folders, or DIR itself, with noisy tasks:
            data1.json, …       {"user_instruction": {"query": …},
                                  "trajectories": [{"action": {"action": "click",
                                    "info": {"coordinate": [x, y]}}}, …]}
            1-0.png, 1-0.xml, … the pages, named after the number of their task

A task is named after the page on which it is done, and so after the actions that lead there:
`app0_3_12` begins on `app0` with action 3. The last line of `task` is the goal; the numbered lines
are instructions for the steps. Source: gezelligheid0314/Mobile-Bench-v2, appagent/*.py and eval.py.

The release may not be passed on, so the graph contains its ids and figures, and the texts of typing
actions, but no goals: `listed` reads the tasks from the user's copy.

Unlike the released code, this module identifies the app's folder by the task's name up to the "0"
of the first page, so that apps with a 0 in their names are found, too.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.action import Action, Key, Type
from pytest_mobileagent.action.gestures import Swipe, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.formats import mobile3m
from pytest_mobileagent.dataset.formats.release import Problems, flaw_of_picture, size_of
from pytest_mobileagent.dataset.formats.streams import items, text_of
from pytest_mobileagent.dataset.graph import gap_in
from pytest_mobileagent.dataset.graph.store import NO_HIERARCHY
from pytest_mobileagent.errors import GraphError, ScreenError
from pytest_mobileagent.fileio import parse_json
from pytest_mobileagent.screen import xml as hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.dataset.graph import GraphWriter
    from pytest_mobileagent.screen.element import Bounds

SPLITS = SIMPLE, COMPLEX, NOISY, AMBIGUOUS = ("simple", "complex", "noisy", "ambiguous")
_STEP = re.compile(r"^\d+\.\s(.*)", re.MULTILINE)
_MOST_SIMPLE = 6  # the maximum number of steps of a simple task
_MISSING = "tasks without all pages and actions of their golden path"


@dataclass(frozen=True, slots=True)
class ListedTask:
    """A task of the release.

    - `id`: unique in its split; `split`: one of `SPLITS`; `is_sample`: whether a list with "sample"
      in its name has the task; `where`: the file and the entry.
    - `goal`: what the agent is asked to do, in the ambiguous split the complete instruction.
    - `vague`: the goal of the ambiguous split that leaves out details; else empty.
    - `steps`: a text for each step; the last one is used for the steps without one.
    - `app`: the app's name in the release, such as "QQmusic"; noisy tasks have none.
    - `pages`: the ids of the golden path's pages, from the first to the one on which it is done.
    """

    id: str
    split: str
    goal: str
    pages: tuple[str, ...]
    where: str
    steps: tuple[str, ...] = ()
    vague: str = ""
    app: str = ""
    is_sample: bool = False

    @property
    def length(self) -> int:
        """The number of golden steps."""
        return len(self.pages) - 1

    def step(self, number: int) -> str:
        """Return the text for a step, numbered from 0."""
        return (self.steps or (self.goal,))[: number + 1][-1]


class Release(mobile3m.Release):
    """Mobile3M's folders and lists of tasks beside them, or the folders of the noisy split."""

    title: ClassVar[str] = "Mobile-Bench-v2"
    licence: ClassVar[str] = ""  # none is stated with the code
    holds: ClassVar[str] = "APP_graph_NUMBER/ beside lists of tasks, or data1.json with 1-0.png"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the path has apps with lists of tasks, or noisy tasks."""
        if not path.is_dir():
            return False
        has_tasks = bool(mobile3m.app_folders(path)) and any(_lists(path))
        return has_tasks or any(_noisy_files(path))

    def add_to(self, writer: GraphWriter) -> int:
        """Write the apps' graphs and the noisy pages; return the number of tasks they allow."""
        super().add_to(writer)
        for file in _noisy_files(self.path):
            self._add_noisy(writer, file)
        count = 0
        for task in listed(self.path, self.problems):
            if gap_in(writer, task.pages):
                self.problems.missed(task.where, _MISSING)
            else:
                count += 1
        return count

    def _add_noisy(self, writer: GraphWriter, file: Path) -> None:
        """Write the pages of a noisy task and its actions, or report why they are left out."""
        try:
            actions = list(map(_noisy_action, _noisy_entry(file)[1]))
            pictures = _noisy_pages(file)
            flaw = next(filter(None, (flaw_of_picture(each) for each in pictures)), "")
            seen = [] if flaw else [_boxes_on(each) for each in pictures]
        except (LookupError, TypeError, ValueError, AttributeError, ScreenError) as error:
            flaw = str(error) or type(error).__name__
        if flaw:
            self.problems.broken(f"{file}:1", flaw, "noisy tasks that cannot be read")
            return
        names = _noisy_path(self.path, file, len(actions))
        for name, picture, (xml, package, _) in zip(names, pictures, seen, strict=False):
            writer.page(name, png=picture, xml=xml, package=package)
        for action, (name, target), picture, (_, _, boxes) in zip(
            actions, pairwise(names), pictures, seen, strict=False
        ):
            writer.edge(name, Golden(action, size_of(picture) or (1, 1), boxes), target)


def listed(folder: Path, problems: Problems) -> Iterator[ListedTask]:
    """Yield all tasks of a copy, reading its lists entry by entry.

    A task in several lists counts once. The second with the same golden path is named "NAME-2".

    Raises:
        GraphError: if a list cannot be read, or a task is malformed and problems are not skipped.
    """
    found: dict[tuple[str, str, str], ListedTask] = {}
    numbers: Counter[tuple[str, str]] = Counter()
    # The lists of a sample come first, so that the tasks in them are known as such.
    for file in sorted(_lists(folder), key=lambda file: "sample" not in file.name):
        for where, entry in items(file):
            task = _task(file, where, entry, problems)
            if task is None or (key := (task.split, task.id, task.goal)) in found:
                continue
            numbers[key[:2]] += 1
            found[key] = task
            yield task if (n := numbers[key[:2]]) == 1 else replace(task, id=f"{task.id}-{n}")
    for file in _noisy_files(folder):
        try:
            goal, actions = _noisy_entry(file)
            pages = _noisy_path(folder, file, len(actions))
            # The dataset card calls the folder anbu-instruction a part of the ambiguous split.
            split = AMBIGUOUS if file.parent.name.startswith(("anbu", "amb")) else NOISY
            yield ListedTask(pages[0].rpartition("-")[0], split, goal, pages, f"{file}:1")
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            problems.broken(f"{file}:1", f"it is not a noisy task: {error}", "malformed tasks")


def _task(file: Path, where: str, entry: Any, problems: Problems) -> ListedTask | None:
    try:
        name, text, vague = entry["name"], entry.get("task"), ""
        first, *actions = name.split("_")
        if text is None:
            vague, goal = entry["easy_instruct"], entry["complete_instruct"]
            steps = list(entry["step_instruct"])
        else:
            steps = _STEP.findall(text)
            goal = next((each for each in reversed(text.split("\n")) if each.strip()), "")
        if not all(isinstance(each, str) for each in (goal, vague, *steps)):
            raise TypeError  # noqa: TRY301
        actions = [str(int(each)) for each in actions]
    except (LookupError, TypeError, ValueError, AttributeError):
        why = "a task needs a name such as app0_3_12, and a task or three kinds of instructions"
        problems.broken(where, why, "malformed tasks")
        return None
    if not actions or not goal.strip() or (text is None and not vague.strip()):
        why = f"{name!r} has no goal" if actions else f"{name!r} is not a path of actions"
        problems.broken(where, why, "malformed tasks")
        return None
    usual = SIMPLE if len(actions) <= _MOST_SIMPLE else COMPLEX
    split = next((each for each in (SIMPLE, COMPLEX) if each in file.name), usual)
    return ListedTask(
        name,
        AMBIGUOUS if text is None else split,
        goal.strip(),
        tuple(accumulate([first, *actions], lambda page, each: f"{page}_{each}")),
        where,
        tuple(each.strip() for each in steps if each.strip()),
        vague.strip(),
        first.removesuffix("0"),
        "sample" in file.name,
    )


def _lists(folder: Path) -> Iterator[Path]:
    for file in sorted(folder.glob("*.json")):
        try:
            first = next(items(file), ("", None))[1]
        except GraphError:
            continue  # not a list
        if isinstance(first, dict) and "name" in first and {"task", "easy_instruct"} & first.keys():
            yield file


def _noisy_files(folder: Path) -> list[Path]:
    return [
        file
        for each in (folder, *sorted(folder.iterdir()))
        if each.is_dir()
        for file in sorted(each.glob("*data*.json"), key=lambda file: (_numbers(file), file.name))
        if _numbers(file) and _noisy_pages(file)
    ]


def _noisy_entry(file: Path) -> tuple[str, list[Any]]:
    """Return the goal of a noisy task, and its actions.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: if it is not a noisy task.
    """
    entry = parse_json(text_of(file))
    goal = entry["user_instruction"]["query"].strip()
    actions = [each["action"] for each in entry["trajectories"]]
    if not goal or not actions:
        raise ValueError("it has no goal" if actions else "nothing was done")
    return goal, actions


def _noisy_path(folder: Path, file: Path, actions: int) -> tuple[str, ...]:
    """Return the ids of a noisy task's pages.

    Without a page after the last action, that action leads from the last page to itself.
    """
    within = [part for part in file.parent.relative_to(folder).parts if part != NOISY]
    name = "-".join([NOISY, *within, str(_numbers(file)[-1])])
    last = max(len(_noisy_pages(file)), actions) - 1
    return tuple(f"{name}-{min(n, last)}" for n in range(actions + 1))


def _numbers(file: Path) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", file.stem)]


def _noisy_pages(file: Path) -> list[Path]:
    """Return the pictures of a noisy task, `1-0.png` or `data_1-0.png`, in order."""
    picture = re.compile(rf"(?:.*_)?{_numbers(file)[-1]}-(\d+)\.png")
    found = [(int(named[1]), each) for each in file.parent.iterdir()
             if (named := picture.fullmatch(each.name))]  # fmt: skip
    return [each for _, each in sorted(found)]


def _boxes_on(picture: Path) -> tuple[Path | str, str, tuple[Bounds, ...]]:
    """Return a noisy page's hierarchy and package, and the boxes of what can be touched on it.

    Some files of the release are empty: such a page has a hierarchy without elements.
    """
    xml = picture.with_suffix(".xml")
    text = text_of(xml) if xml.is_file() else ""
    if not text.strip():
        return NO_HIERARCHY, "", ()
    elements = tuple(hierarchy.parse(text).iter())[1:]
    choices = [each for each in elements if each.clickable or each.scrollable]
    boxes = [each.bounds for each in choices if each.bounds.width and each.bounds.height]
    package = next((each.package for each in elements if each.package), "")
    return xml, package, tuple(dict.fromkeys(boxes))


def _noisy_action(entry: Any) -> Action:
    info = entry.get("info") or {}
    match entry["action"].lower():
        case "click":
            x, y = info["coordinate"]
            return Tap(round(x), round(y))
        case "swipe" | "swpie" | "scroll":  # the second is a spelling in its code
            (x1, y1), (x2, y2) = info["coordinate"]
            return Swipe(round(x1), round(y1), round(x2), round(y2))
        case "text" | "input" | "type":
            return Type(str(info["text"]))
        case "back" | "home" as key:
            return Key(key)
    raise ValueError(f"there is no action {entry['action']!r}")
