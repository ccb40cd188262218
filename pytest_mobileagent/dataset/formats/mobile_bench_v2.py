r"""Mobile-Bench-v2: tasks on the graphs of Mobile3M, some with vague goals, and noisy tasks.

    DIR/APP_graph_NUMBER/…      the graphs (see `mobile3m`)
        *.json                  [{"name": "app0_3_12", "task": "1. …\n2. …\nthe goal"}, …]
        *.json                  the ambiguous split: [{"name": …, "easy_instruct": …,
                                  "complete_instruct": …, "step_instruct": ["…", …]}, …]
        (or a folder's)
        data1.json, …           the noisy split: {"user_instruction": {"query": …},
                                  "trajectories": [{"action": {"action": "click",
                                    "info": {"coordinate": [x, y]}}}, …]}
        1-0.png, 1-0.xml, …     its pages, named after the number of their task

A task is named after the page on which it is done, and so after the actions that lead there:
`app0_3_12` begins on `app0` with action 3. The last line of `task` is the goal; the numbered lines
are instructions for the steps. Source: gezelligheid0314/Mobile-Bench-v2, appagent/*.py and eval.py.

Unlike the released code, this module identifies the app's folder by the task's name up to the "0"
of the first page, so that apps with a 0 in their names are found, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.action.action import Action, Key, Swipe, Tap, Type
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.formats import mobile3m
from pytest_mobileagent.dataset.formats.jsonstream import items, text_of
from pytest_mobileagent.dataset.formats.release import Demonstration, ReleasePage, size_of
from pytest_mobileagent.errors import GraphError, ScreenError
from pytest_mobileagent.fileio import parse_json
from pytest_mobileagent.screen import xml as hierarchy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.dataset.graph import GraphWriter
    from pytest_mobileagent.screen.element import Bounds

_STEP = re.compile(r"^\d+\.\s(.*)", re.MULTILINE)
_SIMPLE = 6  # the maximum number of steps of a simple task
_LIMITS = {"simple": 20, "complex": 25}
_LEVELS = {"simple": 1, "complex": 2}


@dataclass(slots=True)
class _Task:
    """A task of a list; `path` has the pages of its golden path, `actions` what is done there."""

    name: str
    goal: str
    steps: list[str]
    where: str
    tags: list[str]
    full_goal: str = ""
    path: list[str] = field(init=False)
    actions: list[int] = field(init=False)

    def __post_init__(self) -> None:
        first, *rest = self.name.split("_")
        self.path = list(accumulate([first, *rest], lambda page, each: f"{page}_{each}"))
        self.actions = [int(each) for each in rest]


class Release(mobile3m.Release):
    """Mobile3M's folders and lists of tasks beside them, or the folder of the noisy split."""

    title: ClassVar[str] = "Mobile-Bench-v2"
    licence: ClassVar[str] = ""  # none is stated
    holds: ClassVar[str] = "APP_graph_NUMBER/ beside lists of tasks, or data1.json with 1-0.png"
    rule: ClassVar[str] = "mobile_bench"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the path has apps with lists of tasks, or noisy tasks."""
        if not path.is_dir():
            return False
        has_tasks = bool(mobile3m.app_folders(path)) and any(_lists(path))
        return has_tasks or any(_noisy_files(path))

    def add_to(self, writer: GraphWriter) -> int:
        """Write the apps' graphs with their tasks, and the noisy tasks."""
        by_app = defaultdict[str, list[_Task]](list)
        for task in self._tasks():
            by_app[task.path[0]].append(task)
        count, snapshots = 0, {}
        for app in self.apps().values():
            tasks = by_app.pop(app.home, [])
            app.add_to(writer, {step for task in tasks for step in _steps_of(task)})
            if app.home in writer:
                snapshots[app.home] = app.home
            count += sum(self._write(writer, task, app) for task in tasks)
            app.close()
        for task in (each for tasks in by_app.values() for each in tasks):
            why = f"there is no folder {task.path[0].removesuffix('0')}_… for {task.name}"
            self.problems.broken(task.where, why, "tasks of missing apps")
        writer.head(snapshots=snapshots)
        return count + sum(self.add(writer, each) for each in self.demonstrations())

    def demonstrations(self) -> Iterator[Demonstration]:
        """Yield the tasks of the noisy split."""
        for file in _noisy_files(self.path):
            if (found := self._noisy(file)) is not None:
                yield found

    def _tasks(self) -> Iterator[_Task]:
        """Yield the tasks of all lists; a task in several lists is a single task."""
        found: dict[str, _Task] = {}
        for file in _lists(self.path):
            for where, entry in items(file):
                task = self._task(file, where, entry)
                if task is None:
                    continue
                known = found.setdefault(task.name, task)
                if known.goal == task.goal:
                    known.tags += [tag for tag in task.tags if tag not in known.tags]
                else:
                    why = f"{task.name} is also the golden path of {known.where}"
                    kind = "tasks with the same golden path as another"
                    self.problems.broken(task.where, why, kind)
        yield from found.values()

    def _task(self, file: Path, where: str, entry: Any) -> _Task | None:
        try:
            name, text = entry["name"], entry.get("task")
            if text is None:
                goal, full = entry["easy_instruct"], entry["complete_instruct"]
                steps = list(entry["step_instruct"])
            else:
                full, steps = "", _STEP.findall(text)
                goal = next((each for each in reversed(text.split("\n")) if each.strip()), "")
            if not all(isinstance(each, str) for each in (name, goal, full, *steps)):
                raise TypeError  # noqa: TRY301
            task = _Task(name, goal.strip(), steps, where, [], full.strip())
        except (LookupError, TypeError, ValueError, AttributeError):
            why = "a task needs a name such as app0_3_12, and a task or three kinds of instructions"
            self.problems.broken(where, why, "malformed tasks")
            return None
        if not task.actions or not task.goal:
            why = f"{name!r} has no goal" if task.actions else f"{name!r} is not a path of actions"
            self.problems.broken(where, why, "malformed tasks")
            return None
        task.tags = _tags(file, task, is_vague=text is None)
        return task

    def _write(self, writer: GraphWriter, task: _Task, app: mobile3m.App) -> bool:
        if flaw := _flaw(writer, task, app):
            self.problems.broken(task.where, flaw, "tasks whose path leaves the graph")
            return False
        golden = tuple(app.golden[step] for step in _steps_of(task))
        steps = task.steps or [task.goal]
        split = task.tags[0]
        columns = {
            "app": app.package(),
            "level": _LEVELS.get(split),
            "tags": task.tags,
            "step_limit": _LIMITS.get(split, len(golden)),
            # As in the released code, the last instruction is used for all steps without one.
            "instructions": [steps[min(n, len(steps) - 1)] for n in range(len(golden))],
            "full_goal": task.full_goal,
        }
        pages = tuple(map(ReleasePage, task.path))
        each = Demonstration(task.name, task.goal, pages, golden, columns, where=task.where)
        writer.task(self.row(each))
        return True

    def _noisy(self, file: Path) -> Demonstration | None:
        """Return a task of the noisy split, or None if it is left out."""
        try:
            entry = parse_json(text_of(file))
            goal, steps = entry["user_instruction"]["query"], entry["trajectories"]
            actions = [_noisy_action(each["action"]) for each in steps]
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            why = f"it is not a noisy task: {error}"
            self.problems.broken(f"{file}:1", why, "malformed tasks")
            return None
        name = _numbers(file)[-1]
        pictures = _noisy_pages(file)
        if len(pictures) < len(actions):
            why = f"it has {len(actions)} steps, and {len(pictures)} screens {name}-*.png"
            self.problems.broken(f"{file}:1", why, "tasks with a page that cannot be read")
            return None
        try:
            seen = [_noisy_page(f"noisy-{name}-{n}", each)
                    for n, each in enumerate(pictures[: len(actions) + 1])]  # fmt: skip
        except ScreenError as error:
            self.problems.broken(f"{file}:1", str(error), "broken view hierarchies")
            return None
        golden = tuple(
            Golden(action, page.size or (1, 1), boxes)
            for action, (page, boxes) in zip(actions, seen, strict=False)
        )
        pages = tuple(page for page, _ in seen)
        columns = {"tags": ["noisy"], "step_limit": len(golden), "app": pages[0].package}
        return Demonstration(f"noisy-{name}", str(goal), pages, golden, columns, where=f"{file}:1")


