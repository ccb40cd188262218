"""Imports data sets, as they were released, into a graph of recorded pages.

Each format is the class `Release` in the module of the same name. It reads the user's own copy of
the data set: the graph's pages refer to the pictures there, which are not copied. Tasks are read
one by one, so that a data set may be much larger than the memory.
"""

from __future__ import annotations

import importlib
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent._task.wording import literal
from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.dataset.graph import GraphWriter
from pytest_mobileagent.errors import GraphError, ScreenError
from pytest_mobileagent.screen.picture import size_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_mobileagent.action.matching import Golden, Size

# The formats that can be read. The first one that fits is used.
RELEASES = (
    "mobile_bench_v2", "mobile3m", "coat", "aitw", "androidcontrol", "autodroid", "colorbench",
    "mobibench", "jsonl",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """A page of a release. Paths are in the user's copy; `size` is set if there is no picture."""

    id: str
    png: bytes | Path | None = None
    xml: str | Path | None = None
    size: Size | None = None
    package: str = ""
    activity: str = ""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One way to do a task, as recorded in a release.

    - `pages`: the pages on which something was done, optionally followed by the final page.
    - `golden`: the action on each of these pages.
    - `columns`: further columns of the task's row, named like the fields of a task.
    - `where`: the file and the line.
    """

    id: str
    goal: str
    pages: tuple[ReleasePage, ...]
    golden: tuple[Golden, ...]
    columns: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""


class Problems:
    """The problems of a release: the first one ends the import, or with `skip`, all are left out.

    `left_out` counts what was left out, by reason; `first` has the first place of each reason.
    """

    def __init__(self, *, skip: bool = False) -> None:
        self.skip = skip
        self.left_out: Counter[str] = Counter()
        self.first: dict[str, str] = {}

    def broken(self, where: str, why: str, kind: str = "broken") -> None:
        """Report that a part of the release cannot be read; `kind` is the reason that is counted.

        Raises:
            GraphError: if problems are not skipped.
        """
        if not self.skip:
            raise GraphError(f"{where}: {why} (--skip-broken leaves out broken parts)")
        self.missed(where, kind)

    def missed(self, where: str, kind: str) -> None:
        """Count a part that is left out because no reader of the release could use it."""
        self.left_out[kind] += 1
        self.first.setdefault(kind, where)


class Release:
    """The user's own copy of a data set, a folder or a file. Each format is a subclass.

    - `title`: the data set's name; `licence`: its licence, if its authors state one.
    - `holds`: the files by which it is recognised, for error messages.
    - `rule`: the data set's matching rule for single actions; `language`: the apps' language.
    """

    title: ClassVar[str]
    licence: ClassVar[str] = ""
    holds: ClassVar[str]
    rule: ClassVar[str] = "graph"
    language: ClassVar[str] = "en"

    def __init__(self, path: Path, problems: Problems) -> None:
        self.path, self.problems = path, problems
        self.folder = path if path.is_dir() else path.parent

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether a folder or file has this format, judging by file names and first bytes.

        Raises:
            OSError: if a file cannot be read.
        """
        raise NotImplementedError

    def demonstrations(self) -> Iterator[Demonstration]:
        """Yield the tasks of the data set with the ways to do them, one by one.

        Raises:
            GraphError: if a part cannot be read; the message begins with the file and the line.
        """
        raise NotImplementedError

    def add_to(self, writer: GraphWriter) -> int:
        """Write the data set to a graph, and return the number of tasks.

        Raises:
            GraphError: if a part cannot be read, or does not fit into a graph; the message says
                where it is.
            HostError: if the graph cannot be written.
        """
        return sum(self.add(writer, each) for each in self.demonstrations())

    def add(self, writer: GraphWriter, each: Demonstration) -> bool:
        """Write a task and its pages to a graph, and return False if it is broken and skipped.

        Raises:
            GraphError: if the task is broken, and problems are not skipped; the message says where
                it is.
            HostError: if the graph cannot be written.
        """
        if flaw := _flaw(writer, each):
            self.problems.broken(each.where, flaw, "tasks with a page that cannot be read")
            return False
        for page in each.pages:
            if page.id not in writer:
                writer.page(
                    page.id,
                    png=page.png,
                    xml=page.xml,
                    size=page.size,
                    package=page.package,
                    activity=page.activity,
                )
        for page, golden, following in zip(each.pages, each.golden, each.pages[1:], strict=False):
            writer.edge(page.id, golden, following.id)
        writer.task(self.row(each))
        return True

    def row(self, each: Demonstration) -> dict[str, Any]:
        """Return a task's row for the graph's table of tasks (see `Demonstration`)."""
        done = zip(each.pages, each.golden, strict=False)
        golden = [replace(one, page=page.id) for page, one in done]
        steps = sum(not ends_episode(one.action) for one in golden)
        fields = {
            "id": each.id,
            "goal": literal(each.goal),
            "language": self.language,
            "source": self.title,
            "snapshot": each.pages[0].id,
            "page": each.pages[-1].id,
            "golden_steps": max(1, steps),
            "golden": golden,
            "rule": self.rule,
        }
        return {**fields, **{name: value for name, value in each.columns.items() if value}}


def release_of(path: Path, name: str | None, problems: Problems) -> Release:
    """Return the data set at a path, in the format with a name, or in the first one that fits.

    Raises:
        GraphError: if the path does not exist or cannot be read, or no format fits.
    """
    if not path.exists():
        raise GraphError(f"{path} does not exist")
    if name is not None:
        return _reader(name)(path, problems)
    try:
        for each in RELEASES:
            if (reader := _reader(each)).fits(path):
                return reader(path, problems)
    except OSError as error:
        raise GraphError(f"{path} cannot be read: {error}") from error
    known = "; ".join(f"{each}: {_reader(each).holds}" for each in RELEASES)
    msg = f"{path} has no known format ({known}): see docs/data-sets.md, or name it with --format"
    raise GraphError(msg)


def import_release(
    path: Path, folder: Path, name: str | None = None, *, skip: bool = False
) -> tuple[Release, int]:
    """Write a graph of the data set at a path into a new folder.

    Returns:
        The data set, whose `problems` list what was left out, and the number of its tasks.

    Raises:
        GraphError: if the data set cannot be read, or the folder already exists.
        HostError: if the folder cannot be written.
    """
    release = release_of(path, name, Problems(skip=skip))
    with GraphWriter(folder, files=release.folder) as writer:
        writer.head(
            name=release.title, licence=release.licence, language=release.language, source=path.name
        )
        tasks = release.add_to(writer)
    return release, tasks


def _reader(name: str) -> type[Release]:
    found: type[Release] = importlib.import_module(f"{__package__}.{name}").Release
    return found


def _flaw(writer: GraphWriter, each: Demonstration) -> str:
    if not each.goal.strip():
        return "it has no goal"
    if not each.golden:
        return "nothing was done"
    for page in each.pages:
        if page.id in writer:
            continue
        if isinstance(page.png, Path) and (flaw := flaw_of_picture(page.png)):
            return flaw
        if isinstance(page.xml, Path) and not page.xml.is_file():
            return f"there is no {page.xml.name}"
    return ""


def inside(folder: Path, name: str, where: str) -> Path:
    """Return the path of a file that a data set names relative to its folder.

    Raises:
        GraphError: if the path leads out of the folder.
    """
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise GraphError(f"{where}: {name!r} is not a path in {folder}")
    return folder / path


def flaw_of_picture(path: Path) -> str:
    """Return the reason why a file cannot be the picture of a page, or an empty string."""
    try:
        size_in(path)
    except OSError as error:
        return f"{path.name} cannot be read: {error.strerror or error}"
    except ScreenError as error:
        return str(error).replace(str(path), path.name, 1)
    return ""


def size_of(path: Path) -> Size | None:
    """Return the width and height of a picture in pixels, or None if it is not a PNG image."""
    try:
        return size_in(path)
    except (OSError, ScreenError):
        return None
