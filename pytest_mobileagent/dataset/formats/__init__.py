"""The formats of data sets, one module each; this one has what those that are written share."""

from __future__ import annotations

import importlib
from typing import IO, TYPE_CHECKING, Any, ClassVar, NamedTuple

from pytest_mobileagent.dataset import LeftOutError, spoken
from pytest_mobileagent.dialect.parts import DialectError
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_bytes
from pytest_mobileagent.jsonable import expect, to_text
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.dataset import Trajectory, TrajectoryStep
    from pytest_mobileagent.dialect.dialect import Dialect

SCREENSHOT, HIERARCHY, ELEMENTS = "screenshot", "hierarchy", "elements"
OBSERVATIONS = (SCREENSHOT, HIERARCHY, ELEMENTS)
# The names of the formats. Each is the class `Layout` in the module of the same name.
FORMATS = ("androidcontrol", "llamafactory", "coat", "bmoca")
ABOUT = "dataset.json"  # the description of a data set, beside its files


class Spoken(NamedTuple):
    """An action as a format writes it: its step, and the reply in the dialect."""

    step: TrajectoryStep
    action: Action
    words: str


class Format:
    """A folder to which trajectories are written, one by one, in a certain layout.

    - `dialect`: the name of the default dialect of actions; `is_bound`: whether it is the only one.
    - `observations`: the parts of a screen that are written by default.
    - `offers`: the parts of a screen that can be written.
    """

    dialect: ClassVar[str]
    is_bound: ClassVar[bool] = False
    observations: ClassVar[tuple[str, ...]] = (SCREENSHOT,)
    offers: ClassVar[tuple[str, ...]] = (SCREENSHOT,)

    def __init__(self, folder: Path, dialect: Dialect, observed: Collection[str]) -> None:
        self.folder, self.words, self.observed = folder, dialect, frozenset(observed)
        self._lists: dict[str, IO[str]] = {}

    def add(self, split: str, number: int, trajectory: Trajectory) -> int:
        """Write a trajectory, numbered from 0, and return the number of its steps in this format.

        Raises:
            LeftOutError: if the format, or its dialect, cannot express the trajectory; no part of
                it is written.
            OSError: if a file cannot be written.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Complete and close all files."""
        for name in list(self._lists):
            self.complete(name)

    @classmethod
    def read(cls, folder: Path, about: Mapping[str, Any]) -> Iterator[Trajectory]:
        """Yield the trajectories that were written to a folder; `about` is its `dataset.json`.

        Raises:
            OSError, LookupError, TypeError, ValueError: if the data set is damaged.
            RecordError: if the format lacks information that is needed.
        """
        raise NotImplementedError

    def spoken(self, trajectory: Trajectory) -> list[Spoken]:
        """Return all actions of a trajectory, printed in the dialect.

        Raises:
            LeftOutError: if the dialect cannot express an action, or a screen has no picture.
        """
        found = []
        for step in trajectory.steps:
            if SCREENSHOT in self.observed and not step.screen.png:
                raise LeftOutError("a screen has no picture")
            try:
                expressed = spoken(self.words, step.action, step.screen)
            except DialectError as error:
                kind = type(step.action).__name__
                msg = f"{self.words.title or self.words.name} cannot express {kind} on a screen"
                raise LeftOutError(msg) from error
            found += [Spoken(step, action, words) for action, words in expressed]
        return found

    def append(self, name: str, entry: Any) -> None:
        """Append an entry to the list in a JSON file of the folder, creating the file if needed."""
        known = self._lists.get(name)
        if known is None:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            known = self._lists[name] = path.open("w", encoding="utf-8", newline="\n")
        known.write(f"{'[' if known.tell() == 0 else ','}\n{to_text(entry, None)}")

    def complete(self, name: str) -> None:
        """Close the list of a JSON file, to which nothing can be appended afterwards."""
        with self._lists.pop(name) as file:
            file.write("\n]\n")

    def keep(self, name: str, content: bytes | str) -> str:
        """Write a file to the folder, and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name


def layout(name: str) -> type[Format]:
    """Return the format with the given name."""
    found: type[Format] = importlib.import_module(f"{__package__}.{name}").Layout
    return found


def entries(path: Path) -> list[Any]:
    """Return the list in a JSON file.

    Raises:
        OSError, ValueError, TypeError: if the file cannot be read, or is not a list.
    """
    found: list[Any] = expect(parse_json(read_bytes(path)), list, path.name)
    return found


def screen_of(folder: Path, picture: str, xml: str | None = None) -> Screen:
    """Return the screen with a picture in a folder, and with a hierarchy if one is given.

    Raises:
        OSError: if the picture cannot be read.
        RecordError: if the picture's path leads out of the folder.
    """
    root = folder.resolve()
    for name in filter(None, (picture, xml)):
        if not (folder / name).resolve().is_relative_to(root):
            raise RecordError(f"{folder / name} is outside {folder}")
    png = read_bytes(folder / picture) if picture else b""
    return Screen(read_bytes(folder / xml).decode() if xml else "", png)
