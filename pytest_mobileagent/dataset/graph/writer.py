"""Writes a graph of recorded pages, completely or not at all.

The graph is written to a hidden folder beside its destination, which is renamed at the end.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import weakref
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action import Key, Open
from pytest_mobileagent.action.matching import Golden, golden_from_json, golden_to_json
from pytest_mobileagent.dataset.graph.checks import check_structure, check_tasks
from pytest_mobileagent.dataset.graph.store import (
    FILES,
    FORMAT,
    HEAD,
    INDEX,
    PAGES,
    TASKS,
    Graph,
    digest_of,
)
from pytest_mobileagent.errors import GraphError, HostError, ScreenError
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.screen.picture import size_in, size_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Self

    from pytest_mobileagent.action.matching import Size

_TABLES = """
    CREATE TABLE pages (id TEXT PRIMARY KEY, package TEXT NOT NULL, activity TEXT NOT NULL,
        time TEXT NOT NULL, width INTEGER NOT NULL, height INTEGER NOT NULL,
        png TEXT NOT NULL, xml TEXT NOT NULL, same TEXT NOT NULL);
    CREATE TABLE edges (source TEXT NOT NULL, golden TEXT NOT NULL, target TEXT NOT NULL,
        count INTEGER NOT NULL);
    CREATE INDEX edges_source ON edges (source);
"""
# Pressing home and opening an app lead from any page to the page to which they led most often.
_LEADING_ANYWHERE = """
    SELECT golden, target, count FROM edges
    WHERE golden LIKE '%"action":"Key","name":"home"%' OR golden LIKE '%"action":"Open"%'
