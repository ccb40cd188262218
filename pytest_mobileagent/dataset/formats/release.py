"""Data sets as they were released, read into a graph of recorded pages.

Each format is the class `Release` of the module of its name, and reads the user's own copy: pages
of the graph refer to its pictures, which stay where they are. What is read is taken in one by one,
so that a data set may be far larger than the memory.
"""

from __future__ import annotations

import importlib
import struct
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.action.action import ends_episode
from pytest_mobileagent.dataset.formats.jsonstream import text_of
from pytest_mobileagent.dataset.graph import GraphWriter
from pytest_mobileagent.dataset.trajectory import Trajectory, TrajectoryStep
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.fileio import opened, read_bytes
from pytest_mobileagent.screen.screen import Screen
from pytest_mobileagent.task.template import literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pytest_mobileagent.action.matching import Golden, Size

# The formats that are read, each only where those before it do not fit.
RELEASES = (
    "mobile_bench_v2",
    "mobile3m",
    "coat",
    "aitw",
    "androidcontrol",
    "autodroid",
    "jsonl",
)


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """A page as a release has it: a path is one in the user's copy; `size` if it has no picture."""

    id: str
    png: bytes | Path | None = None
    xml: str | Path | None = None
    size: Size | None = None
    package: str = ""
    activity: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One way to do a task, as a release has it.

    - `pages`: those on which something was done, perhaps with the last one behind them; `golden`:
      what was done on each.
    - `columns`: what else the task's row has, by the names of fields of a task.
    - `said`: what was thought in each step, if the release says it.
    - `where`: the file and the line.
    """

    id: str
    goal: str
    pages: tuple[ReleasePage, ...]
    golden: tuple[Golden, ...]
    columns: Mapping[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = ()
    where: str = ""

    def trajectory(self) -> Trajectory:
        """Return it with its screens, whose files are read.

        Raises:
            GraphError: one cannot be read.
        """
        instructions = self.columns.get("instructions") or [""] * len(self.golden)
        said = self.said or ("",) * len(self.golden)
        steps = [
            TrajectoryStep(_screen(page), each.action, words, instruction, each.boxes, page.id)
            for page, each, words, instruction in zip(
                self.pages, self.golden, said, instructions, strict=False
            )
        ]
        origin = {"task": self.id, **self.columns}
        return Trajectory(self.goal, tuple(steps), True, origin)


class Problems:
    """What is wrong with a release: the first thing ends the import, or all of it is left out.

    `left_out` counts what was left out, by reason, and `first` has where each reason was met first.
    """

    def __init__(self, *, skip: bool = False) -> None:
        self.skip = skip
        self.left_out: Counter[str] = Counter()
        self.first: dict[str, str] = {}

    def broken(self, where: str, why: str, kind: str = "broken") -> None:
        """Say that something cannot be read, and why; `kind` is how it is counted.

        Raises:
            GraphError: nothing is to be left out.
        """
        if not self.skip:
            msg = f"{where}: {why} (--skip-broken leaves such things out)"
            raise GraphError(msg)
        self.missed(where, kind)

    def missed(self, where: str, kind: str) -> None:
        """Count something that no reader of the release could use, and that is left out."""
        self.left_out[kind] += 1
        self.first.setdefault(kind, where)


class Release:
    """A data set of some format, in the user's own copy: a folder, or a file.

    - `title`: what it is called; `licence`: what its authors allow, as far as they say.
    - `holds`: what its copy is known by, for error messages.
    - `rule`: the matching rule for single actions that belongs to it; `language`: of its apps.
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
        """Whether a folder or file holds such a data set, as far as its names and begin tell.

        Raises:
            OSError: it cannot be read.
        """
        raise NotImplementedError

    def demonstrations(self) -> Iterator[Demonstration]:
        """Return its tasks with the ways to do them, one by one.

        Raises:
            GraphError: something of it cannot be read; the text begins with the file and the line.
        """
        raise NotImplementedError

    def add_to(self, writer: GraphWriter) -> int:
        """Write all of it to a graph, and return how many tasks there are.

        Raises:
            GraphError: it cannot be read, or makes no graph; the text says where.
            HostError: the graph cannot be written.
        """
        return sum(self.add(writer, each) for each in self.demonstrations())

    def add(self, writer: GraphWriter, each: Demonstration) -> bool:
        """Write one task with its pages to a graph, and return whether nothing of it is broken.

        Raises:
            GraphError: it is broken, and nothing is to be left out; the text says where.
            HostError: the graph cannot be written.
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
                    time=page.time,
                )
        for page, golden, following in zip(each.pages, each.golden, each.pages[1:], strict=False):
            writer.edge(page.id, golden, following.id)
        writer.task(self.row(each))
        return True

    def row(self, each: Demonstration) -> dict[str, Any]:
        """Return a task's row of the table of a graph (see `Demonstration`)."""
        golden = [
            replace(one, page=page.id) for page, one in zip(each.pages, each.golden, strict=False)
        ]
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
    """Return the data set at a path, of the format of a name, or of the one that fits.

    Raises:
        GraphError: there is none, or no format fits.
    """
    if not path.exists():
        msg = f"{path} does not exist"
        raise GraphError(msg)
    if name is not None:
        return _reader(name)(path, problems)
    try:
        for each in RELEASES:
            if (reader := _reader(each)).fits(path):
                return reader(path, problems)
    except OSError as error:
        msg = f"{path} cannot be read: {error}"
        raise GraphError(msg) from error
    known = "; ".join(f"{each}: {_reader(each).holds}" for each in RELEASES)
    msg = f"{path} is of no known format ({known}): see docs/data-sets.md, or name it with --format"
    raise GraphError(msg)


