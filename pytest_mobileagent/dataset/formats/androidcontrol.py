"""AndroidControl, as UI-S1 evaluates it: a list of episodes with golden actions and their boxes.

    [{"goal": …, "is_successful": true, "steps": [
        {"action_content": {"action": "click", "coordinate": [540, 2273]},
         "screenshot": "images/0_0.png", "step_instruction": …,
         "check_options": {"action": "click", …, "candidate_bbox": [[456, 2211, 624, 2337], …]}}]}]

Source: the files of X-PLUG/MobileAgent, UI-S1/evaluation/dataset. Coordinates and boxes are in
pixels of the screenshot; a box is (left, top, right, bottom). `candidate_bbox` has the boxes in
which a touch counts: those of the touchable elements at its point, the smallest first. Paths are
relative to the folder. Unlike in the original, episodes have an `episode_id`, and steps have a
`view_hierarchy` on request.

Google's release is read, too: gzipped TFRecords of complete episodes, with `splits.json` and
`test_subsplits.json`, which lists the four parts of the test split. An episode has one more screen
than actions. Its accessibility forests have one tree for each window, whose nodes refer to their
children by number. Sources: android_control/README.md of google-research/google-research;
google-deepmind/android_env, android_env/proto/a11y/*.proto.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar
from xml.sax.saxutils import quoteattr

from pytest_mobileagent.action.gestures import LongPress, Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset import Trajectory, TrajectoryStep
from pytest_mobileagent.dataset.formats import HIERARCHY, SCREENSHOT, Format, entries, screen_of
from pytest_mobileagent.dataset.formats.aitw import features_of, records
from pytest_mobileagent.dataset.formats.release import Demonstration, ReleasePage, size_of
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.streams import (
    Splits,
    examples,
    fields,
    items,
    signed,
    unpacked,
)
from pytest_mobileagent.dialect.androidcontrol import AndroidControl
from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.dialect.parts import DialectError
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.dataset.formats import Spoken
    from pytest_mobileagent.dataset.formats.streams import Example
    from pytest_mobileagent.dialect.dialect import Dialect

_TREES = "accessibility_trees"
_SIZE = (1080, 2400)  # of screens without a picture; the most frequent size of the data set
_MOST_BOXES = 4  # as in the released files


class Layout(Format):
    """One JSON file for each split, `androidcontrol_SPLIT.json`, and a folder `images`."""

    dialect: ClassVar[str] = "androidcontrol"
    is_bound: ClassVar[bool] = True
    offers: ClassVar[tuple[str, ...]] = (SCREENSHOT, HIERARCHY)

    def __init__(self, folder: Path, dialect: Dialect, observed: Collection[str]) -> None:
        super().__init__(folder, AndroidControl("mobile_use"), observed)

    def add(self, split: str, number: int, trajectory: Trajectory) -> int:
        """Write an episode."""
        instructions = self.spoken(trajectory)
        steps = [self._step(number, place, each) for place, each in enumerate(instructions)]
        episode = {
            "episode_id": number,
            "goal": trajectory.goal,
            "is_successful": trajectory.succeeded,
            "steps": steps,
        }
        self.append(f"androidcontrol_{split}.json", episode)
        return len(steps)

    def _step(self, number: int, place: int, spoken: Spoken) -> dict[str, Any]:
        screen = spoken.step.screen
        content = json.loads(spoken.words)
        options = dict(content)
        if isinstance(spoken.action, Tap | LongPress):
            options["candidate_bbox"] = boxes(screen, spoken.action.x, spoken.action.y)
        name = f"images/{number}_{place}"
        step = {"action_content": content, "screenshot": self.keep(f"{name}.png", screen.png)}
        if HIERARCHY in self.observed and screen.xml:
            step["view_hierarchy"] = self.keep(f"{name}.xml", screen.xml)
        if spoken.step.instruction:
            step["step_instruction"] = spoken.step.instruction
        return {**step, "check_options": options}

    @classmethod
    def read(cls, folder: Path, about: Mapping[str, Any]) -> Iterator[Trajectory]:
        """Read the episodes of all splits."""
        for path in sorted(folder.glob("androidcontrol_*.json")):
            for episode in entries(path):
                steps = tuple(_read_step(folder, step) for step in episode["steps"])
                origin = about["trajectories"][episode["episode_id"]]["origin"]
                yield Trajectory(episode["goal"], steps, episode["is_successful"], origin)


def _read_step(folder: Path, step: Mapping[str, Any]) -> TrajectoryStep:
    screen = screen_of(folder, step["screenshot"], step.get("view_hierarchy"))
    words = json.dumps(step["action_content"])
    (action,) = AndroidControl("mobile_use").parse(words, Frame.of(screen)).actions
    return TrajectoryStep(screen, action, instruction=step.get("step_instruction", ""))


class Release(Base):
    """UI-S1's JSON files of episodes, or Google's TFRecords; a single file, or a folder of them."""

    title: ClassVar[str] = "AndroidControl"
    licence: ClassVar[str] = "CC BY 4.0"
    holds: ClassVar[str] = "JSON with action_content, or gzipped TFRecords android_control-*"
    rule: ClassVar[str] = "androidcontrol"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether a JSON file has one of UI-S1's episodes, or a TFRecord one of Google's."""
        return any(_evaluated(path)) or _TREES in features_of(path)

    def demonstrations(self) -> Iterator[Demonstration]:
        """Yield the episodes, one by one."""
        named = {"": "splits.json", "test-": "test_subsplits.json"}
        known = {prefix: self.folder / name for prefix, name in named.items()}
        splits = Splits({prefix: file for prefix, file in known.items() if file.is_file()})
        for file in _evaluated(self.path):
            for where, entry in items(file):
                yield from self._read(where, self._evaluated, entry, splits)
        for file in records(self.path):
            for number, entry in examples(file):
                if not entry.get("actions"):
                    self.problems.missed(f"{file}, record {number}", "episodes without an action")
                    continue
                yield from self._read(f"{file}, record {number}", _original, entry, splits)

    def _read(
        self, where: str, read: Callable[[Any], Demonstration], entry: Any, splits: Splits
    ) -> Iterator[Demonstration]:
        try:
            found = read(entry)
        except (LookupError, TypeError, ValueError, GraphError, DialectError) as error:
            why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            why = f"it is not an episode: {why}"
            self.problems.broken(where, why, "malformed episodes")
            return
        yield replace(found, columns={**found.columns, "tags": splits.of(found.id)}, where=where)

    def _evaluated(self, entry: Any) -> Demonstration:
        """Return an episode of UI-S1; missing pictures are left out."""
        steps = entry["steps"]
        episode = PurePosixPath(steps[0]["screenshot"]).stem.rpartition("_")[0]
        pages, golden = [], []
        for number, step in enumerate(steps):
            picture = self._picture(step["screenshot"])
            content, options = step["action_content"], step.get("check_options") or {}
            size = size_of(picture) if picture else _extent(content, options)
            if size is None:
                raise GraphError(f"step {number} has no PNG image {step['screenshot']}")
            (action,) = AndroidControl("mobile_use").parse(json.dumps(content), Frame(size)).actions
            own = [content["bbox"]] if "bbox" in content else []
            accepted = options.get("candidate_bbox") or own
            pages.append(ReleasePage(f"{episode}_{number}", picture, None, size))
            golden.append(Golden(action, size, tuple(Bounds(*map(int, box)) for box in accepted)))
        instructions = [step.get("step_instruction") or "" for step in steps]
        columns = {"instructions": instructions if all(instructions) else []}
        return Demonstration(episode, entry["goal"], tuple(pages), tuple(golden), columns)

    def _picture(self, name: str) -> Path | None:
        """Return the picture in the user's copy whose path ends with a name, or None."""
        parts = PurePosixPath(name).parts[-2:]
        for tried in (self.folder.joinpath(*parts), self.folder / parts[-1]):
            if tried.is_file() and ".." not in parts:
                return tried
        return None


