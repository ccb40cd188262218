"""Tests of doctor's list of what recorded pages lack for golden paths."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Bounds, Finish, Open, Task
from pytest_mobileagent.__main__ import main
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset.graph import Graph, GraphWriter
from pytest_mobileagent.device.doctor.checks import examine
from pytest_mobileagent.device.doctor.tasks import Selected, contents, list_tasks
from pytest_mobileagent.device.drivers.graph import GraphDevice
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from pathlib import Path

SIZE = (100, 200)
BOX = (Bounds(0, 0, 50, 50),)


def on(page: str, action: Any, boxes: tuple[Bounds, ...] = (), size: Any = SIZE) -> Golden:
    return Golden(action, size, boxes, page)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a graph of four pages."""
    with GraphWriter(tmp_path / "shop") as writer:
        for number, name in enumerate(("home", "cart", "paid")):
            screen = make_screen(name, size=SIZE, shade=number)
            writer.page(name, png=screen.png, xml=screen.xml)
        writer.page("mail", png=None, xml=None, size=SIZE)
        writer.edge("home", on("home", Tap(25, 25), BOX), "cart")
        writer.edge("home", on("home", Tap(60, 60), BOX), "paid")
        writer.edge("home", on("home", Open("org.mail")), "mail")
        writer.edge("cart", on("cart", Tap(9, 9), BOX), "paid")
        writer.head(snapshots={"start": "home"})
    return tmp_path / "shop"


def listed(folder: Path, **golden: list[Any]) -> tuple[int, list[str]]:
    tasks = {
        f"tasks/shop/{name}": Task(f"Do {name.rstrip('12')}.", golden=each, snapshot="start")
        for name, each in golden.items()
    }
    with closing(GraphDevice(Graph.open(folder))) as device:
        return list_tasks(Selected(tasks), device)


UNSEEN = [
    "what the agent cannot see (2):",
    "  [ ] 1 of 4 pages without a screenshot",
    "  [ ] 1 of 4 pages without a hierarchy",
]


def test_sound_golden_paths_are_not_listed(folder):
    pay = [on("home", Tap(25, 25), BOX), on("cart", Tap(9, 9), BOX), on("paid", Finish())]
    mail = [on("home", Open("org.mail")), on("mail", Open("org.unknown"))]
    own: list[Any] = [lambda screen: screen.get(text="home"), Tap(999, 999)]
    assert listed(folder, pay=pay, mail=mail, own=own) == (0, ["3 tasks: 3 can run here", *UNSEEN])


def test_golden_paths_that_leave_the_graph_keep_their_tasks_from_running(folder):
    far = [on("home", Tap(25, 25)), *[on(name, Tap(1, 1)) for name in ("far", "off")]]
    back = [on("paid", Tap(1, 1)), on("home", Tap(1, 1))]
    stuck, lines = listed(folder, far=far, back=back, fine=[on("home", Tap(1, 1))])
    assert stuck == 2
    nowhere = "step 2 of its golden path is on page 'far', which the graph does not have"
    assert lines[:4] == [
        "3 tasks: 1 can run here",
        "golden paths that leave the graph (2):",
        f"  [ ] far: {nowhere}, and 1 more",
        "  [ ] back: step 1 of its golden path leads from page 'paid' to 'home', but no edge does",
    ]


def test_golden_actions_that_contradict_their_pages_are_listed(folder):
    out = [on("home", Tap(60, 60), (Bounds(0, 0, 9, 9), *BOX)), on("paid", Finish())]
    off = [on("home", Tap(100, 9), (Bounds(90, 0, 110, 50),))]
    new = [on("home", Tap(9, 9), size=(9, 9))]
    other = [on("home", Tap(26, 26), BOX), on("paid", Finish())]
    nowhere = [on("home", Tap(90, 190), BOX), on("cart", Finish())]
    stuck, lines = listed(folder, out=out, off=off, new=new, other=other, nowhere=nowhere)
    assert stuck == 0
    assert lines == [
        "5 tasks: 5 can run here",
        "golden actions outside their boxes or their pages (4):",
        "  [ ] out, step 1, Tap(x=60, y=60): it is not in (0, 0, 9, 9), nor in the other 1",
        "  [ ] off, step 1, Tap(x=100, y=9): its page has 100x200 pixels",
        "  [ ] new, step 1, Tap(x=9, y=9): it is on a screen of 9x9, its page has 100x200",
        "  [ ] nowhere, step 1, Tap(x=90, y=190): it is not in (0, 0, 50, 50)",
        "golden actions that lead elsewhere on many paths (2):",
        "  [ ] other, step 1, Tap(x=26, y=26): leads to 'cart', not to 'paid'",
        "  [ ] nowhere, step 1, Tap(x=90, y=190): leads nowhere, not to 'cart'",
        *UNSEEN,
    ]


def test_goals_with_several_golden_paths_are_listed(folder):
    one, two = [on("home", Tap(25, 25), BOX)], [on("home", Open("org.mail"))]
    _, lines = listed(folder, shop1=one, shop2=two, twin1=one, twin2=one)
    assert lines[1:] == [
        "goals with several golden paths (1):",
        "  [ ] 'Do shop.': shop1, shop2, from the same page",
        *UNSEEN,
    ]


def test_contents_of_all_pages_are_examined(folder, tmp_path):
    with closing(GraphDevice(Graph.open(folder))) as device:
        finding = examine("contents", contents, device)
    assert (finding.level, finding.seen) == (
        "warning",
        "1 of 4 pages without a screenshot; 1 of 4 pages without a hierarchy",
    )
    screen = make_screen("home", size=SIZE)
    with GraphWriter(tmp_path / "whole") as writer:
        writer.page("home", png=screen.png, xml=screen.xml)
    with closing(GraphDevice(Graph.open(tmp_path / "whole"))) as device:
        assert examine("contents", contents, device).level == "ok"


def test_long_lists_are_cut(folder):
    many = {f"task{n}x": [on("home", Tap(60, 60), BOX)] for n in range(13)}
    _, lines = listed(folder, **many)
    assert lines[1] == "golden actions outside their boxes or their pages (13):"
    assert lines[12] == "  and 3 more"


def test_no_task_can_run_on_a_graph_with_flaws_and_all_of_them_are_listed(
    folder, tmp_path, monkeypatch, capsys
):
    with Graph.open(folder) as graph:
        picture = graph.file(graph.page("cart").png)
    picture.unlink()
    row = {"id": "pay", "goal": "Pay.", "golden": [], "page": "cellar"}
    (folder / "tasks.jsonl").write_text(json.dumps(row), "utf-8")
    (tmp_path / "test_flawed_shop.py").write_text(
        "from pytest_mobileagent import rows, tasks\n\n\n"
        "@tasks(rows('shop/tasks.jsonl'))\ndef test_shop(episode, row):\n    pass\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "--device=graph:shop", "--tasks", "test_flawed_shop.py"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["1 task: 0 can run here", "flaws for which the graph is refused (2):"]
    assert "page 'cart'" in lines[2]
    assert picture.name in lines[2]
    assert lines[3].endswith("line 1: it is done on page 'cellar', which the graph does not have")
