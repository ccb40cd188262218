"""Tests of `mobileagent graph`: runs become a graph, completely or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Finish, Tap
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.dataset.graph_command import main
from pytest_mobileagent.errors import RecordError

from .conftest import HOME, LIST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.dataset.export import Source


@pytest.fixture
def graph(tmp_path: Path, record: Callable[..., Source]) -> Callable[..., int]:
    """Return a function that runs the command on recorded episodes as if they were a run."""
    sources = [record("clock/alarm"), record("clock/other", False)]

    def graph(*words: str, of: list[Source] = sources) -> int:
        given = [str(tmp_path / "run"), "-o", str(tmp_path / "g"), *words]
        return main(given, lambda _: of, lambda path: path.name == "run", lambda _: None)

    return graph


def test_the_command_says_what_it_wrote(graph, tmp_path, capsys):
    assert graph("--name=Clock", "--licence=CC0", "--small") == 0
    out = capsys.readouterr().out
    assert f"wrote {tmp_path / 'g'}: 2 pages, 4 edges, 1 tasks" in out
    assert "merged 2 episodes with 12 screens" in out
    assert "contradictions: 0" in out
    with Graph.open(tmp_path / "g") as made:
        assert (made.name, made.licence, made.language) == ("Clock", "CC0", "en")
        screen = made.screen(made.start)
        assert len(screen.png) <= len(HOME.png)
        assert screen.image == HOME.image
        check_graph(made)


def test_contradictions_are_listed(graph, record, capsys):
    ways = [("one", LIST), ("two", LIST), ("three", HOME)]
    sources = [record(f"clock/{n}", way=[(HOME, Tap(9, 9)), (s, Finish())]) for n, s in ways]
    assert graph(of=sources) == 0
    out = capsys.readouterr().out
    assert "contradictions: 1\n" in out
    assert "Tap(x=9, y=9): 2 × page-" in out
    assert "which was kept; 1 × page-" in out


def test_redacted_content_and_damaged_episodes_are_not_in_a_graph(graph, record, tmp_path, capsys):
    rules = tmp_path / "hidden.toml"
    rules.write_text("text = ['Clock']\n")
    gone = replace(record("clock/third"), folder=tmp_path / "nowhere")
    assert graph(f"--redact={rules}", of=[gone, record("clock/fourth")]) == 0
    assert "left out 1 episodes that cannot be read" in capsys.readouterr().out
    assert not any(b"Clock" in path.read_bytes() for path in (tmp_path / "g").rglob("*.xml"))


def test_a_graph_that_cannot_be_made_is_reported_in_one_line(graph, tmp_path, capsys):
    def broken(_: Path) -> list[Source]:
        raise RecordError("report.json is damaged")

    given = [str(tmp_path), "-o", str(tmp_path / "g")]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    for make, said in (
        (lambda: graph(of=[]), "there is no episode to merge in"),
        (lambda: graph("--redact=nowhere.toml"), "nowhere.toml"),
        (lambda: main(given, broken, lambda _: True, lambda _: None), "report.json is damaged"),
        (lambda: graph(f"--output={tmp_path / 'full'}"), "something already exists"),
    ):
        assert make() == 4
        err = capsys.readouterr().err
        assert err.startswith("ERROR: ")
        assert said in err
        assert err.count("\n") == 1
        assert not (tmp_path / "g").exists()
    assert [path.read_text() for path in (tmp_path / "full").iterdir()] == ["mine"]


SHOP = """
{"set": "Shop walks", "licence": "CC BY 4.0"}
{"page": "home", "size": [360, 800]}
{"page": "cart", "size": [360, 800]}
{"task": "cart", "goal": "Open the cart.", "start": "home", "page": "cart", "golden":
 [{"page": "home", "action": {"action": "Tap", "x": 9, "y": 9}, "size": [360, 800]}]}
