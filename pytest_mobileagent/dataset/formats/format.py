"""What a format of data sets is, and what all of them share: files, pictures, words of actions."""

from __future__ import annotations

import importlib
from typing import IO, TYPE_CHECKING, Any, ClassVar, NamedTuple

from pytest_mobileagent.dataset.trajectory import LeftOutError, spoken
from pytest_mobileagent.dialect.dialect import DialectError
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_bytes
from pytest_mobileagent.jsonable import expect, to_text
from pytest_mobileagent.screen.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.dataset.trajectory import Trajectory, TrajectoryStep
    from pytest_mobileagent.dialect.dialect import Dialect

SCREENSHOT, HIERARCHY, ELEMENTS = "screenshot", "hierarchy", "elements"
OBSERVATIONS = (SCREENSHOT, HIERARCHY, ELEMENTS)
# The formats by name; each is the class `Layout` of a module of its name.
FORMATS = ("androidcontrol", "llamafactory", "coat", "bmoca")
ABOUT = "dataset.json"  # what a data set is, beside its files


class Spoken(NamedTuple):
    """An action as a format writes it: the step it belongs to, and the words of the dialect."""

    step: TrajectoryStep
    action: Action
    words: str


class Format:
    """A folder that trajectories are written to, one by one, in some layout.

    - `dialect`: the name of the dialect in which actions are written, unless another is chosen;
      `is_bound` is whether no other can be.
    - `observations`: what of a screen is written, unless something else is chosen.
    - `offers`: what of a screen can be written.
    """

    dialect: ClassVar[str]
    is_bound: ClassVar[bool] = False
    observations: ClassVar[tuple[str, ...]] = (SCREENSHOT,)
    offers: ClassVar[tuple[str, ...]] = (SCREENSHOT,)

    def __init__(self, folder: Path, dialect: Dialect, observed: Collection[str]) -> None:
        self.folder, self.words, self.observed = folder, dialect, frozenset(observed)
        self._lists: dict[str, IO[str]] = {}

    def add(self, split: str, number: int, trajectory: Trajectory) -> int:
        """Write a trajectory, the `number`-th from 0, and return how many steps it has there.

        Nothing of it is written if a LeftOutError is raised.

        Raises:
            LeftOutError: the format, or its dialect, cannot hold it.
            OSError: it cannot be written.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Complete and close all files."""
        for name in list(self._lists):
            self.complete(name)

    @classmethod
    def read(cls, folder: Path, about: Mapping[str, Any]) -> Iterator[Trajectory]:
        """Read the trajectories that were written to a folder; `about` is its `dataset.json`.

        Raises:
            OSError, LookupError, TypeError, ValueError: it is damaged.
            RecordError: the format does not hold what is needed.
        """
        raise NotImplementedError

    def spoken(self, trajectory: Trajectory) -> list[Spoken]:
        """Return all actions of a trajectory in the dialect's words.

        Raises:
            LeftOutError: the dialect cannot say one of them, or a screen is without its picture.
        """
        found = []
        for step in trajectory.steps:
            if SCREENSHOT in self.observed and not step.screen.png:
                msg = "a screen has no picture"
                raise LeftOutError(msg)
            try:
                said = spoken(self.words, step.action, step.screen)
            except DialectError as error:
                kind = type(step.action).__name__
                msg = f"{self.words.title or self.words.name} cannot say {kind} there"
                raise LeftOutError(msg) from error
            found += [Spoken(step, action, words) for action, words in said]
        return found

    def append(self, name: str, entry: Any) -> None:
        """Add an entry to the list in a JSON file of the folder, which is made if need be."""
        known = self._lists.get(name)
        if known is None:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            known = self._lists[name] = path.open("w", encoding="utf-8", newline="\n")
        known.write(f"{'[' if known.tell() == 0 else ','}\n{to_text(entry, None)}")

    def complete(self, name: str) -> None:
        """End the list of a JSON file: nothing is added to it any more."""
        with self._lists.pop(name) as file:
            file.write("\n]\n")

    def keep(self, name: str, content: bytes | str) -> str:
        """Write a file of the folder, and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name


def layout(name: str) -> type[Format]:
    """Return the format of a name."""
    found: type[Format] = importlib.import_module(f"{__package__}.{name}").Layout
    return found


def entries(path: Path) -> list[Any]:
    """Return what a JSON file lists.

    Raises:
        OSError, ValueError, TypeError: it cannot be read, or is not a list.
    """
    found: list[Any] = expect(parse_json(read_bytes(path)), list, path.name)
    return found


def screen_of(folder: Path, picture: str, xml: str | None = None) -> Screen:
    """Return the screen of a picture in a folder, and of a hierarchy if there is one.

    Raises:
        OSError: it cannot be read.
        RecordError: it lies outside of the folder.
    """
    root = folder.resolve()
    paths = [folder / name for name in (picture, xml) if name]
    for path in paths:
        if not path.resolve().is_relative_to(root):
            msg = f"{path} lies outside of {folder}"
            raise RecordError(msg)
    png = read_bytes(folder / picture) if picture else b""
    return Screen(read_bytes(folder / xml).decode() if xml else "", png)