def _lists(folder: Path) -> Iterator[Path]:
    """Return the files that list tasks."""
    for file in sorted(folder.glob("*.json")):
        try:
            first = next(items(file), ("", None))[1]
        except GraphError:
            continue  # not a list
        if isinstance(first, dict) and "name" in first and {"task", "easy_instruct"} & first.keys():
            yield file


def _tags(file: Path, task: _Task, *, is_vague: bool) -> list[str]:
    """Return the tags of a task: its split, and "sample" if the list's name contains it."""
    kinds = [kind for kind in _LEVELS if kind in file.name]
    by_length = "simple" if len(task.actions) <= _SIMPLE else "complex"
    split = "ambiguous" if is_vague else (kinds or [by_length])[0]
    return [split, *(["sample"] if "sample" in file.name else [])]


def _steps_of(task: _Task) -> list[tuple[str, int]]:
    return list(zip(task.path, task.actions, strict=False))


def _flaw(writer: GraphWriter, task: _Task, app: mobile3m.App) -> str:
    """Return where the golden path of a task leaves the graph, or an empty string."""
    for page in task.path:
        if page not in writer:
            return f"there is no page {page} on the way to {task.name}"
    for step, target in zip(_steps_of(task), task.path[1:], strict=True):
        if app.leads(*step) != target:
            return f"action {step[1]} does not lead from {step[0]} to {target}"
        if step not in app.golden:
            return f"the element of action {step[1]} is not on {step[0]}"
    return ""