""".replace('golden":\n ', 'golden": ')
NONE: list[Source] = []


def released(*words: Path | str) -> int:
    """Run the command; only a path named "run" is treated as a run."""
    given = [str(word) for word in words]
    return main(given, lambda _: NONE, lambda path: path.name == "run", lambda _: None)


def test_a_data_set_becomes_a_graph(tmp_path, capsys):
    (tmp_path / "shop.jsonl").write_text(SHOP.lstrip())
    assert released(tmp_path / "shop.jsonl", "-o", tmp_path / "g") == 0
    out = capsys.readouterr().out
    assert f"wrote {tmp_path / 'g'}: 2 pages, 1 tasks of " in out
    assert "licence: " in out
    with Graph.open(tmp_path / "g") as made:
        check_graph(made)
        assert made.page("cart").size == (360, 800)


def test_a_path_that_is_neither_a_run_nor_a_data_set_is_reported(tmp_path, capsys):
    assert released(tmp_path / "nowhere", "-o", tmp_path / "g") == 4
    assert f"ERROR: {tmp_path / 'nowhere'} does not exist" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert released(tmp_path / "empty", "-o", tmp_path / "g") == 4
    assert "has no known format" in capsys.readouterr().err
    assert not (tmp_path / "g").exists()


@pytest.mark.parametrize(
    ("flawed", "said"),
    [
        (SHOP.replace('{"page": "cart"', '{"page" "cart"', 1), "shop.jsonl:3: it is not JSON: "),
        (SHOP.replace('{"page": "home", "size', '{"page": "shop", "size'), "no page 'home'"),
    ],
)
def test_a_broken_data_set_is_reported_in_one_line_with_file_and_line(
    tmp_path, capsys, flawed, said
):
    (tmp_path / "shop.jsonl").write_text(flawed.lstrip())
    assert released(tmp_path / "shop.jsonl", "-o", tmp_path / "g") == 4
    err = capsys.readouterr().err
    assert err.startswith(f"ERROR: {tmp_path / 'shop.jsonl'}:")
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "g").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "shop", "-o", "g"), "shop is not a run: name only runs, or one data set"),
        (("run", "-o", "g", "--format=jsonl"), "--format is for data sets, but run is a run"),
    ],
)
def test_runs_and_data_sets_are_not_mixed(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        released(*words)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


KILLED = """
import os, sys
from pathlib import Path
from pytest_mobileagent.dataset.export import Source
from pytest_mobileagent.dataset.graph import Graph, check_graph
from pytest_mobileagent.dataset.graph_command import main

run, out = Path(sys.argv[1]), Path(sys.argv[2])
sources = [Source(each, True, {}) for each in sorted((run / "episodes").iterdir())]
watched = ("open", "os.", "shutil.", "sqlite3.", "fcntl.")

def merge(ends_at):
    '''Merge in a child that is killed before what it asks of the system the nth time.'''
    child = os.fork()
    if child == 0:
        sys.stdout = open(os.devnull, "w")
        left = ends_at

        def count(event, arguments):
            nonlocal left
            if event.startswith(watched):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), 9)

        sys.addaudithook(count)
        words = [str(run), "-o", str(out)]
        os._exit(main(words, lambda _: sources, lambda _: True, lambda _: None))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

outcomes, at = [], 0
while True:
    at += 1
    status = merge(at)
    if out.exists():
        with Graph.open(out) as graph:
            check_graph(graph)
    outcomes.append(out.exists())
    if status == 0:
        break
    assert status == -9, status
print(len(outcomes), outcomes.index(True), [p.name for p in out.parent.iterdir()])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_killed_at_any_moment_it_leaves_a_whole_graph_or_none(record, tmp_path):
    record("clock/alarm")
    out = tmp_path / "out" / "g"
    command = [sys.executable, "-c", KILLED, str(tmp_path / "run"), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    moments, first, left = done.stdout.split(maxsplit=2)
    assert int(moments) > 50
    assert 0 < int(first) < int(moments)
    assert left.strip() == "['g']"
