"""Mobile3M: graphs of pages of Chinese apps, on which Mobile-Bench-v2's tasks are done.

    APP_graph_NUMBER/all_action_id.json     {action: id}, encoded twice
                     all_page_id.json       {page: id}, encoded twice
                     all_triple.json        {"data": [[page, action's id, page], …]}
                     data_all2unique.json   {page: the page that it is equal to}, encoded twice
                     PAGE/PAGE-screen.png, PAGE-xml.txt, PAGE-html.txt, PAGE.json

A page is named after the actions that lead to it: action 12 leads from `app0_3` to `app0_3_12`. A
copy without `all_triple.json` has its edges in `history_actions` of PAGE.json, the last of which
led to the page. Source: XiaoMi/mobilevlm, corpus/googleCreatDataset.
"""

from __future__ import annotations

import sqlite3
import weakref
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_mobileagent.dataset.formats.mobile3m_page import RecordedPage
from pytest_mobileagent.dataset.formats.release import Problems, flaw_of_picture
from pytest_mobileagent.dataset.formats.release import Release as Base
from pytest_mobileagent.dataset.formats.streams import items, pairs, text_of
from pytest_mobileagent.errors import GraphError
from pytest_mobileagent.fileio import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_mobileagent.dataset.graph import GraphWriter

ACTIONS, PAGES, TRIPLES = "all_action_id.json", "all_page_id.json", "all_triple.json"
_TABLES = """
    CREATE TABLE actions (id INTEGER PRIMARY KEY, words TEXT);
    CREATE TABLE pages (name TEXT PRIMARY KEY, place TEXT, good INTEGER DEFAULT 0) WITHOUT ROWID;
    CREATE TABLE triples (source TEXT, action INTEGER, target TEXT, place TEXT,
        PRIMARY KEY (source, action)) WITHOUT ROWID;
    CREATE TABLE equal (name TEXT PRIMARY KEY, other TEXT) WITHOUT ROWID;
"""
_EDGES = """
    SELECT source, action, words, target, place, EXISTS
        (SELECT 1 FROM pages WHERE name = target AND good)
    FROM triples LEFT JOIN actions ON id = action
    WHERE EXISTS (SELECT 1 FROM pages WHERE name = source AND good)
    ORDER BY source, target <> source || '_' || action, action
"""
_CHAINED = """
    SELECT one.name, one.other FROM equal AS one JOIN equal AS two
    ON two.name = one.other WHERE two.other <> two.name LIMIT 1
"""


class Release(Base):
    """A folder with a subfolder for each app, or the folder of one app."""

    title: ClassVar[str] = "Mobile3M"
    licence: ClassVar[str] = "CC BY-NC-SA 4.0"
    holds: ClassVar[str] = f"APP_graph_NUMBER/{TRIPLES}"
    language: ClassVar[str] = "zh"

    @classmethod
    def fits(cls, path: Path) -> bool:
        """Return whether the path has the folder of an app."""
        return bool(app_folders(path))

    def add_to(self, writer: GraphWriter) -> int:
        """Write the pages and edges of all apps, and return 0, as the release has no tasks."""
        apps = self.apps()
        for app in apps.values():
            app.add_to(writer)
            app.add_equal(writer)
            app.close()
        writer.head(snapshots={app.home: app.home for app in apps.values() if app.home in writer})
        return 0

    def apps(self) -> dict[str, App]:
        """Return the apps by name.

        Raises:
            GraphError: if an app has two folders, since their pages have the same names.
        """
        found: dict[str, App] = {}
        for folder in app_folders(self.path):
            app = App(folder, self.problems)
            if app.name in found:
                msg = f"{folder}: {found[app.name].folder.name} has pages of the same names"
                raise GraphError(f"{msg}: import one of the two folders by itself")
            found[app.name] = app
        return found


def app_folders(path: Path) -> list[Path]:
    """Return the path itself if it is an app's folder, or else the apps' folders in it, sorted."""
    if not path.is_dir():
        return []
    if _is_app(path):
        return [path]
    return [each for each in sorted(path.iterdir()) if _is_app(each)]


def _is_app(folder: Path) -> bool:
    if any((folder / name).is_file() for name in (TRIPLES, ACTIONS)):
        return True
    home = _home(folder)
    return (folder / home / f"{home}.json").is_file()


def _is_id(value: Any) -> bool:
    """Return whether a value is an action's id, which may also be written as text."""
    return type(value) is int or (isinstance(value, str) and value.isdecimal())


def _home(folder: Path) -> str:
    return f"{folder.name.partition('_')[0]}0"


