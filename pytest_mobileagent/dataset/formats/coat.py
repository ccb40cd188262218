"""AITZ's layout (Android in the Zoo), whose steps have a chain of action and thought (CoAT).

    SPLIT/general/GENERAL-0/GENERAL-0.json, GENERAL-0_0.png, …
    [{"episode_id": "0", "episode_length": 4, "step_id": 0, "instruction": …,
      "ui_positions": "[[54, 17, 8, 12], …]", "ui_text": "[…]", "ui_types": "[…]",
      "result_action_type": 4, "result_action_text": "", "result_touch_yx": "[0.54, 0.50]", …,
      "coat_screen_desc": "", "coat_action_think": …, "coat_action_desc": …,
      "coat_action_result": ""}]

Sources: AITZ (arXiv 2403.02713); run_coat.py, coat/action_utils.py and coat/evaluate.py of
IMNearth/CoAT. `ui_positions` are (top, left, height, width) in pixels, points (y, x) in fractions
of the screen. Missing descriptions are empty. `coat_action_desc` begins with the words by which the
original's scorer identifies the type of an action.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.action import Finish, Impossible, Key, Type
from pytest_mobileagent.action.gestures import Scroll, Tap, scroll_path
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset import LeftOutError, Trajectory, TrajectoryStep
from pytest_mobileagent.dataset.formats import Format, entries, screen_of
from pytest_mobileagent.dataset.formats.aitw import SUBSETS
from pytest_mobileagent.dataset.formats.release import Demonstration, ReleasePage, inside, size_of
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.streams import items
from pytest_mobileagent.dialect.aitz import Aitz
from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.dataset.formats import Spoken
    from pytest_mobileagent.screen import Screen

_SPLITS = ("train", "test")
_SUBSET = "general"  # the subset to which trajectories are exported
_NOWHERE = (-1.0, -1.0)
_KEYS = {"back": 5, "home": 6, "enter": 7}


class Layout(Format):
    """A folder for each trajectory, with a JSON file of its steps, and their pictures."""

    dialect: ClassVar[str] = "aitz"
    is_bound: ClassVar[bool] = True

    def add(self, split: str, number: int, trajectory: Trajectory) -> int:
        """Write a trajectory's folder."""
        replies = self.spoken(trajectory)
        if any(not each.step.screen.xml for each in replies):
            raise LeftOutError("a screen has no view hierarchy")
        name = f"{_SUBSET.upper()}-{number}"
        folder = f"{split}/{_SUBSET}/{name}"
        for place, each in enumerate(replies):
            picture = self.keep(f"{folder}/{name}_{place}.png", each.step.screen.png)
            step = {
                "episode_id": str(number),
                "episode_length": len(replies),
                "step_id": place,
                "instruction": trajectory.goal,
                **_seen(each.step.screen),
                **_done(each),
                "image_path": picture.removeprefix(f"{split}/"),
                "coat_screen_desc": "",
                "coat_action_think": each.step.said,
                "coat_action_desc": _described(each),
                "coat_action_result": "",
            }
            self.append(f"{folder}/{name}.json", step)
        self.complete(f"{folder}/{name}.json")
        return len(replies)

    @classmethod
    def read(cls, folder: Path, about: Mapping[str, Any]) -> Iterator[Trajectory]:
        """Read the trajectories of all splits."""
        for split in about["splits"]:
            for path in sorted((folder / split).glob("*/*/*.json")):
                steps = entries(path)
                known = about["trajectories"][int(steps[0]["episode_id"])]
                read = tuple(_read_step(folder / split, step) for step in steps)
                yield Trajectory(steps[0]["instruction"], read, known["succeeded"], known["origin"])


def _read_step(folder: Path, step: Mapping[str, Any]) -> TrajectoryStep:
    screen = screen_of(folder, step["image_path"])
    (action,) = Aitz().parse(json.dumps(step), Frame.of(screen)).actions
    return TrajectoryStep(screen, action, step["coat_action_think"])


