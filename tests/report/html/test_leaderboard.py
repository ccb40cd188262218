"""Tests of the leaderboard: places, rows, caveats, and what must not appear on it."""

from __future__ import annotations

import base64
import json
import random
import re
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.export import main
from pytest_mobileagent.report.html.leaderboard import LEVEL, rank
from pytest_mobileagent.report.html.page import unpack
from pytest_mobileagent.report.recorded_run import RecordedRun, document
from tests.report.conftest import make

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry

BLOCK = re.compile(r'<script type="application/octet-stream;base64" id="([^"]+)">([^<]*)</script>')
ALIKE = dict.fromkeys(
    ("tasks", "checks", "apps", "device", "environments", "seeds", "limits", "plugin"), "same"
)
SPENT = {"cost_usd": 0.02, "input_tokens": 900, "output_tokens": 40, "calls": 3}


def tasks(passed: int, of: int = 9, **fields: Any) -> list[Entry]:
    """Return a suite's entries, of which the given number passed."""
    common = {"suite": "clock", "steps": 4, "unpriced_calls": 0, **SPENT, **fields}
    return [make(number < passed, id=f"clock/t{number}", **common) for number in range(of)]


@pytest.fixture
def write_run(tmp_path):
    """Return a function that writes a run and returns its folder."""

    def write(agent: str, entries: list[Entry], folder: str = "", **about: Any) -> Path:
        path = tmp_path / "runs" / (folder or agent)
        path.mkdir(parents=True)
        head = {
            "id": f"run-{folder or agent}", "agent": agent, "fingerprints": ALIKE,
            "started": "2026-11-22T09:30:00+00:00", "models": {"default": "openai:gpt-4o"},
            "versions": {"pytest-mobileagent": "1.0"}, **about,
        }  # fmt: skip
        numbered: Any = {f"{place:03}": each for place, each in enumerate(entries)}
        (path / "report.json").write_text(to_text(document(head, numbered)))
        return path

    return write


@pytest.fixture
def board(tmp_path, capsys):
    """Return a function that writes the leaderboard and returns its blocks."""

    def written(*runs: Path) -> dict[str, Any]:
        page = tmp_path / "board.html"
        assert main([*map(str, runs), "--format=html", "-o", str(page)]) == 0
        assert capsys.readouterr().out == f"{page}\n"
        found = BLOCK.findall(page.read_text("utf-8"))
        return {name: unpack(base64.b64decode(text)) for name, text in found}

    return written


def test_each_run_is_a_row_with_numbers_and_ranks(write_run, board):
    blocks = board(write_run("m3a", tasks(9)), write_run("t3a", tasks(1)))
    first, second = blocks["index"]["runs"]
    assert (first["name"], first["places"], first["models"]) == ("m3a", [1, 1], ["openai:gpt-4o"])
    assert (second["places"], second["successes"], second["decided"]) == ([2, 2], 1, 9)
    assert second["success_rate"] == pytest.approx(1 / 9)
    assert (second["mean_tokens"], second["mean_cost_usd"]) == (940, pytest.approx(0.02))
    assert (second["plugin"], second["different"], second["epochs"]) == ("1.0", 9, 1)
    assert second["suites"]["clock"]["successes"] == 1
    assert blocks["index"]["suites"] == ["clock"]


def test_unclear_answers_never_raise_a_score(write_run, board):
    vague: list[Entry] = [
        replace(each, success=None, outcome="review", unclear=True) for each in tasks(4, of=4)
    ]
    blocks = board(write_run("vague", [*vague, *tasks(9)[4:]]), write_run("m3a", tasks(9)))
    row = blocks["index"]["runs"][0]
    assert (row["success_rate"], row["decided"]) == (pytest.approx(5 / 9), 9)
    assert "4 unclear answers counted as failed" in row["notes"]


def test_epochs_of_a_task_are_grouped(write_run, board):
    repeated = [
        make(passed, id="clock/t0", epoch=epoch, steps=2 + epoch, golden_steps=2)
        for epoch, passed in enumerate((True, False, None))
    ]
    blocks = board(write_run("m3a", repeated), write_run("t3a", tasks(1)))
    (task,) = blocks["t:0"]
    assert task["outcomes"] == ["passed", "failed", "error"]
    assert (task["passed"], task["decided"], task["steps"]) == (1, 2, 2.5)
    assert len(blocks["t:1"]) == 9