def _evaluated(path: Path) -> Iterator[Path]:
    """Yield the files whose first entry is an episode of UI-S1."""
    for file in sorted(path.glob("*.json*")) if path.is_dir() else [path]:
        if file.suffix in (".json", ".jsonl"):
            try:
                _, first = next(items(file))
                if "action_content" in first["steps"][0]:
                    yield file
            except (GraphError, LookupError, TypeError, StopIteration):
                continue


def _extent(content: Mapping[str, Any], options: Mapping[str, Any]) -> Size:
    """Return a size that contains the points and boxes of a step without a picture."""
    points = [content[name] for name in ("coordinate", "coordinate2") if name in content]
    points += [_SIZE, *(box[2:] for box in options.get("candidate_bbox", ()))]
    return max(math.ceil(x) for x, _ in points), max(math.ceil(y) for _, y in points)


def _original(entry: Example) -> Demonstration:
    episode = str(entry["episode_id"][0])
    sizes = list(zip(entry["screenshot_widths"], entry["screenshot_heights"], strict=True))
    trees = entry.get(_TREES, [])
    pages, golden = [], []
    for number, (png, size) in enumerate(zip(entry["screenshots"], sizes, strict=True)):
        xml = hierarchy_of(trees[number]) if number < len(trees) else None
        packages = Counter(re.findall(r' package="([^"]+)"', xml or ""))
        package = max(packages, key=packages.__getitem__, default="")  # of most elements
        pages.append(ReleasePage(f"{episode}_{number}", png, xml, size, package))
    for number, words in enumerate(entry["actions"]):
        (action,) = AndroidControl("original").parse(words.decode(), Frame(sizes[number])).actions
        accepted: list[list[int]] = []
        if isinstance(action, Tap | LongPress) and pages[number].xml:
            screen = Screen(str(pages[number].xml), entry["screenshots"][number])
            accepted = boxes(screen, action.x, action.y)
        golden.append(Golden(action, sizes[number], tuple(Bounds(*box) for box in accepted)))
    if len(pages) != len(golden) + 1:
        raise ValueError(f"it has {len(pages)} screens and {len(golden)} actions")
    columns = {"instructions": [each.decode() for each in entry.get("step_instructions", [])]}
    return Demonstration(episode, entry["goal"][0].decode(), tuple(pages), tuple(golden), columns)