def import_release(
    path: Path, folder: Path, name: str | None = None, *, skip: bool = False
) -> tuple[Release, int]:
    """Make a graph in a new folder of the data set at a path.

    Returns:
        The data set, whose `problems` have what was left out, and how many tasks there are.

    Raises:
        GraphError: it cannot be read, or the folder is there already.
        HostError: the folder cannot be written.
    """
    release = release_of(path, name, Problems(skip=skip))
    with GraphWriter(folder, files=release.folder) as writer:
        writer.head(
            name=release.title,
            licence=release.licence,
            language=release.language,
            source=path.name,
        )
        tasks = release.add_to(writer)
    return release, tasks


def _reader(name: str) -> type[Release]:
    found: type[Release] = importlib.import_module(f"{__package__}.{name}").Release
    return found


def _flaw(writer: GraphWriter, each: Demonstration) -> str:
    """Return why a task cannot be written, in words; empty if it can."""
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


def _screen(page: ReleasePage) -> Screen:
    try:
        png = read_bytes(page.png, follows=True) if isinstance(page.png, Path) else page.png
        xml = text_of(page.xml) if isinstance(page.xml, Path) else page.xml
    except OSError as error:
        msg = f"the page {page.id} cannot be read: {error}"
        raise GraphError(msg) from error
    return Screen(xml or "", png or b"", page.package, page.activity, page.time)


def inside(folder: Path, name: str, where: str) -> Path:
    """Return the path of a file that a data set names, relative to its folder.

    Raises:
        GraphError: it leads out of the folder.
    """
    path = Path(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        msg = f"{where}: {name!r} is not a path in {folder}"
        raise GraphError(msg)
    return folder / path


def flaw_of_picture(path: Path) -> str:
    """Return why a file is not a picture that a page can have, in words; empty if it is one."""
    try:
        begin = _begin(path)
    except OSError as error:
        return f"{path.name} cannot be read: {error.strerror or error}"
    return "" if _is_png(begin) else f"{path.name} is no PNG image: it begins {begin[:16]!r}"


def size_of(path: Path) -> Size | None:
    """Return width and height of a picture, in pixels; None if it is no PNG image."""
    try:
        begin = _begin(path)
    except OSError:
        return None
    return struct.unpack(">II", begin[16:]) if _is_png(begin) else None


def _begin(path: Path) -> bytes:
    with opened(path, follows=True) as file:
        return file.read(24)


def _is_png(begin: bytes) -> bool:
    return begin[:8] == b"\x89PNG\r\n\x1a\n" and begin[12:16] == b"IHDR" and len(begin) == 24