def test_notices_are_above_the_table(write_run, board):
    judged: Any = {"verdict": {"passed": True, "scorer": "judge", "reason": "", "evidence": {}}}
    runs = [
        write_run("m3a", tasks(9), virtual=True),
        write_run("t3a", tasks(5), versions={"pytest-mobileagent": "1.1"}),
        write_run("late", tasks(5), fingerprints=ALIKE | {"seeds": "7"}),
        write_run("judged", tasks(9, **judged), judges=["openai:gpt-4o"]),
    ]
    warnings = "\n".join(board(*runs)["index"]["warnings"])
    assert "Virtual phones test the harness" in warnings
    assert "(m3a)" in warnings
    assert "late has no place: other seeds." in warnings
    assert "judged has no place: other judges." in warnings
    assert "Different versions of pytest-mobileagent: 1.0, 1.1." in warnings
    assert "tried each task once" in warnings


def test_incomparable_runs_and_those_of_few_tasks_have_no_ranks(write_run, board):
    one = write_run("m3a", tasks(9))
    index = board(one, write_run("t3a", tasks(3, of=10)))["index"]
    assert [row["places"] for row in index["runs"]] == [None, None]
    assert "No run has a place" in index["warnings"][0]
    assert "t3a has no place: other tasks: 0 missing, 1 more." in index["warnings"]
    few = [write_run(name, tasks(passed, of=5)) for name, passed in (("good", 5), ("bad", 0))]
    index = board(*few)["index"]
    assert [row["places"] for row in index["runs"]] == [[1, 2], [1, 2]]
    assert "Fewer than 8 tasks do not distinguish any two agents." in index["warnings"]


def test_row_has_remarks_on_its_numbers(write_run, board):
    own = {"own_models": ["openai:gpt-4o"]}
    judged: Any = {"passed": True, "scorer": "judge", "reason": "", "evidence": own}
    entries = tasks(20, of=20)
    entries[0] = replace(entries[0], success=None, outcome="error", fault="infrastructure")
    entries[1] = replace(entries[1], infrastructure=["adb"], verdict=judged)
    entries[2] = replace(entries[2], judged={"passed": False, "reason": "secret words of a screen"})
    reset: Any = {"kind": "cleared", "snapshot": None, "cleared": [], "reason": "R5CT has none"}
    entries[3] = replace(entries[3], reset=reset, metered=False)
    row, _ = board(write_run("m3a", entries), write_run("t3a", tasks(20, of=20)))["index"]["runs"]
    notes = "\n".join(row["notes"])
    assert "no verdict on 1 of 20 episodes: 1 by errors; the success rate leaves them out" in notes
    assert "1 attempt lost to infrastructure" in notes
    assert "openai:gpt-4o judged 1 task in which it was the agent's own model" in notes
    assert "check and judges differ in 1 episode" in notes
    assert "1 episode began without a snapshot" in notes
    assert "unmetered: 1 task" in notes
    assert "secret" not in notes
    assert "R5CT" not in notes


def test_nothing_that_reveals_where_it_was_run_is_published(write_run, board):
    models = {"default": "openai:qwen@http://gpu1.lab:8000/v1", "judge": "scripted:/home/x.jsonl"}
    hidden = {
        "models": models, "judges": ["openai:j@http://gpu2.lab/v1"],
        "device": "serial:farm.lab:5037/R5CT10", "command": ["pytest", "/home/me/tasks"],
    }  # fmt: skip
    entries = tasks(1, reason="a password on a screen", answer="secret", cause="a secret")
    blocks = board(write_run("m3a", entries, **hidden), write_run("t3a", tasks(2)))
    row = blocks["index"]["runs"][0]
    assert row["models"] == ["openai:qwen", "scripted:x.jsonl"]
    assert (row["judges"], row["device"]) == (["openai:j"], "serial")
    text = json.dumps(blocks)
    for word in ("lab", "/home", "R5CT", "password", "secret"):
        assert word not in text, word