class App:
    """The graph of one app, whose index is in a temporary file.

    - `name`: the prefix of the names of the app's folder and pages; `home`: the first page.
    """

    def __init__(self, folder: Path, problems: Problems) -> None:
        self.folder, self.problems = folder, problems
        self.home = _home(folder)
        self.name = self.home[:-1]
        self._index = sqlite3.connect("")
        weakref.finalize(self, self._index.close)
        self._index.executescript(_TABLES)

    def add_to(self, writer: GraphWriter) -> None:
        """Write all pages and edges.

        Of several edges between the same pages, the first is the one that named the second page.

        Raises:
            GraphError: if a file cannot be read, or an edge leads nowhere; the message says where.
            HostError: if the graph cannot be written.
        """
        self._fill("INSERT OR REPLACE INTO actions VALUES (?, ?)", self._actions())
        self._fill("INSERT OR IGNORE INTO pages (name, place) VALUES (?, ?)", self._listed())
        self._fill("INSERT OR REPLACE INTO triples VALUES (?, ?, ?, ?)", self._triples())
        for column in ("source", "target"):
            self._index.execute(
                f"INSERT OR IGNORE INTO pages (name, place) SELECT {column}, place FROM triples"  # noqa: S608 - two names
            )
        self._fill("UPDATE pages SET good = 1 WHERE name = ?", self._write_pages(writer))
        for source, edges in groupby(self._index.execute(_EDGES), itemgetter(0)):
            self._write_edges(writer, str(source), list(edges))

    def add_equal(self, writer: GraphWriter) -> None:
        """Record which pages are equal, according to `data_all2unique.json`.

        Raises:
            GraphError: if the file cannot be read, or has a page without a representative.
        """
        file = self.folder / "data_all2unique.json"
        if not file.is_file():
            return
        equal = ((name, str(other)) for name, other in pairs(file))
        self._fill("INSERT OR REPLACE INTO equal VALUES (?, ?)", equal)
        for name, other in self._index.execute(_CHAINED):
            why = f"{name} is equal to {other}, which is equal to another page"
            self.problems.broken(str(file), why, "equal pages without a representative")
        for name, other in self._index.execute("SELECT name, other FROM equal WHERE name <> other"):
            if name in writer and other in writer:
                writer.same(name, other)

    def close(self) -> None:
        """Close and delete the index."""
        self._index.close()

    def _fill(self, query: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._index.executemany(query, rows)

    def _actions(self) -> Iterator[tuple[int, str]]:
        file = self.folder / ACTIONS
        if not file.is_file():
            return
        for words, number in pairs(file):
            if _is_id(number):
                yield int(number), words
            else:
                self.problems.broken(str(file), f"{number!r} is not an action's id")

    def _listed(self) -> Iterator[tuple[str, str]]:
        file = self.folder / PAGES
        if file.is_file():
            yield from ((name, str(file)) for name, _ in pairs(file))

    def _triples(self) -> Iterator[tuple[str, int, str, str]]:
        file = self.folder / TRIPLES
        if not file.is_file():
            yield from self._histories()
            return
        for where, each in items(file, "data"):
            match each:
                case [str(source), action, str(target)] if _is_id(action):
                    yield source, int(action), target, where
                case _:
                    why = f"{each!r} is not [page, action's id, page]"
                    self.problems.broken(where, why, "broken edges")

    def _histories(self) -> Iterator[tuple[str, int, str, str]]:
        """Yield the edges in the pages' files, and add their actions to the index."""
        for folder in sorted(self.folder.iterdir()):
            source, _, number = folder.name.rpartition("_")
            file = folder / f"{folder.name}.json"
            if not (source and number.isdecimal() and file.is_file()):
                continue
            try:
                action = str(parse_json(text_of(file))["history_actions"][-1])
            except (LookupError, TypeError, ValueError) as error:
                why = f"it has no history_actions: {error}"
                self.problems.broken(f"{file}:1", why, "broken edges")
                continue
            self._index.execute("INSERT OR IGNORE INTO actions VALUES (?, ?)", (number, action))
            yield source, int(number), folder.name, f"{file}:1"

    def _write_pages(self, writer: GraphWriter) -> Iterator[tuple[str]]:
        """Write the pages that have files, and yield their names."""
        query = "SELECT name, place FROM pages ORDER BY name <> ?, name"
        for name, place in self._index.execute(query, (self.home,)).fetchall():
            page = RecordedPage(self.folder, name)
            if not page.is_there:  # copies often contain a part of the pages
                self.problems.missed(place, "pages without files")
                continue
            if page.png is not None and (flaw := flaw_of_picture(page.png)):
                self.problems.broken(place, flaw, "pages with a broken picture")
                continue
            writer.page(name, png=page.png, xml=page.xml, size=page.size, package=page.package())
            yield (name,)

    def _write_edges(self, writer: GraphWriter, source: str, edges: list[tuple[Any, ...]]) -> None:
        page = RecordedPage(self.folder, source)
        if flaw := page.flaw():
            self.problems.broken(f"{page.xml}:1", flaw, "broken view hierarchies")
            return
        for _, action, words, target, place, is_there in edges:
            if words is None:
                why = f"there is no action {action} in {ACTIONS}"
                self.problems.broken(place, why, "broken edges")
            elif not is_there:
                self.problems.missed(place, "edges to pages that were left out")
            elif (golden := page.golden(words)) is None:
                self.problems.missed(place, "edges whose element is not on their page")
            else:
                writer.edge(source, golden, target)