"""


class GraphWriter:
    """Writes a graph to a new folder, which appears when the `with` block ends without an error.

    - `files`: the user's own copy of a data set; pages may refer to its files without copying them.
    - `replaces`: whether the graph may replace an existing graph.

    Raises:
        GraphError: if the folder already exists, or another process is writing the same graph.
        HostError: if the folder cannot be written.
    """

    def __init__(self, folder: Path, *, files: Path | None = None, replaces: bool = False) -> None:
        self.folder = folder.absolute()
        self._files = None if files is None else files.absolute()
        self._replaces = replaces
        self._part = self.folder.with_name(f".{self.folder.name}.part")
        self._old = self.folder.with_name(f".{self.folder.name}.old")
        self._head: dict[str, Any] = {}
        self._same: dict[str, str] = {}  # the representatives of pages that equal another page
        self._tasks = 0

    def __enter__(self) -> Self:
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            if self._old.exists() and not self.folder.exists():
                self._old.rename(self.folder)  # a process was killed while it replaced the graph
            self._check_place()
            self._lock = self._own_part()
            shutil.rmtree(self._part / PAGES, ignore_errors=True)
            for each in self._part.iterdir():
                each.unlink()
            (self._part / PAGES).mkdir()
        except OSError as error:
            raise HostError(f"cannot write a graph to {self.folder}: {error}") from error
        self._index = sqlite3.connect(self._part / INDEX)
        weakref.finalize(self, self._index.close)
        self._index.executescript(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; {_TABLES}")
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        try:
            if error is None:
                self._finish()
        except (OSError, sqlite3.OperationalError) as broken:
            raise HostError(f"cannot write a graph to {self.folder}: {broken}") from broken
        finally:
            self._index.close()
            shutil.rmtree(self._part, ignore_errors=True)
            os.close(self._lock)

    def __contains__(self, page: str) -> bool:
        return self._one("SELECT 1 FROM pages WHERE id = ?", page) is not None

    def leads(self, source: str, target: str) -> bool:
        """Return whether an edge leads from one page to another."""
        query = "SELECT 1 FROM edges WHERE source = ? AND target = ?"
        return self._index.execute(query, (source, target)).fetchone() is not None

    def page(
        self,
        page: str,
        *,
        png: bytes | Path | None,
        xml: str | Path | None,
        package: str = "",
        activity: str = "",
        time: datetime | None = None,
        size: Size | None = None,
    ) -> None:
        """Add a page. A file given as a path must be in the user's own copy, and is not copied.

        `size` is required if there is no picture.

        Raises:
            GraphError: if the id is already in use, or an argument is invalid.
            HostError: if the page cannot be written.
        """
        if not page or not isinstance(page, str):
            raise GraphError(f"a page needs an id, not {page!r}")
        try:
            size = size if png is None else _size(png, page)
            if size is None or min(size) < 1:
                raise GraphError(f"page {page!r} has no picture, and no size (width, height)")
            where = self._store_file(png, ".png", page), self._store_file(xml, ".xml", page)
        except OSError as error:
            raise HostError(f"page {page!r}: {error}") from error
        row = (page, package, activity, time.isoformat() if time else "", *size, *where, page)
        try:
            self._write("INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            raise GraphError(f"there is already a page {page!r}") from None

    def edge(self, source: str, golden: Golden, target: str, count: int = 1) -> None:
        """Add an edge: an action that leads from one page to another.

        Both pages must exist in the end. If two edges have the same action, it may follow either.

        Raises:
            GraphError: if the action cannot be recorded.
            HostError: if the edge cannot be written.
        """
        data = golden_to_json(golden)
        data.pop("page", None)
        golden_from_json(data)
        self._write("INSERT INTO edges VALUES (?, ?, ?, ?)", (source, to_line(data), target, count))

    def same(self, page: str, other: str) -> None:
        """Record that a page is equal to another, which then represents both."""
        page, other = self._first(page), self._first(other)
        if page != other:
            self._same[page] = other

    def task(self, row: Mapping[str, Any]) -> None:
        """Add a row to the graph's table of tasks; its golden actions are written as JSON."""
        golden = [golden_to_json(g) if isinstance(g, Golden) else g for g in row.get("golden", ())]
        line = to_line({**row, **({"golden": golden} if "golden" in row else {})})
        try:
            with (self._part / TASKS).open("a", encoding="utf-8") as file:
                file.write(f"{line}\n")
        except OSError as error:
            raise HostError(f"cannot write {TASKS} of {self.folder}: {error}") from error

    def head(self, **fields: Any) -> None:
        """Set fields of the head (see `Graph`).

        By default, the graph starts on its first page. An app opens on the page on which it was
        opened most often, or else on its first page; home is where the home key led most often.
        """
        self._head |= fields

    def _check_place(self) -> None:
        is_graph = (self.folder / HEAD).is_file()
        if self.folder.exists() and not (self._replaces and is_graph):
            what = "a graph" if is_graph else "something"
            msg = f"{self.folder}: {what} already exists there; name another folder, or remove it"
            raise GraphError(msg)

    def _own_part(self) -> int:
        """Create and lock the hidden folder, or take over the folder of a killed writer."""
        self._part.mkdir(exist_ok=True)
        descriptor = os.open(self._part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise GraphError(f"{self.folder} is being written by another process") from None
        return descriptor

    def _finish(self) -> None:
        for page in list(self._same):
            self._index.execute("UPDATE pages SET same = ? WHERE id = ?", (self._first(page), page))
        self._index.executescript("CREATE INDEX pages_same ON pages (same) WHERE same <> id;")
        head = self._whole_head()
        self._index.commit()
        self._index.close()
        write_json(self._part / HEAD, head | {"index": digest_of(self._part / INDEX)})
        with Graph.open(self._part) as graph:
            check_structure(graph)
            check_tasks(graph)
        if self.folder.exists():
            shutil.rmtree(self._old, ignore_errors=True)
            self.folder.rename(self._old)
        self._part.rename(self.folder)
        shutil.rmtree(self._old, ignore_errors=True)

    def _whole_head(self) -> dict[str, Any]:
        start = self._one("SELECT id FROM pages ORDER BY rowid LIMIT 1", None) or ("",)
        first = "SELECT package, id, min(rowid) FROM pages WHERE package <> '' GROUP BY package"
        apps = {package: page for package, page, _ in self._index.execute(first)}
        home: Counter[str] = Counter()
        opened: dict[str, Counter[str]] = {}
        for golden, target, count in self._index.execute(_LEADING_ANYWHERE):
            match golden_from_json(json.loads(golden)).action:
                case Key("home"):
                    home[target] += count
                case Open(app):
                    opened.setdefault(app, Counter())[target] += count
        known: dict[str, Any] = {
            "format": FORMAT,
            "name": self.folder.name,
            "packages": sorted(apps.keys() | opened.keys()),
            "start": start[0],
            "apps": apps | {app: pages.most_common(1)[0][0] for app, pages in opened.items()},
            **({"home": home.most_common(1)[0][0]} if home else {}),
            **({} if self._files is None else {"files": str(self._files)}),
        }
        return known | self._head

    def _first(self, page: str) -> str:
        while page in self._same:
            page = self._same[page]
        return page

    def _store_file(self, content: bytes | str | Path | None, suffix: str, page: str) -> str:
        """Store a file of a page, and return its path for the index, or an empty string."""
        if content is None:
            return ""
        if isinstance(content, Path):
            with contextlib.suppress(ValueError):
                if self._files is not None:
                    return f"{FILES}{content.absolute().relative_to(self._files).as_posix()}"
            msg = f"page {page!r}: {content} is not in the folder `files`, {self._files}"
            raise GraphError(msg)
        data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
        path = f"{PAGES}/{hashlib.sha256(data).hexdigest()[:32]}{suffix}"
        if not (self._part / path).exists():
            (self._part / path).write_bytes(data)
        return path

    def _one(self, query: str, value: str | None) -> tuple[Any, ...] | None:
        found = self._index.execute(query, () if value is None else (value,)).fetchone()
        return None if found is None else tuple(found)

    def _write(self, query: str, row: tuple[Any, ...]) -> None:
        try:
            self._index.execute(query, row)
        except sqlite3.OperationalError as error:
            raise HostError(f"cannot write {INDEX} of {self.folder}: {error}") from error


def _size(png: bytes | Path, page: str) -> Size:
    try:
        return size_in(png) if isinstance(png, Path) else size_of(png[:24])
    except ScreenError as error:
        why = str(error).replace("the screenshot", "its picture", 1)
        raise GraphError(f"page {page!r}: {why}") from None
