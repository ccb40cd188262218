"""Tests of routes on graphs: where walks lead, what they omit, and the rows made from them."""

import json
from collections import Counter

import pytest

from pytest_mobileagent import rows
from pytest_mobileagent.dataset.graph import Graph, GraphWriter, check_graph
from pytest_mobileagent.instruct.routes import Wanted, chosen, graph_routes
from tests.instruct.conftest import page, replies

LINE = ["AB", "BC", "CD", "DE"]
TWENTY = Wanted(most=20)


def walked(folder, wanted=TWENTY, seed=0, start="", end=""):
    """Return the pages of each chosen route, with the routes between the same ends grouped."""
    with Graph.open(folder) as graph:
        routes = graph_routes(graph, wanted, seed, start, end)
        groups = chosen(routes, wanted, Counter())
    return [[_pages(route) for route in group] for group in groups]


def _pages(route):
    return "".join([*(golden.page for golden in route.golden), route.page])


def test_several_paths_between_the_same_ends_are_taken_together(make_graph):
    folder = make_graph([*LINE, "AF", "FC", "AG", "GC"])
    (group,) = walked(folder)
    assert sorted(group) == ["ABCDE", "AFCDE", "AGCDE"]
    (group,) = walked(folder, Wanted(per_ends=2, most=20))
    assert len(group) == 2


def test_a_walk_takes_no_detour_where_one_step_leads_as_far(make_graph):
    folder = make_graph([*LINE, "EF", "BD"])
    assert walked(folder) == [["ABDEF"]]


def test_a_walk_passes_no_two_equal_pages(make_graph):
    edges = ["AB", "BC", "CD", "DE", "EF", "CX", "XY", "YZ"]
    assert sorted(p for g in walked(make_graph(edges, same=["XB"])) for p in g) == [
        *("ABCDE", "ABCDEF")
    ]


def test_edges_of_equal_pages_lead_on(make_graph):
    # No edge leads from C, but one leads from the page equal to it.
    folder = make_graph(["AB", "BC", "XD", "DE"], same=["XC"])
    with Graph.open(folder) as graph:
        (route,) = graph_routes(graph, Wanted(most=5), 0)
    assert _pages(route) == "ABXDE"
    assert route.page_names[2] == graph_name(folder, "C")


def graph_name(folder, page):
    with Graph.open(folder) as graph:
        return graph.page(page).same


def test_start_and_end_can_be_named(make_graph):
    folder = make_graph([*LINE, "EF", "FG", "EX"], same=["XG"])
    assert walked(folder, start="B", end="F") == [["BCDEF"]]
    assert walked(folder, start="B", end="G") == [["BCDEX"]]


def test_snapshots_are_starts_too(make_graph):
    folder = make_graph([*LINE, "ZY", "YX", "XW", "WV"], snapshots={"other": "Z"})
    assert sorted(p for g in walked(folder) for p in g) == ["ABCDE", "ZYXWV"]


def test_routes_begin_where_tasks_do_too(make_graph):
    folder = make_graph([*LINE, "ZY", "YX", "XW", "WV"])
    assert walked(folder) == [["ABCDE"]]
    lines = [{"id": page, "goal": "Go.", "snapshot": page} for page in ("A", "Z", "none")]
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert sorted(p for g in walked(folder) for p in g) == ["ABCDE", "ZYXWV"]


def test_the_seed_decides_which_routes_are_found(make_graph):
    letters = "BCDEFGH"
    edges = [f"A{one}" for one in letters]
    edges += [f"{one}{one.lower()}" for one in letters]
    edges += [f"{one.lower()}{two}" for one in letters for two in "12"]
    edges += ["13", "24", "35", "46"]
    folder = make_graph(edges)
    few = Wanted(per_ends=50, most=2)
    assert walked(folder, few, seed=1) == walked(folder, few, seed=1)
    assert len({str(walked(folder, few, seed=seed)) for seed in range(5)}) > 1


def test_a_large_graph_is_walked_without_reading_all_of_it(make_graph, monkeypatch):
    edges = [f"{chr(0x4E00 + n)}{chr(0x4E01 + n)}" for n in range(300)]
    folder = make_graph(edges)
    seen = set()
    page = Graph.page

    def noted(self, name):
        seen.add(name)
        return page(self, name)

    monkeypatch.setattr(Graph, "page", noted)
    assert walked(folder)
    assert len(seen) < 20


def test_rows_lead_through_the_graph_and_it_can_be_played(make_graph, command, tmp_path):
    folder = make_graph(LINE)
    words = (folder, "-o", "new.jsonl", "--unreviewed")
    status, _, _ = command.run(*words, lines=replies())
    assert status == 0
    (row,) = rows(tmp_path / "new.jsonl")
    assert (row.snapshot, row.page, row.origin) == ("A", "E", {"graph": "g"})
    assert [golden.get("page") for golden in row.golden] == list("ABCDE")
    # As a task of the graph, the row passes the graph's own checks.
    (folder / "tasks.jsonl").write_text(json.dumps(dict(row.columns)) + "\n")
    with Graph.open(folder) as graph:
        check_graph(graph)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--start=Q"], "has no page 'Q': --start and --end are page ids"),
        (["--start=A", "--end=A"], "a path of one page: --start and --end are equal, 'A'"),
        (["--steps=9-11"], "no walk on g fits: "),
        (["--start=E"], "no walk on g fits: all end at once"),
        (["--kinds=3"], "fewer than 3 kinds of actions"),
    ],
)
def test_walks_that_lead_nowhere_are_reported(make_graph, command, arguments, problem):
    make_graph(LINE)
    status, out, err = command.run("g", "-o", "new.jsonl", *arguments, lines=replies())
    assert (status, out) == (4, "")
    assert err.startswith("ERROR: ")
    assert problem in err
    assert err.count("\n") == 1


def test_a_page_without_a_picture_is_reported_in_words(make_graph, command, tmp_path):
    folder = tmp_path / "blind"
    with Graph.open(make_graph(LINE)) as graph, GraphWriter(folder) as writer:
        for each in "ABCDE":
            screen = page(f"Page {each}")
            writer.page(each, png=None, xml=screen.xml, size=screen.size)
        for edge in graph.all_edges():
            writer.edge(edge.source, edge.golden, edge.target)
        writer.head(name="blind", start="A")
    status, out, _ = command.run(folder, "-o", "new.jsonl", lines=replies())
    assert status == 0
    assert "wrote new.jsonl.draft: 1 simple" in out
