"""`python -m pytest_mobileagent show`: open the page of a run, of runs or of a graph."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import GraphError, HostError, RecordError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.recorded_run import (
    find_run,
    finished_episodes,
    has_run,
    is_run,
    newest_run,
    report_of,
)
from pytest_mobileagent.report.text.narration import PAGE

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.report.entry import Entry


HEAD = "graph.json"  # the file by which the folder of a graph is recognised
_MOST_WAYS = 200  # episodes whose paths are drawn on the page of a graph
_MOST = 10  # listed names


def main(arguments: Sequence[str], runs: Callable[[], Path]) -> int:
    """Open a page, and return the exit status; `runs` returns the folder of the project's runs."""
    given = _parser().parse_args(arguments)
    try:
        page, place = _page(given.what, given.other, given.task, runs)
    except (OSError, GraphError, HostError, RecordError, ValueError) as error:
        return failed(error)
    place = f"#{place}" if place else ""
    sys.stdout.write(f"{printable(str(page))}{place}\n")
    sys.stdout.flush()
    if not given.no_browser:
        open_page(page.resolve().as_uri() + place)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("show"),
        description="Open the page of a run in the browser, and print its path. A page that is "
        "missing or outdated is written first. Without a display, the path is only printed.",
    )
    add = parser.add_argument
    what = "the folder of a run (default: the newest run); a folder of runs, for the page of all; "
    what += "the folder or the name of an episode; the id of a task; a report.html, also as a URL "
    what += "with a fragment; or a graph of recorded pages"
    add("what", nargs="?", default="", metavar="RUN|EPISODE|PAGE|GRAPH", help=what)
    other = "a run to compare with the first, or a task of the first; for a graph: a run on it, "
    other += "whose paths are drawn, or a page or a task of the graph"
    add("other", nargs="?", default="", metavar="RUN|TASK", help=other)
    task = "a task of both runs, whose episodes open where they diverge"
    add("task", nargs="?", default="", metavar="TASK", help=task)
    add("--no-browser", action="store_true", help="only print the path of the page")
    return parser


def _page(what: str, other: str, task: str, runs: Callable[[], Path]) -> tuple[Path, str]:
    """Return the page to open, and the fragment of its URL (without "#"), which may be empty."""
    from pytest_mobileagent.report.html.run_page import page_of, page_of_two

    if what and (Path(what) / HEAD).is_file():
        return _page_of_graph(Path(what), other, task, runs), ""
    if not other and (folder := _folder_of_runs(what, runs)) is not None:
        return _page_of_all(folder), ""
    run, place = _found(what, runs)
    if not other:
        return page_of(run), place
    if place:
        msg = f"{what} is an episode: name two runs, a run and a task, or a single episode"
        raise RecordError(msg)
    if (beside := _run(other, runs)) is not None:
        return page_of_two(run, beside), _pair(run, beside, task) if task else ""
    if task:
        raise RecordError(f"{other} is not a run: to show {task} in two runs, name both runs")
    return page_of(run), _place(_episode(run, other))


def _folder_of_runs(what: str, runs: Callable[[], Path]) -> Path | None:
    """Return the folder of runs that `what` names; None if it names something else."""
    if not what or _address(what) is not None:
        return None
    for path in (Path(what), runs() / what):
        if is_run(path) or (path / STREAM).is_file():
            return None
        if newest_run(path) is not None:
            return path
    return None


def _page_of_graph(folder: Path, other: str, task: str, runs: Callable[[], Path]) -> Path:
    """Write the page of a graph into its folder, or else into a temporary one; return its path.

    `other` is a run or an episode whose paths are drawn, or the page or task at the centre.

    Raises:
        GraphError: if the graph is damaged, or has no such page or task.
        RecordError: if the run cannot be read.
    """
    from pytest_mobileagent.dataset.graph import Graph
    from pytest_mobileagent.report.html.graph_page import GRAPH_PAGE, write_graph_page
    from pytest_mobileagent.report.html.run_page import written_somewhere

    if other and (Path(other) / STREAM).is_file():
        episodes, around = [Path(other)], task
    elif other and (run := _run(other, runs)) is not None:
        episodes, around = [each.folder for each in finished_episodes(run)], task
    else:
        episodes, around = [], other
    with Graph.open(folder.resolve()) as graph:
        walked = [read(each, EpisodeRecord) for each in episodes[:_MOST_WAYS]]
        return written_somewhere(
            folder / GRAPH_PAGE, lambda page: write_graph_page(graph, page, around, walked)
        )