def test_runs_of_one_agent_are_distinguished_by_models_or_ids(write_run, board):
    def names(*models: str) -> list[str]:
        runs = [
            write_run("m3a", tasks(1), f"{len(models)}-{place}", models={"default": model})
            for place, model in enumerate(models)
        ]
        return [row["name"] for row in board(*runs)["index"]["runs"]]

    assert names("openai:a", "openai:b") == ["m3a (openai:a)", "m3a (openai:b)"]
    again = names("openai:a", "openai:b", "openai:a")
    assert again[1:] == ["m3a (openai:b, run-3-1)", "m3a (openai:a, run-3-2)"]


def test_leaderboard_is_written_to_the_current_folder_without_overwriting_records(
    write_run, tmp_path, monkeypatch, capsys
):
    runs = [str(write_run("m3a", tasks(1))), str(write_run("t3a", tasks(2)))]
    monkeypatch.chdir(tmp_path)
    assert main([*runs, "--format=html"]) == 0
    assert capsys.readouterr().out == "leaderboard.html\n"
    assert (tmp_path / "leaderboard.html").is_file()
    for name in ("report.json", "report.html"):
        assert main([*runs, "--format=html", "-o", f"{runs[0]}/{name}"]) == 1
        assert "a run's own file" in capsys.readouterr().err
    assert main([*runs, "--format=html", "-o", str(tmp_path / "no" / "x.html")]) == 1
    assert "cannot write " in capsys.readouterr().err


def test_duplicate_and_damaged_runs_are_named(write_run, capsys):
    broken = write_run("broken", tasks(1))
    assert main([str(broken), str(broken.parent), "--format=html"]) == 1
    assert f"error: {broken} is named twice: name each run once" in capsys.readouterr().err
    whole = json.loads((broken / "report.json").read_text())
    whole["tasks"][0]["steps"] = "many"
    (broken / "report.json").write_text(json.dumps(whole))
    assert main([str(write_run("m3a", tasks(1))), str(broken), "--format=html"]) == 1
    assert "broken" in capsys.readouterr().err


@pytest.fixture
def run(tmp_path):
    """Return a function that makes a run, given the number of passed epochs of each task."""
    numbers = count()

    def made(
        passed: Sequence[int], *, epochs: int = 5, goal: str = "Do it.", skip: int = 0, **more: Any
    ) -> RecordedRun:
        tasks = [
            make(epoch < passes, id=f"t{number}", epoch=epoch)
            for number, passes in enumerate(passed)
            for epoch in range(epochs)
        ]
        about = {"id": "run", "fingerprints": ALIKE | more.pop("fingerprints", {}), **more}
        folder = tmp_path / f"run-{next(numbers)}"
        folder.mkdir()
        cases = [
            Case(Task(goal), f"t{number}", epoch=epoch).to_json()
            for number in range(len(passed))
            for epoch in range(epochs)
        ]
        (folder / "run.json").write_text(json.dumps({"run": about, "tasks": cases}))
        return RecordedRun(folder, about, tasks[skip:], has_ended=True)

    return made


def test_vague_answers_are_ranked_as_failed(run):
    vague, good = run([0] * 20), run([5] * 20)
    vague = replace(vague, tasks=[replace(t, success=None, unclear=True) for t in vague.tasks])
    assert [each.places for each in rank([vague, good])] == [(2, 2), (1, 1)]


def test_clearly_different_runs_have_one_rank_each(run):
    best, worst, middle = run([5] * 20), run([0] * 20), run([3, 2] * 10)
    placements = rank([best, worst, middle])
    assert [each.places for each in placements] == [(1, 1), (3, 3), (2, 2)]
    assert [each.peers for each in placements] == [(), (), ()]


def test_indistinguishable_runs_share_their_places(run):
    one, other = run([5, 4, 5, 3] * 5), run([4, 5, 4, 4] * 5)
    placements = rank([one, run([0] * 20), other])
    assert [each.places for each in placements] == [(1, 2), (3, 3), (1, 2)]
    assert [each.peers for each in placements] == [(2,), (), (0,)]


def test_few_tasks_distinguish_no_runs(run):
    placements = rank([run([5] * 7), run([0] * 7)])
    assert [each.places for each in placements] == [(1, 2), (1, 2)]
    assert [each.places for each in rank([run([5] * 8), run([0] * 8)])] == [(1, 1), (2, 2)]