def boxes(screen: Screen, x: int, y: int) -> list[list[int]]:
    """Return the boxes of the touchable elements at a pixel, the smallest first.

    If none there is touchable, it is the box of the smallest element; none without a hierarchy.

    Raises:
        ScreenError: if the hierarchy cannot be read.
    """
    if not screen.xml:
        return []
    there = sorted(screen.at(x, y), key=lambda e: e.bounds.width * e.bounds.height)
    touchable = [each for each in there if each.clickable or each.long_clickable]
    found = dict.fromkeys(each.bounds for each in touchable or there[:1])
    return [list(bounds) for bounds in found][:_MOST_BOXES]


_WINDOWS, _TREE, _NODES = 1, 11, 1  # of a forest, of a window, of a tree
_LAYER = 4  # of a window; windows with a greater layer are in front
_ID, _BOUNDS, _CHILDREN, _VISIBLE = 1, 2, 25, 23  # of a node
_TEXTS = {3: "class", 4: "content-desc", 5: "hint", 6: "package", 7: "text", 10: "resource-id"}
_FLAGS = {
    12: "checkable", 13: "checked", 14: "clickable", 16: "enabled", 17: "focusable", 18: "focused",
    19: "long-clickable", 20: "password", 21: "scrollable", 22: "selected",
}  # fmt: skip
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_DEEPEST = 500  # windows of real apps have about 50 levels


def hierarchy_of(forest: bytes) -> str:
    """Return a view hierarchy of the visible nodes, window by window from the back.

    Raises:
        ValueError, IndexError: if the bytes are not a forest, or a tree contains a cycle.
    """
    windows = [dict_of(window) for _, window in fields(forest, _WINDOWS)]
    windows.sort(key=lambda window: signed(window.get(_LAYER, [0])[0]))
    parts = ["<hierarchy rotation='0'>"]
    for window in windows:
        for tree in window.get(_TREE, []):
            nodes = [dict_of(node) for _, node in fields(tree, _NODES)]
            by_id = {signed(node.get(_ID, [0])[0]): node for node in nodes}
            inner = {each for node in nodes for each in unpacked(node.get(_CHILDREN, ()))}
            for number, node in by_id.items():
                if number not in inner:
                    parts += _written(node, by_id, 0)
    parts.append("</hierarchy>")
    return "".join(parts)


def dict_of(message: Any) -> dict[int, list[Any]]:
    """Return the values of a message's fields, by field number."""
    found: dict[int, list[Any]] = {}
    for number, value in fields(message):
        found.setdefault(number, []).append(value)
    return found


def _written(
    node: Mapping[int, list[Any]], by_id: Mapping[int, Mapping[int, list[Any]]], depth: int
) -> Iterator[str]:
    if depth > _DEEPEST:
        msg = f"an accessibility tree is deeper than {_DEEPEST} levels, or contains a cycle"
        raise ValueError(msg)
    is_seen = bool(node.get(_VISIBLE, [0])[0])
    if is_seen:
        yield f"<node {' '.join(_attributes(node))}>"
    for number in unpacked(node.get(_CHILDREN, ())):
        if number in by_id:
            yield from _written(by_id[number], by_id, depth + 1)
    if is_seen:
        yield "</node>"


def _attributes(node: Mapping[int, list[Any]]) -> Iterator[str]:
    for number, name in _TEXTS.items():
        text = bytes(node[number][-1]).decode("utf-8", "replace") if number in node else ""
        yield f"{name}={quoteattr(_NOT_XML.sub('', text))}"
    for number, name in _FLAGS.items():
        yield f'{name}="{"true" if node.get(number, [0])[-1] else "false"}"'
    box = dict_of(node[_BOUNDS][-1]) if _BOUNDS in node else {}
    left, top, right, bottom = (signed(box.get(side, [0])[-1]) for side in range(1, 5))
    yield f'bounds="[{left},{top}][{right},{bottom}]"'