def _page_of_all(folder: Path) -> Path:
    """Write the page of all runs into their folder, or else a temporary one; return its path."""
    from pytest_mobileagent.report.html.all_runs_page import RUNS_PAGE, write_runs_page
    from pytest_mobileagent.report.html.run_page import written_somewhere

    whole = folder.resolve()
    return written_somewhere(whole / RUNS_PAGE, lambda page: write_runs_page(whole, page))


def _found(what: str, runs: Callable[[], Path]) -> tuple[Path, str]:
    """Return the run that `what` names, and the fragment of its page's URL, which may be empty.

    Raises:
        RecordError: if there is no such run or episode.
    """
    if (address := _address(what)) is not None:
        path, place = address
        if not is_run(path.parent):
            raise RecordError(f"{what} is not in the folder of a run: name a page that is")
        return path.parent.resolve(), place
    path = Path(what)
    if what and (path / STREAM).is_file():
        return path.resolve().parent.parent, _place(path.resolve().name)
    if (found := _run(what, runs)) is not None:
        return found, ""
    folder = runs()
    if not what:
        return find_run(folder), ""
    run = newest_run(folder)
    if run is None:
        msg = f"{what} is neither a run nor an episode, and there is no run in {folder}"
        raise RecordError(msg)
    return run.resolve(), _place(_episode(run, what))


def _run(what: str, runs: Callable[[], Path]) -> Path | None:
    """Return the run at a path, or in the folder of runs; None if there is none."""
    if what and has_run(Path(what)):
        return find_run(Path(what))
    path = runs() / what
    return find_run(path) if has_run(path) else None


def _address(what: str) -> tuple[Path, str] | None:
    """Return the page and the fragment of a URL, or of the path of a page; else None."""
    if what.startswith("file:"):
        parts = urlsplit(what)
        return Path(url2pathname(parts.path)), parts.fragment
    path, _, place = what.partition("#")
    return (Path(path), place) if Path(path).name == PAGE else None


def _place(episode: str) -> str:
    return f"e={quote(episode)}"


def _pair(base: Path, run: Path, task: str) -> str:
    """Return the URL fragment of a task on the page of two runs; unequal outcomes are preferred."""
    from pytest_mobileagent.report.comparison.episode_pairs import BASE
    from pytest_mobileagent.report.html.run_page import pairs_of

    called = [each for each in report_of(base)["tasks"] if _is_called(each, task)]
    found = [*pairs_of(base, run, called, report_of(run)["tasks"])]
    if not found:
        raise RecordError(f"{run.name} and {base.name} do not both have an episode of {task}")
    (before, after), _ = min(found, key=lambda each: each[1])
    return f"{_place(after.name)}&with={quote(BASE + before.name)}"


def _episode(run: Path, name: str) -> str:
    """Return the name of the folder of an episode, by that name or by its task's."""
    from pytest_mobileagent.report.html.index import attempts

    if Path(name).name == name and (run / "episodes" / name).is_dir():
        return name
    found = []
    for task in report_of(run)["tasks"]:
        folders = attempts(run, task)
        if folders and _is_called(task, name):
            found.append(folders[-1].name)
    if len(found) == 1:
        return found[0]
    if found:
        names = "".join(f"\n  {each}" for each in found[:_MOST])
        more = f"\n  … and {len(found) - _MOST} more" if len(found) > _MOST else ""
        msg = f"{len(found)} episodes of {run.name} are called {name}: name a folder{names}{more}"
        raise RecordError(msg)
    msg = f"{name} is not a run, and {run} has no such episode: `show` alone opens that run"
    raise RecordError(msg)


def _is_called(task: Entry, name: str) -> bool:
    names = task.id, task.nodeid
    return any(each == name or each.endswith((f"/{name}", f"::{name}")) for each in names)


def open_page(url: str) -> bool:
    """Open a page in a browser window, and return whether that was possible."""
    return has_windows() and webbrowser.open(url)


def has_windows() -> bool:
    """Return whether a browser would open in a window instead of taking over the terminal."""
    windows = sys.platform in {"darwin", "win32"}
    return windows or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())