def _noisy_files(folder: Path) -> list[Path]:
    """Return the files of noisy tasks in a folder, or in one of its subfolders, in order."""
    for each in (folder, *sorted(folder.iterdir())):
        if each.is_dir() and (
            found := [
                file for file in each.glob("*data*.json") if _numbers(file) and _noisy_pages(file)
            ]
        ):
            return sorted(found, key=lambda file: int(_numbers(file)[-1]))
    return []


def _numbers(file: Path) -> list[str]:
    return re.findall(r"\d+", file.stem)


def _noisy_pages(file: Path) -> list[Path]:
    """Return the pictures of a noisy task, `1-0.png` or `data_1-0.png`, in order."""
    picture = re.compile(rf"(?:.*_)?{_numbers(file)[-1]}-(\d+)\.png")
    found = [(int(named[1]), each) for each in file.parent.iterdir()
             if (named := picture.fullmatch(each.name))]  # fmt: skip
    return [each for _, each in sorted(found)]


def _noisy_page(name: str, picture: Path) -> tuple[ReleasePage, tuple[Bounds, ...]]:
    """Return a page of the noisy split, and the boxes of its elements that can be touched."""
    xml = picture.with_suffix(".xml")
    if not xml.is_file():
        return ReleasePage(name, picture, None, size_of(picture)), ()
    elements = tuple(hierarchy.parse(text_of(xml)).iter())[1:]
    choices = [each for each in elements if each.clickable or each.scrollable]
    boxes = [each.bounds for each in choices if each.bounds.width and each.bounds.height]
    package = next((each.package for each in elements if each.package), "")
    page = ReleasePage(name, picture, xml, size_of(picture), package)
    return page, tuple(dict.fromkeys(boxes))


def _noisy_action(entry: Any) -> Action:
    """Return an action of the noisy split.

    Raises:
        LookupError, TypeError, ValueError: if the entry is not an action.
    """
    info = entry.get("info") or {}
    match entry["action"].lower():
        case "click":
            x, y = info["coordinate"]
            return Tap(round(x), round(y))
        case "swipe" | "scroll":
            (x1, y1), (x2, y2) = info["coordinate"]
            return Swipe(round(x1), round(y1), round(x2), round(y2))
        case "text" | "input" | "type":
            return Type(str(info["text"]))
        case "back" | "home" as key:
            return Key(key)
    raise ValueError(f"there is no action {entry['action']!r}")