@pytest.mark.parametrize(
    ("fingerprints", "word"),
    [
        ({"seeds": "x"}, "other seeds"),
        ({"apps": "x"}, "other apps, or other versions of them"),
        ({"checks": "x"}, "other checks"),
    ],
)
def test_run_under_other_conditions_is_not_ranked(run, fingerprints, word):
    placements = rank([run([0] * 9, fingerprints=fingerprints), run([5] * 9), run([1] * 9)])
    assert [each.obstacles for each in placements] == [(word,), (), ()]
    assert [each.places for each in placements] == [None, (1, 1), (2, 2)]


def test_agent_models_and_plugin_version_may_differ(run):
    other = {"agent": "x", "models": "x", "prompts": "x", "plugin": "x", "tasks": "more epochs"}
    placements = rank([run([5] * 9), run([5] * 9, fingerprints=other, epochs=7)])
    assert [each.obstacles for each in placements] == [(), ()]


def test_reworded_tasks_are_different_tasks(run):
    placements = rank([run([5] * 9), run([5] * 9), run([5] * 9, goal="Do it well.")])
    told = "tasks in other words, with other parameters or golden steps"
    assert placements[2].obstacles == (told,)
    runs = [run([5] * 9), run([5] * 9), run([5] * 9, fingerprints={"tasks": "x"})]
    for each in runs:
        (each.folder / "run.json").unlink()
    assert [each.obstacles for each in rank(runs)] == [(), (), (told,)]


def test_run_of_other_tasks_is_not_ranked(run):
    fewer = run([5] * 8, fingerprints={"checks": "of fewer tasks"})
    placements = rank([run([5] * 9), fewer, run([5] * 9)])
    assert placements[1].obstacles == ("other tasks: 1 missing, 0 more",)


def test_run_with_many_missing_verdicts_is_not_ranked(run):
    broken = run([5] * 10)
    few = [replace(each, success=None) for each in broken.tasks[:5]]
    for lacking, obstacle in ((few, ()), (few + few[:1], ("no verdict on 6 of 51 episodes",))):
        tasks: Any = [*lacking, *broken.tasks[5:]]
        found = rank([RecordedRun(broken.folder, broken.about, tasks, True), run([5] * 10)])
        assert found[0].obstacles == obstacle


def test_different_judges_matter_only_if_judges_decide(run):
    def judged(scorer: str, judge: str) -> RecordedRun:
        made = run([5] * 9, judges=[judge])
        verdict: Any = {"passed": True, "scorer": scorer, "reason": "", "evidence": {}}
        tasks: Any = [replace(each, verdict=verdict) for each in made.tasks]
        return RecordedRun(made.folder, made.about, tasks, True)

    checked = rank([judged("check", "openai:a"), judged("check", "openai:b")])
    assert [each.obstacles for each in checked] == [(), ()]
    found = rank([judged("judges", "openai:a"), judged("judges", "openai:b")])
    assert found[1].obstacles == ("other judges",)
    assert [each.places for each in found] == [None, None]


def test_run_without_metadata_is_not_ranked(run):
    old = run([5] * 9)
    unknown = RecordedRun(old.folder, {"id": "old"}, old.tasks, True)
    found = rank([unknown, run([5] * 9), run([0] * 9)])
    assert "does not say with which tasks" in found[0].obstacles[0]
    assert [each.places for each in found] == [None, (1, 1), (2, 2)]
    assert [each.places for each in rank([unknown, unknown])] == [None, None]


@pytest.mark.slow  # It ranks 300 runs.
def test_equal_agents_are_distinguished_no_more_often_than_the_level(run):
    draw = random.Random(1)
    chances = [draw.random() for _ in range(30)]
    wrong, trials = 0, 60
    for _ in range(trials):
        runs = [run([sum(draw.random() < p for _ in range(3)) for p in chances], epochs=3)
                for _ in range(5)]  # fmt: skip
        wrong += any(each.places != (1, 5) for each in rank(runs))
    # At most 3 are expected; 7 or more have a probability of 3 %.
    assert wrong <= trials * 2 * LEVEL
