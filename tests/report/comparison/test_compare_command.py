"""Tests of `python -m pytest_mobileagent compare`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.comparison.compare_command import main
from pytest_mobileagent.report.recorded_run import document
from tests.report.gate.entries import entries, many


def write(folder: Path, tasks: dict[str, str], **about: Any) -> str:
    folder.mkdir(parents=True)
    results = {f"{task.nodeid}": task for task in entries(tasks)}
    run = {"id": folder.name, "agent": folder.name, **about}
    (folder / "report.json").write_text(to_text(document(run, results)))
    return str(folder)


@pytest.fixture
def base(tmp_path: Path) -> str:
    return write(tmp_path / "base", many(60, "PPP"))


def no_setting(name: str) -> None:
    assert name == "mobile_gate"


def test_each_run_is_compared_with_the_first_and_the_worst_is_the_exit_status(
    tmp_path, base, capsys
):
    runs = [
        write(tmp_path / name, many(60, e)) for name, e in (("better", "PPP"), ("worse", "FFF"))
    ]
    assert main([base, *runs, "--gate=success_rate >= baseline"], no_setting) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "against base:"
    assert out[1].startswith("better  +0.0 points (95 %: -")
    assert out[2].startswith("worse   -100.0 points (95 %: -100.0 to -9")
    assert "  t0  3/3 → 0/3" in out
    assert main([base, runs[1]], no_setting) == 0


def test_only_runs_with_differences_have_a_heading(tmp_path, capsys):
    runs = [
        write(tmp_path / name, many(2, epochs), fingerprints={"agent": "1"})
        for name, epochs in (("base", "PPP"), ("same", "PPP"), ("worse", "FFF"))
    ]
    assert main(runs, no_setting) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line in {"same", "worse"}] == ["worse"]
    assert main(runs[:2], no_setting) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(("epochs", "status"), [("PPP", 0), ("FFF", 1), ("PPF", 1), ("PEE", 9)])
def test_gate_determines_the_exit_status(tmp_path, base, capsys, epochs, status):
    run = write(tmp_path / "run", many(60, epochs))
    assert main([base, run, "--gate=success_rate >= baseline"], no_setting) == status
    verdict = {0: "PASS", 1: "FAIL", 9: "INCONCLUSIVE"}[status]
    assert f"gate {verdict}: " in capsys.readouterr().out


def test_gate_of_the_project_is_the_default(tmp_path, base, capsys):
    (tmp_path / "gate.toml").write_text('[[bound]]\nmetric = "tasks"\nmax = 1\n')
    assert main([base, base], lambda _name: ("gate.toml", tmp_path)) == 1
    assert "gate FAIL: tasks 60 (at most 1)" in capsys.readouterr().out


def test_json_is_complete_and_markdown_fits_a_pull_request(base, capsys):
    gate = "--gate=success_rate >= baseline"
    assert main([base, base, gate, "--format=json"], no_setting) == 0
    (each,) = json.loads(capsys.readouterr().out)["runs"]
    assert each["gate"]["verdict"] == "PASS"
    assert each["comparison"]["tasks"] == 60
    assert main([base, base, gate, "--format=markdown"], no_setting) == 0
    assert capsys.readouterr().out.startswith("## ✅ Gate: PASS\n")


def test_runs_of_version_1_can_be_compared(capsys):
    old = str(Path(__file__).parents[2] / "episode" / "data" / "version1")
    assert main([old, old], no_setting) == 0
    out = capsys.readouterr().out
    assert "+0.0 points" in out
    assert "warning: not known for both runs, so maybe different: fingerprints" in out


def test_killed_run_is_compared_by_its_recorded_results(tmp_path, base, capsys):
    killed = tmp_path / "killed"
    killed.mkdir()
    cases = [
        Case(Task("Do it."), name, epoch=epoch).to_json()
        for name in many(60, "")
        for epoch in range(3)
    ]
    about = {"run": {"id": "killed", "agent": "killed"}, "tasks": cases}
    (killed / "run.json").write_text(json.dumps(about))
    assert main([base, str(killed), "--gate=success_rate >= baseline"], no_setting) == 9
    out = capsys.readouterr().out
    assert "note: the run has not ended, or was cut off" in out
    assert "gate INCONCLUSIVE: 100 % of the episodes are missing: not run 180 times" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["BASE", "nowhere"], "nowhere is not a folder: name a run's folder"),
        (["BASE", "other"], "other cannot be compared with"),
        (["BASE", "damaged"], "damaged/report.json is damaged"),
        (["BASE", "BASE", "--gate=gate.toml"], "gate.toml cannot be read"),
        (["BASE", "BASE", "--gate=tokens >= 3"], "there is no number 'tokens'"),
    ],
)
def test_a_usage_error_is_one_clear_line_and_not_a_verdict(tmp_path, base, capsys, arguments, said):
    write(tmp_path / "other", {"tasks/other": "P"})
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "report.json").write_text("{")
    place = {"BASE": base} | {name: str(tmp_path / name) for name in ("other", "damaged")}
    words = [place.get(word, word) for word in arguments]
    assert main(words, no_setting) == 4
    out, err = capsys.readouterr()
    assert (out, err.startswith("error: "), err.count("\n")) == ("", True, 1)
    assert said in err


@pytest.mark.slow
def test_gate_set_by_the_project_is_used(tmp_path, base):
    (tmp_path / "pytest.ini").write_text("[pytest]\nmobile_gate = gate.toml\n")
    (tmp_path / "gate.toml").write_text('must_pass = ["tasks/clock/t3"]\n')
    words = [sys.executable, "-m", "pytest_mobileagent", "compare", base, base]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gate PASS: 1 of 1 tasks that must pass did" in done.stdout
