"""Mobile-Bench-v2's tasks, read from the user's copy, with the pages of a graph that is made of it.

The release may not be passed on, so its goals are nowhere but in the copy. `mobileagent graph COPY
-o GRAPH` makes a graph with its ids and figures; `mobile_bench_v2 = "GRAPH"` in tasks/releases.toml
names it, and the graph says where the copy is.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Row, questions
from pytest_mobileagent.dataset.formats.mobile_bench_v2 import AMBIGUOUS, COMPLEX, SIMPLE, listed
from pytest_mobileagent.dataset.formats.release import Problems
from pytest_mobileagent.dataset.graph import Graph, RecordedPath
from pytest_mobileagent.errors import GraphError, TaskError
from pytest_mobileagent.releases import literal, release_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.dataset.formats.mobile_bench_v2 import ListedTask

HERE = Path(__file__).parent
HOW = "docs/suites.md, Mobile-Bench-v2"
LONGEST_SIMPLE = 6  # steps: the paper's simple tasks have 4 to 6, its complex ones 7 to 11
CATEGORIES = {
    app.casefold(): category
    for category, apps in tomllib.loads((HERE / "categories.toml").read_text("utf-8")).items()
    for app in apps
}


def copy_of_release() -> tuple[Graph, Path]:
    """Return the graph that the user has named, and the copy that it was made of."""
    named = release_of(HERE)
    if named is None:
        what = "tasks/releases.toml names no graph as `mobile_bench_v2`: make one of your copy of"
        why = f"{what} Mobile-Bench-v2, whose layout is described in docs/data-sets.md ({HOW})"
        pytest.skip(why, allow_module_level=True)
    if not (named.folder / "graph.json").is_file():
        what = f"{named.folder} is not a graph: make one with `mobileagent graph {named.folder} -o"
        raise TaskError(f"{named.where}: {what} GRAPH`, and name the graph ({HOW})")
    graph = Graph.open(named.folder)
    if graph.files is None or not graph.files.is_dir():
        why = f"{named.where}: there is no copy of the release at {graph.files} ({HOW})"
        pytest.skip(why, allow_module_level=True)
    return graph, graph.files


def rows_by_split(graph: Graph, copy: Path) -> Mapping[str, tuple[list[Row], dict[str, Any]]]:
    """Return the rows of each split, and the further fields of each row, as `tasks` takes them."""
    found: dict[str, tuple[list[Row], dict[str, Any]]] = defaultdict(lambda: ([], {}))
    packages: dict[str, str] = {}
    problems = Problems(skip=True)
    for task in listed(copy, problems):
        first = task.pages[0]
        if first not in packages:
            packages[first] = graph.page(first).package if first in graph else ""
        rows, each = found[task.split]
        rows.append(Row(task.id, _columns(task, packages[first]), task.where, "official"))
        each[task.id] = {"golden": RecordedPath(graph, task.pages), **_user(task)}
    if problems.left_out:
        (kind, count), *_ = problems.left_out.most_common()
        raise GraphError(f"{problems.first[kind]}: {count} {kind}: make the graph again")
    return found


def _columns(task: ListedTask, package: str) -> dict[str, Any]:
    tags = [task.split, *(["sample"] if task.is_sample else [])]
    if task.app:
        tags += [task.app, *filter(None, [CATEGORIES.get(task.app.casefold())])]
    columns: dict[str, Any] = {
        "goal": literal(task.goal),
        "language": "zh",
        "snapshot": task.pages[0],
        "page": task.pages[-1],
        "golden_steps": task.length,
        "tags": tags,
        "app": package,
        "vague": literal(task.vague),
    }
    if task.split in {SIMPLE, COMPLEX}:
        columns["level"] = 1 if task.length <= LONGEST_SIMPLE else 2
        columns["instructions"] = [task.step(number) for number in range(task.length)]
    return columns


def _user(task: ListedTask) -> dict[str, Any]:
    """Return the user of an ambiguous task, who says on each page what to do there."""
    if task.split != AMBIGUOUS or not task.vague:
        return {}
    said = [
        {"page": page, "answer": literal(task.step(number))}
        for number, page in enumerate(task.pages[:-1])
    ]
    return {"user": questions(said)}
