"""Android in the Wild (AITW): episodes of single steps in gzipped TFRecords.

    general/general-00000-of-00321, google_apps/…, install/…, single/…, web_shopping/…
    splits/standard.json    {"train": [episode's id, …], "validation": […], "test": […]}

A record is one step; the steps of an episode are consecutive. `image/encoded` has raw pixels rather
than a PNG image, so the pictures are encoded and stored in the graph.
`image/ui_annotations_positions` are (y, x, height, width) in fractions of the screen; points are
(y, x) in fractions. Sources: google-research/google-research, android_in_the_wild/README.md,
visualization_utils.py and action_type.py.
"""

from __future__ import annotations

import io
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.action import Type
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.formats.release import Demonstration, ReleasePage
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.streams import Splits, examples, is_gzip
from pytest_mobileagent.dialect.aitw import Aitw, Gesture
from pytest_mobileagent.dialect.aitz import KINDS
from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.dialect.parts import DialectError
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.screen.element import Bounds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Size
    from pytest_mobileagent.dataset.formats.streams import Example

_PIXELS = "image/encoded"
SUBSETS = ("general", "google_apps", "install", "single", "web_shopping")


class Release(Base):
    """A folder of TFRecords, optionally in subfolders for subsets, or a single file."""

    title: ClassVar[str] = "AITW"
    licence: ClassVar[str] = "CC BY 4.0"
    holds: ClassVar[str] = "general/general-00000-of-00321, gzipped TFRecords of steps"
    rule: ClassVar[str] = "aitw"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the first TFRecord has a step with raw pixels."""
        return _PIXELS in features_of(path)

    def demonstrations(self) -> Iterator[Demonstration]:
        """Yield each episode."""
        folders = (self.folder, self.folder / "splits", self.folder.parent / "splits")
        files = [file for folder in folders for file in sorted(folder.glob("*.json"))]
        splits = Splits({f"{file.stem}-": file for file in files})
        steps = chain.from_iterable(_steps(file) for file in records(self.path))
        for episode, each in groupby(steps, lambda step: _text(step[1], "episode_id")):
            found = list(each)
            where = found[0][0]
            try:
                yield self._demonstration(episode, found, splits)
            except (LookupError, TypeError, ValueError, DialectError) as error:
                why = f"a step has no {error}" if isinstance(error, KeyError) else str(error)
                why = f"the episode {episode} cannot be read: {why}"
                self.problems.broken(where, why, "malformed episodes")

    def _demonstration(
        self, episode: str, steps: list[tuple[str, Example]], splits: Splits
    ) -> Demonstration:
        numbered = sorted(steps, key=lambda step: int(step[1]["step_id"][0]))
        count = int(steps[0][1]["episode_length"][0])
        if [int(step["step_id"][0]) for _, step in numbered] != list(range(count)):
            raise ValueError(f"its steps are not numbered from 0 to {count - 1}")
        pages, golden = [], []
        for number, (_, step) in enumerate(numbered):
            size = int(step["image/width"][0]), int(step["image/height"][0])
            pages.append(
                ReleasePage(
                    f"{episode}-{number}",
                    _png(step, size),
                    activity=_text(step, "current_activity"),
                    package=_text(step, "current_activity").partition("/")[0],
                )
            )
            golden.append(Golden(_action(step, size), size, _boxes(step, size)))
        subset = [part for part in (self.path.name,) if part in SUBSETS]
        columns = {"tags": [*subset, *splits.of(episode)]}
        goal, where = _text(numbered[0][1], "goal_info"), steps[0][0]
        return Demonstration(episode, goal, tuple(pages), tuple(golden), columns, where=where)


def records(path: Path) -> list[Path]:
    """Return a gzipped file, or the gzipped files in a folder and its subfolders, in order."""
    if not path.is_dir():
        return [path] if is_gzip(path) else []
    inner = [each for each in sorted(path.iterdir()) if each.is_dir()]
    files = [each for folder in (path, *inner) for each in sorted(folder.iterdir())]
    return [each for each in files if each.is_file() and is_gzip(each)]


def features_of(path: Path) -> set[str]:
    """Return the names of the features of a data set's first example, or an empty set."""
    try:
        for file in records(path):
            for _, found in examples(file):
                return set(found)
    except GraphError:
        pass
    return set()


def _steps(file: Path) -> Iterator[tuple[str, Example]]:
    for number, step in examples(file):
        yield f"{file}, record {number}", step


def _text(step: Example, name: str) -> str:
    found = step.get(name)
    return found[0].decode("utf-8", "replace") if found else ""


def _png(step: Example, size: Size) -> bytes:
    from PIL import Image  # heavy, so loaded only when it is used

    pixels = step[_PIXELS][0]
    channels = step["image/channels"][0] if "image/channels" in step else 3
    mode = {1: "L", 3: "RGB", 4: "RGBA"}[channels]
    if len(pixels) != size[0] * size[1] * channels:
        raise ValueError(f"{len(pixels)} bytes are not a picture of {size[0]}x{size[1]} pixels")
    target = io.BytesIO()
    Image.frombytes(mode, size, pixels).convert("RGB").save(target, "PNG", compress_level=1)
    return target.getvalue()


def _boxes(step: Example, size: Size) -> tuple[Bounds, ...]:
    numbers = step.get("image/ui_annotations_positions", [])
    width, height = size
    return tuple(
        Bounds(int(x * width), int(y * height), int((x + w) * width), int((y + h) * height))
        for y, x, h, w in zip(*[iter(numbers)] * 4, strict=True)
    )


def _action(step: Example, size: Size) -> Action:
    kind = KINDS[step["results/action_type"][0]]
    if kind == "TYPE":
        return Type(_text(step, "results/type_action"))
    touch: Any = tuple(step.get("results/yx_touch", ()))
    lift: Any = tuple(step.get("results/yx_lift", ()))
    gesture = Gesture(kind, touch, lift) if kind == "DUAL_POINT" else Gesture(kind)
    (action,) = Aitw().parse(gesture.line(), Frame(size)).actions
    return action
