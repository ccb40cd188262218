"""A graph of recorded pages on disk, read one page at a time.

    DIR/graph.json      the head, which describes the graph as a whole (see `Graph`)
    DIR/graph.sqlite    the pages and the edges between them
    DIR/pages/          screenshots (DIGEST.png) and view hierarchies (DIGEST.xml)
    DIR/tasks.jsonl     optionally, the tasks that are done on the pages, as `rows` reads them

Tables, with times in ISO 8601, and pages referred to by id:

    pages (id, package, activity, time, width, height, png, xml, same)
    edges (source, golden, target, count)

`png` and `xml` are paths in DIR, or with the prefix "files:" in the folder `files` of the head, or
empty. `same` is the id of the page that represents all pages equal to it, usually the page itself.
`golden` is the action as JSON (see `golden_to_json`).
"""

from __future__ import annotations

import hashlib
import io
import sqlite3
import struct
import weakref
import zlib
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.matching import Golden, golden_from_json
from pytest_mobileagent.errors import GraphError, ScreenError, TaskError
from pytest_mobileagent.fileio import parse_json, read_bytes, read_json
from pytest_mobileagent.jsonable import Each, check, why_unreadable
from pytest_mobileagent.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from pytest_mobileagent.action.matching import Size

FORMAT = 1
HEAD, INDEX, TASKS, PAGES = "graph.json", "graph.sqlite", "tasks.jsonl", "pages"
FILES = "files:"  # the prefix of paths in the user's own copy of a data set
SUFFIXES = frozenset({".png", ".xml", ".txt", ".uix"})  # of files that a graph may refer to
NO_HIERARCHY = "<hierarchy rotation='0'/>"
_HEAD = {
    "format": int,
    **dict.fromkeys(("name", "rule", "language", "start", "licence", "source", "files"), str),
    "home": str,
    "index": str,
    "packages": [str],
    "snapshots": Each(str),
    "apps": Each(str),
    "device": {"model": str, "android": str, "sdk": int, "density": int, "locale": str},
}
_PAGE = "SELECT id, package, activity, time, width, height, png, xml, same FROM pages"
_LEADS = "SELECT 1 FROM edges WHERE source = ? AND target = ?"
_EDGE = "SELECT source, golden, target, count, rowid FROM edges"


@dataclass(frozen=True, slots=True)
class Page:
    """The row of a page, which does not need the page's files.

    `size` is (width, height) in pixels; see the module for `png`, `xml` and `same`.
    """

    id: str
    package: str
    activity: str
    time: datetime | None
    size: Size
    png: str
    xml: str
    same: str


@dataclass(frozen=True, slots=True)
class Edge:
    """An action that led from one page to another, and how often it did so (`count`).

    `golden` has the action and its boxes in pixels of the page `source`.
    """

    source: str
    golden: Golden
    target: str
    count: int = 1