class Release(Base):
    """The release of AITZ: a folder for each split, with subfolders for five subsets."""

    title: ClassVar[str] = "AITZ"
    licence: ClassVar[str] = "Apache-2.0"
    holds: ClassVar[str] = "general/GENERAL-0/GENERAL-0.json in train/ or test/"
    rule: ClassVar[str] = "aitz"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the path has a trajectory's folder with its JSON file."""
        return any(_files(path))

    def demonstrations(self) -> Iterator[Demonstration]:
        """Yield the trajectories of all splits, in the order of their names."""
        for file in _files(self.path):
            try:
                yield self._demonstration(file, [step for _, step in items(file)])
            except (LookupError, TypeError, ValueError, GraphError) as error:
                why = str(error).removeprefix(f"{file}:1: ")
                if isinstance(error, KeyError):
                    why = f"a step has no {error}"
                self.problems.broken(f"{file}:1", why, "malformed trajectories")

    def _demonstration(self, file: Path, steps: list[Any]) -> Demonstration:
        split = file.parent.parent.parent
        pages, golden = [], []
        for number, step in enumerate(steps):
            picture = inside(split, step["image_path"], str(file))
            if not picture.is_file():
                picture = file.parent / picture.name
            size = size_of(picture)
            if size is None:
                raise GraphError(f"step {number} has no PNG image {step['image_path']}")
            (action,) = Aitz().parse(json.dumps(step), Frame(size)).actions
            seen = [map(int, each) for each in json.loads(step["ui_positions"])]
            boxes = [Bounds(left, top, left + w, top + h) for top, left, h, w in seen]
            pages.append(ReleasePage(f"{file.stem}_{number}", picture, None, size))
            golden.append(Golden(action, size, tuple(boxes)))
        tags = [file.parent.parent.name, *([split.name] if split.name in _SPLITS else [])]
        texts = [str(step.get("coat_action_desc") or "") for step in steps]
        columns = {"tags": tags, "instructions": texts if all(texts) else []}
        goal = steps[0]["instruction"]
        return Demonstration(file.stem, goal, tuple(pages), tuple(golden), columns, where=str(file))


def _files(path: Path) -> Iterator[Path]:
    for split in (path, *(path / name for name in _SPLITS)):
        for subset in SUBSETS:
            for folder in sorted((split / subset).glob("*")):
                if (file := folder / f"{folder.name}.json").is_file():
                    yield file


def _seen(screen: Screen) -> dict[str, str]:
    """Return the elements that have text or are touchable, in the form of AITZ's detections."""
    elements = [
        each
        for each in screen.elements
        if each.bounds.width and each.bounds.height
        if each.text or each.content_desc or (each.clickable and not each.children)
    ]
    boxes = [(b.top, b.left, b.height, b.width) for b in (each.bounds for each in elements)]
    types = ["TEXT" if each.text else each.class_name.rpartition(".")[2] for each in elements]
    return {
        "ui_positions": json.dumps(boxes),
        "ui_text": json.dumps([each.label for each in elements], ensure_ascii=False),
        "ui_types": json.dumps(types),
    }


def _done(spoken: Spoken) -> dict[str, Any]:
    screen, typed = spoken.step.screen, ""
    touch = lift = _NOWHERE
    match spoken.action:
        case Tap(x, y):
            kind, touch = 4, _fraction((x, y), screen)
            lift = touch
        case Scroll():
            start, end = scroll_path(spoken.action, screen.size)
            kind, touch, lift = 4, _fraction(start, screen), _fraction(end, screen)
        case Type(typed):
            kind = 3
        case Key(name) if name in _KEYS:
            kind = _KEYS[name]
        case Finish():
            kind = 10
        case _:
            kind = 11
    return {
        "result_action_type": kind,
        "result_action_text": typed,
        "result_touch_yx": json.dumps(touch),
        "result_lift_yx": json.dumps(lift),
    }


def _fraction(point: tuple[int, int], screen: Screen) -> tuple[float, float]:
    across, down = Frame.of(screen).point(*point, (1, 1))
    return down, across


def _described(spoken: Spoken) -> str:
    """Return an action in the words by which AITZ's scorer identifies its type."""
    match spoken.action:
        case Tap(x, y):
            named = [each.label for each in spoken.step.screen.at(x, y) if each.label]
            return f"click on the {named[0]}" if named else "click on the element"
        case Scroll(direction):
            return f"scroll {direction}"
        case Type(text):
            return f'input text "{text}"'
        case Key(name):
            return "press enter" if name == "enter" else f"press the {name} button"
        case Impossible():
            return "stop and set the query as impossible"
    return "stop and set the query as completed"
