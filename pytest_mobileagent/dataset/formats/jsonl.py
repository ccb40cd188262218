"""This project's own format, for data sets in other formats: JSON lines, and the files they name.

    {"set": "Shop walks", "licence": "CC BY 4.0", "language": "en", "rule": "mobile_bench"}
    {"page": "home", "png": "home.png", "xml": "home.xml", "package": "org.shop"}
    {"page": "cart", "png": "cart.png", "size": [1080, 2400]}
    {"edge": ["home", "cart"], "action": {"action": "Tap", "x": 9, "y": 9},
     "boxes": [[0, 0, 20, 20]]}
    {"task": "cart", "goal": "Open the cart.", "start": "home", "page": "cart",
     "golden": [{"page": "home", "action": {…}, "boxes": […]}]}

docs/data-sets.md defines the format. Lines may be in any order, in one file or in several.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent._task.wording import literal
from pytest_mobileagent.action import ends_episode
from pytest_mobileagent.action.matching import golden_from_json
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.release import flaw_of_picture, inside, size_of
from pytest_mobileagent.dataset.formats.streams import items
from pytest_mobileagent.errors import GraphError, TaskError
from pytest_mobileagent.jsonable import Each, check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.action.matching import Golden, Size
    from pytest_mobileagent.dataset.formats.release import Problems
    from pytest_mobileagent.dataset.graph import GraphWriter

    _Write = Callable[[GraphWriter, Mapping[str, Any], str], None]

_KINDS: dict[str, dict[str, Any]] = {
    "set": {
        **dict.fromkeys(("set", "licence", "language", "rule", "start"), str),
        "snapshots": Each(str),
    },
    "page": {
        **dict.fromkeys(("page", "png", "xml", "package", "activity", "time", "same"), str),
        "size": [int],
    },
    "edge": {"edge": [str], "action": dict, "boxes": [[int]], "count": int},
    "task": {**dict.fromkeys(("task", "goal", "start", "page"), str), "golden": [dict]},
}


class Release(Base):
    """A file of JSON lines, or a folder with such files."""

    title: ClassVar[str] = "recorded pages"
    holds: ClassVar[str] = "JSON lines that begin with set, page, edge or task"

    def __init__(self, path: Path, problems: Problems) -> None:
        super().__init__(path, problems)
        self._sizes: dict[str, Size] = {}
        self._known: set[int] = set()  # the hashes of the edges that were written
        self._columns: dict[str, Any] = {}

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether a file begins with a line of this format."""
        return any(_kind(line) for file in _files(path) for line in _first(file))

    def add_to(self, writer: GraphWriter) -> int:
        """Write the pages, then the lines that refer to them; return the number of tasks."""
        for where, line in self._lines():
            if not _kind(line):
                why = "a line must be an object with set, page, edge or task"
                self.problems.broken(where, why, "malformed lines")
        self._each(writer, "page", self._page)
        self._each(writer, "page", self._same)
        self._each(writer, "set", self._set)
        self._each(writer, "edge", self._edge)
        return self._each(writer, "task", self._task)

    def _each(self, writer: GraphWriter, kind: str, write: _Write) -> int:
        count = 0
        for where, line in self._lines():
            if _kind(line) != kind:
                continue
            try:
                write(writer, check(line, _KINDS[kind], f"a {kind}"), where)
            except (GraphError, TaskError, TypeError, ValueError, LookupError) as error:
                why = f"there is no {error}" if isinstance(error, KeyError) else str(error)
                self.problems.broken(where, why.removeprefix(f"{where}: "), f"broken {kind}s")
            else:
                count += 1
        return count

    def _lines(self) -> Iterator[tuple[str, Any]]:
        for file in _files(self.path):
            yield from items(file)

    def _set(self, writer: GraphWriter, line: Mapping[str, Any], where: str) -> None:
        for page in (line.get("start"), *line.get("snapshots", {}).values()):
            if page is not None:
                self._size_of(page)
        names = ("licence", "language", "start", "snapshots")
        writer.head(name=line["set"], **{name: line[name] for name in names if name in line})
        columns = {name: line[name] for name in ("language", "rule") if name in line}
        self._columns = {"source": line["set"], **columns}

    def _page(self, writer: GraphWriter, line: Mapping[str, Any], where: str) -> None:
        png, xml = (inside(self.folder, line[name], where) if line.get(name) else None
                    for name in ("png", "xml"))  # fmt: skip
        if png is not None and (flaw := flaw_of_picture(png)):
            raise GraphError(flaw)
        if xml is not None and not xml.is_file():
            raise GraphError(f"there is no file {xml}")
        size = size_of(png) if png else tuple(line.get("size") or ())
        if size is None or len(size) != 2:
            raise GraphError(f"the page {line['page']!r} needs a png, or a size [width, height]")
        writer.page(
            line["page"],
            png=png,
            xml=xml,
            package=line.get("package", ""),
            activity=line.get("activity", ""),
            time=datetime.fromisoformat(line["time"]) if line.get("time") else None,
            size=size,
        )
        self._sizes[line["page"]] = size

    def _same(self, writer: GraphWriter, line: Mapping[str, Any], where: str) -> None:
        if "same" in line:
            self._size_of(line["same"])
            writer.same(line["page"], line["same"])

    def _edge(self, writer: GraphWriter, line: Mapping[str, Any], where: str) -> None:
        source, target = line["edge"]
        self._size_of(target)
        self._lead(writer, self._golden({**line, "page": source}), target, line.get("count", 1))

    def _task(self, writer: GraphWriter, line: Mapping[str, Any], where: str) -> None:
        golden = [self._golden(each) for each in line.get("golden", ())]
        pages = [each.page for each in golden]
        done = line.get("page") or (pages[-1] if pages else "")
        self._size_of(done)
        for each, target in zip(golden, [*pages[1:], done], strict=False):
            if target != each.page and not ends_episode(each.action):
                self._lead(writer, each, target)
        columns = {name: value for name, value in line.items() if name not in _KINDS["task"]}
        steps = sum(not ends_episode(each.action) for each in golden)
        row = {
            "id": line["task"],
            "goal": literal(line["goal"]),
            "snapshot": line.get("start") or (pages[0] if pages else ""),
            "page": done,
            **({"golden": golden, "golden_steps": max(1, steps)} if golden else {}),
        }
        writer.task({**self._columns, **columns, **row})

    def _lead(self, writer: GraphWriter, golden: Golden, target: str, count: int = 1) -> None:
        """Write an edge, unless an earlier line had the same edge."""
        key = hash((golden.page, golden.action, target))
        if key not in self._known:
            self._known.add(key)
            writer.edge(golden.page, golden, target, count)

    def _golden(self, line: Mapping[str, Any]) -> Golden:
        """Return the golden action of a line, whose points are in pixels of its page."""
        size = self._size_of(line["page"])
        fields = {name: line[name] for name in ("action", "boxes", "page") if name in line}
        return golden_from_json({**fields, "size": list(size)})

    def _size_of(self, page: str) -> Size:
        if page not in self._sizes:
            raise GraphError(f"there is no page {page!r}")
        return self._sizes[page]


def _kind(line: Any) -> str:
    """Return the kind of a line, or an empty string. A line with a task may also have a page."""
    kinds = ("task", "edge", "page", "set") if isinstance(line, dict) else ()
    return next((kind for kind in kinds if kind in line), "")


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.glob("*.jsonl"))


def _first(file: Path) -> Iterator[Any]:
    with suppress(GraphError):
        yield from (line for _, line in islice(items(file), 1))