class Graph:
    """A graph of recorded pages and the edges between them, opened by `open`.

    - `name`, `language` (of its pages), `licence`, `source` (its origin): empty if unknown.
    - `rule`: the matching rule that decides whether an action is that of an edge.
    - `packages`: the apps of the pages.
    - `start`: the page on which tasks without a snapshot begin; `snapshots`: pages by snapshot.
    - `home`: the page to which the home key leads from any page, or empty.
    - `apps`: the pages to which apps open, by package.
    - `device`: known properties of the phone: "model", "android", "sdk", "density", "locale".
    - `head`: the complete content of graph.json.
    """

    def __init__(self, folder: Path, head: dict[str, Any], index: sqlite3.Connection) -> None:
        self.folder, self.head, self._index = folder, head, index
        self._close = weakref.finalize(self, index.close)  # in case `close` is not called
        self.name: str = head.get("name") or folder.name
        self.rule: str = head.get("rule", "graph")
        self.language: str = head.get("language", "")
        self.licence: str = head.get("licence", "")
        self.source: str = head.get("source", "")
        self.packages = frozenset[str](head.get("packages", ()))
        self.start: str = head.get("start", "")
        self.snapshots: dict[str, str] = dict(head.get("snapshots", {}))
        self.home: str = head.get("home", "")
        self.apps: dict[str, str] = dict(head.get("apps", {}))
        self.device: dict[str, Any] = dict(head.get("device", {}))
        files = head.get("files")
        self.files = None if files is None else folder / files

    @classmethod
    def open(cls, folder: Path) -> Graph:
        """Open the graph in a folder, reading only its head.

        Raises:
            GraphError: if the folder has no graph, or the graph cannot be read.
        """
        path = folder / HEAD
        try:
            head = check(read_json(path), _HEAD, HEAD)
        except FileNotFoundError:
            raise GraphError(f"{folder} does not contain a graph: there is no {HEAD}") from None
        except (OSError, TypeError, ValueError, RecursionError) as error:
            raise GraphError(f"{path} cannot be read: {why_unreadable(error)}") from None
        if head.get("format") != FORMAT:
            msg = f"{path}: this version reads graphs of format {FORMAT}, not {head.get('format')}"
            raise GraphError(msg)
        file = folder / INDEX
        try:
            # A finished graph is never written to, so neither locks nor a journal are needed.
            address = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
            index = sqlite3.connect(address, uri=True, check_same_thread=False)
            graph = cls(folder, head, index)
            index.execute("PRAGMA trusted_schema=OFF")
            graph._row(f"{_PAGE} LIMIT 0", ())
            graph._row(f"{_EDGE} LIMIT 0", ())
        except sqlite3.Error as error:
            raise GraphError(f"{file} cannot be read: {error}") from None
        return graph

    @property
    def is_as_written(self) -> bool:
        """Whether the index still has the SHA-256 in the head, so its writer has checked it."""
        try:
            return self.head.get("index") == digest_of(self.folder / INDEX)
        except OSError:
            return False

    def close(self) -> None:
        """Close the files."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Return the number of pages."""
        (count,) = self._row("SELECT count(*) FROM pages", ()) or (0,)
        return int(count)

    def count_lacking(self) -> dict[str, int]:
        """Return the number of pages without a "screenshot", and without a "hierarchy"."""
        counts = self._row("SELECT total(png = ''), total(xml = '') FROM pages", ()) or (0, 0)
        return {"screenshot": int(counts[0]), "hierarchy": int(counts[1])}

    def __contains__(self, page: str) -> bool:
        return self._row("SELECT 1 FROM pages WHERE id = ?", (page,)) is not None

    def page(self, page: str) -> Page:
        """Return the row of a page.

        Raises:
            GraphError: if there is no such page, or its row is invalid.
        """
        row = self._row(f"{_PAGE} WHERE id = ?", (page,))
        if row is None:
            raise GraphError(f"{self.folder} has no page {page!r}")
        return self._page(row)

    def same(self, page: str) -> tuple[str, ...]:
        """Return the ids of the other pages that are equal to a page."""
        first = self.page(page).same
        query = "SELECT id FROM pages WHERE same = ? AND same <> id"
        found = [first, *(row[0] for row in self.rows(query, (first,)))]
        return tuple(each for each in found if each != page)

    def equivalent(self, one: str, other: str) -> bool:
        """Return whether two pages count as equal."""
        return one == other or self.page(one).same == self.page(other).same

    def screen(self, page: str) -> Screen:
        """Return the screen of a page.

        A page without a picture is white, and a page without a hierarchy has no elements.

        Raises:
            GraphError: if the page does not exist, or a file of it cannot be read.
        """
        about = self.page(page)
        where = f"page {page!r} of {self.folder}"
        png = self._content(about, about.png) if about.png else white(about.size)
        xml = _decoded(self._content(about, about.xml)) if about.xml else ""
        screen = Screen(
            xml or NO_HIERARCHY, png, about.package, about.activity, about.time, where, page,
            self.same(page), files=(self._copy_of(about.png), self._copy_of(about.xml)),
        )  # fmt: skip
        if about.png and (flaw := flaw_of_png(png)):
            raise GraphError(f"{where}: its screenshot {about.png} {flaw}")
        try:
            _ = screen.size, screen.root
        except ScreenError as error:
            raise GraphError(f"{where}: {error}") from error
        return screen

    def edges(self, page: str) -> list[Edge]:
        """Return the edges that lead from a page, in the order in which they were written."""
        return [self._edge(row) for row in self.rows(f"{_EDGE} WHERE source = ?", (page,))]

    def leads(self, source: str, target: str) -> bool:
        """Return whether an edge leads from one page to another."""
        return self._row(_LEADS, (source, target)) is not None

    def step(self, source: str, target: str) -> Edge:
        """Return the edge that leads from one page to another, the first one of several.

        Raises:
            GraphError: if there is none.
        """
        row = self._row(f"{_EDGE} WHERE source = ? AND target = ?", (source, target))
        if row is None:
            raise GraphError(f"{self.folder}: no edge leads from page {source!r} to {target!r}")
        return self._edge(row)

    def pages(self) -> Iterator[Page]:
        """Yield all pages, one at a time."""
        return map(self._page, self.rows(_PAGE))

    def all_edges(self) -> Iterator[Edge]:
        """Yield all edges, one at a time."""
        return map(self._edge, self.rows(_EDGE))

    def file(self, path: str) -> Path:
        """Return the location of a page's file, given the path in its row (see the module).

        Raises:
            GraphError: if the path leads out of the folder, or the head names no user's copy.
        """
        inner = path.removeprefix(FILES)
        folder = self.folder if inner == path else self.files
        if folder is None:
            msg = f"{self.folder / HEAD} has no folder `files`, in which {inner} should be"
            raise GraphError(msg)
        parts = PurePosixPath(inner)
        if parts.is_absolute() or ".." in parts.parts or "\0" in inner:
            raise GraphError(f"{self.folder}: {path!r} is not a path in {folder}")
        if parts.suffix.lower() not in SUFFIXES:
            raise GraphError(f"{self.folder}: {path!r} must end with {', '.join(sorted(SUFFIXES))}")
        return folder / parts

    def _copy_of(self, path: str) -> str:
        """Return the path of a file in the user's own copy of a data set; else ""."""
        return str(self.file(path).absolute()) if path.startswith(FILES) else ""

    def _content(self, page: Page, path: str) -> bytes:
        """Return the content of a file, which may be a link only in the user's own copy."""
        try:
            return read_bytes(self.file(path), follows=path.startswith(FILES))
        except OSError as error:
            raise GraphError(f"page {page.id!r} of {self.folder} cannot be read: {error}") from None

    def _row(self, query: str, values: tuple[str, ...]) -> tuple[Any, ...] | None:
        return next(self.rows(query, values), None)

    def rows(self, query: str, values: tuple[str, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows that a query finds in the index, one at a time.

        Raises:
            GraphError: if the index is damaged.
        """
        try:
            cursor = self._index.execute(query, values)
            while (row := cursor.fetchone()) is not None:
                yield row
        except sqlite3.Error as error:
            raise GraphError(f"{self.folder / INDEX} cannot be read: {error}") from None

    def _page(self, row: tuple[Any, ...]) -> Page:
        page, package, activity, time, width, height, png, xml, same = row
        texts = (page, package, activity, png, xml, same)
        try:
            if not all(isinstance(each, str) for each in (*texts, time)):
                raise TypeError  # noqa: TRY301
            when = datetime.fromisoformat(time) if time else None
            size = (int(width), int(height))
        except (TypeError, ValueError):
            msg = f"{self.folder / INDEX}, page {page!r}: its row is invalid: {row!r}"
            raise GraphError(msg) from None
        return Page(page, package, activity, when, size, png, xml, same)

    def _edge(self, row: tuple[Any, ...]) -> Edge:
        source, golden, target, count, number = row
        try:
            read = golden_from_json(parse_json(golden))
            return Edge(str(source), replace(read, page=str(source)), str(target), int(count))
        except (TypeError, ValueError, TaskError) as error:
            msg = f"{self.folder / INDEX}, edges, row {number} (from page {source!r}): {error}"
            raise GraphError(msg) from None


def _decoded(hierarchy: bytes) -> str:
    """Return the text of a hierarchy, which some Chinese releases encode in GB18030."""
    try:
        return hierarchy.decode("utf-8")
    except UnicodeDecodeError:
        return hierarchy.decode("gb18030", "replace")


def digest_of(file: Path) -> str:
    """Return the SHA-256 of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def flaw_of_png(content: bytes) -> str:
    """Return the flaw of a PNG image, as the predicate of a sentence, or an empty string.

    The pixels are not decoded, since an image with correct checksums can be decoded.
    """
    if content[:8] != b"\x89PNG\r\n\x1a\n":
        return f"is not a PNG image: it begins {content[:16]!r}"
    place = 8
    while place + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, place)
        end = place + 8 + length
        kind = content[place + 4 : place + 8]
        if end + 4 > len(content):
            break
        checksum = zlib.crc32(memoryview(content)[place + 4 : end])
        if content[end : end + 4] != checksum.to_bytes(4, "big"):
            return f"is damaged: its chunk {kind!r} has a wrong checksum"
        if kind == b"IEND":
            return ""
        place = end + 4
    return f"is damaged: it is cut off after {len(content)} bytes"


@lru_cache(maxsize=16)
def white(size: Size) -> bytes:
    """Return a white PNG image of the given size."""
    from PIL import Image  # heavy, so loaded only when it is used

    encoded = io.BytesIO()
    Image.new("1", size, 1).save(encoded, "PNG")
    return encoded.getvalue()
