"""Tests of the command that places ads over trajectories: inputs, errors and results."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Finish, Scroll, Tap
from pytest_mobileagent.dataset.export import main as export
from pytest_mobileagent.dataset.graph import Graph, check_graph
from tests.dataset.formats import copies
from tests.dataset.formats.copies import write_records
from tests.dataset.striped import ICON, PATH, golden, striped

if TYPE_CHECKING:
    from pathlib import Path


def aitz(folder: Path) -> Path:
    """Write a trajectory in AITZ's layout, with screens that have room for an ad."""
    return copies.aitz(folder, (540, 1200), 90, "560, 100, 80, 100")


def test_aitzs_layout_is_contaminated_and_its_pictures_stay_where_they_are(contaminate, tmp_path):
    status, told, (row,) = contaminate(aitz(tmp_path / "aitz"))
    assert status == 0
    assert [type(each.action) for each in golden(row)] == [Tap, Tap, Scroll, Finish]
    assert row.instructions == ["Close what covers the page.", "step 0", "step 1", "step 2"]
    assert row.tags == ["general", "test", "noisy"]
    assert [line.split()[:4] for line in told.splitlines() if line.startswith("general")] == [
        ["general", "1", "3", "1"]
    ]
    with Graph.open(tmp_path / "noisy") as graph:
        check_graph(graph)
        pages = [graph.page(each.page) for each in golden(row)]
        assert not graph.file(pages[0].png).is_relative_to(tmp_path / "aitz")
        for page in pages[1:]:
            assert graph.file(page.png).resolve().is_relative_to(tmp_path / "aitz")


def test_aitws_records_are_contaminated(contaminate, tmp_path):
    width, height = 360, 800
    steps: list[dict[str, list[Any]]] = [
        {
            "episode_id": ["11"],
            "episode_length": [2],
            "step_id": [number],
            "goal_info": ["Turn on the lamp."],
            "image/encoded": [bytes([90, 90, 90]) * width * height],
            "image/width": [width],
            "image/height": [height],
            "image/channels": [3],
            "image/ui_annotations_positions": [0.45, 0.2, 0.1, 0.2],
            "results/action_type": [kind],
            "results/yx_touch": [0.5, 0.25],
            "results/yx_lift": [0.5, 0.25],
            "results/type_action": [""],
        }
        for number, kind in enumerate((4, 10))
    ]
    write_records(tmp_path / "aitw" / "install" / "part", steps)
    status, _, (row,) = contaminate(tmp_path / "aitw" / "install", "--noise=0,ad")
    assert status == 0
    assert [type(each.action) for each in golden(row)] == [Tap, Tap, Finish]
    assert row.noise[0]["kind"].endswith("-ad")


def test_our_own_json_lines_are_contaminated(contaminate, tmp_path):
    png, xml = striped()
    data = tmp_path / "own"
    data.mkdir()
    (data / "p.png").write_bytes(png)
    (data / "p.xml").write_text(xml)
    tap = {"action": "Tap", "x": ICON.center[0], "y": ICON.center[1]}
    lines: list[Any] = [{"set": "Own", "language": "en"}]
    lines += [{"page": name, "png": "p.png", "xml": "p.xml"} for name in "ab"]
    step = {"page": "a", "action": tap, "boxes": [list(ICON)]}
    lines.append({"task": "one", "goal": "Go {on}.", "page": "b", "golden": [step]})
    (data / "own.jsonl").write_text("\n".join(map(json.dumps, lines)))
    status, _, (row,) = contaminate(data)
    assert status == 0
    assert len(golden(row)) == 2
    assert row.goal == "Go {{on}}."
    with Graph.open(tmp_path / "noisy") as graph:
        check_graph(graph)


def test_a_contaminated_graph_can_be_exported_for_training(
    striped_graph, contaminate, tmp_path, capsys
):
    told = ["Tap the icon.", "Type.", "Tap the row.", "Go back.", "Done."]
    (row,) = contaminate(striped_graph(PATH, PATH[3:], instructions=told), "--noise=0,ad")[2]
    with (tmp_path / "noisy" / "tasks.jsonl").open("a") as file:
        file.write('{"id": "bare", "goal": "Look."}\n')
    words = [str(tmp_path / "noisy"), "--format=llamafactory", "-o", str(tmp_path / "train")]
    assert export(words, lambda _: (), lambda _: None) == 0
    out = capsys.readouterr().out
    assert "1 trajectories, 6 steps" in out
    assert "left out 1: a task has no golden path in pixels" in out
    samples = json.loads((tmp_path / "train" / "train.json").read_text())
    assert "Goal: Buy a {mocha}." in samples[0]["messages"][0]["content"]
    closing = samples[row.noise[0]["step"] - 1]["messages"][-1]["content"]
    assert '"click"' in closing
    about = json.loads((tmp_path / "train" / "dataset.json").read_text())
    assert about["trajectories"][0]["origin"]["licence"] == "CC0"


def test_invalid_options_are_reported(striped_graph, contaminate, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "x.toml").write_text('[[noise]]\nname = "x"\nkind = "popup"\ntitle = "X"\n')
    graph = striped_graph()
    for option, expected, problem in (
        ("--noise=2", 2, "must begin with a rate from 0 to 1"),
        ("--noise=0,adds", 2, "names 'adds', which is not a kind of noise"),
        ("--noise=0.2,toast,unexecuted", 2, "has no kind that hides the page"),
        ("--whiten=1.2", 2, "1.2 is not a number from 0 to 1"),
        ("--noise-paths=own", 4, "there is no way to close it"),
        ("--output=clean", 4, "clean: a graph already exists"),
    ):
        status, told, _ = contaminate(graph, option)
        assert status == expected
        assert problem in " ".join(told.split())


def test_a_broken_graph_or_a_path_without_one_is_reported_in_one_line(
    striped_graph, contaminate, tmp_path
):
    (tmp_path / "empty").mkdir()
    clean = striped_graph(PATH)
    with closing(sqlite3.connect(clean / "graph.sqlite")) as index, index:
        index.execute("UPDATE edges SET target = 'gone' WHERE rowid = 2")
    place = f"{clean / 'graph.sqlite'}, edges, row 2: "
    for path, begin, why in (
        (tmp_path / "empty", "", "has no known format"),
        (clean, place, "there is no page 'gone'"),
    ):
        status, told, _ = contaminate(path)
        assert (status, told.count("\n")) == (4, 1)
        assert told.startswith(f"ERROR: {begin}")
        assert why in told
        assert not (tmp_path / "noisy").exists()
