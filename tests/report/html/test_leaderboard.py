"""Tests of the leaderboard: its rows, its caveats, and what must not appear on it."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.export.report_command import main
from pytest_mobileagent.report.html.page import unpack
from pytest_mobileagent.report.recorded_run import document
from tests.report.conftest import make

if TYPE_CHECKING:
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


def test_incomparable_runs_have_no_ranks(write_run, board):
    one = write_run("m3a", tasks(9))
    index = board(one, write_run("t3a", tasks(3, of=10)))["index"]
    assert [row["places"] for row in index["runs"]] == [None, None]
    assert "No run has a place" in index["warnings"][0]
    assert "t3a has no place: other tasks: 0 missing, 1 more." in index["warnings"]


def test_a_notice_says_that_few_tasks_decide_nothing(write_run, board):
    index = board(write_run("m3a", tasks(5, of=5)), write_run("t3a", tasks(0, of=5)))["index"]
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
    models = {
        "default": "openai:qwen@http://gpu1.lab:8000/v1",
        "judge": "scripted:/home/me/x.jsonl",
    }
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


def test_duplicate_run_is_refused(write_run, capsys):
    run = write_run("m3a", tasks(1))
    assert main([str(run), str(run.parent), "--format=html"]) == 1
    assert f"error: {run} is named twice: name each run once" in capsys.readouterr().err


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


def test_damaged_run_is_named(write_run, capsys):
    broken = write_run("broken", tasks(1))
    whole = json.loads((broken / "report.json").read_text())
    whole["tasks"][0]["steps"] = "many"
    (broken / "report.json").write_text(json.dumps(whole))
    assert main([str(write_run("m3a", tasks(1))), str(broken), "--format=html"]) == 1
    assert "broken" in capsys.readouterr().err
