"""Tests of `python -m pytest_mobileagent compare`, and of comparisons in words."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Task
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.comparison.compare_command import (
    comparison_details,
    comparison_line,
    comparison_markdown,
    main,
    remarks,
)
from pytest_mobileagent.report.recorded_run import document
from tests.report.gate.entries import entries, entry, many, recorded

if TYPE_CHECKING:
    Capture = pytest.CaptureFixture[str]


PRINTS = {"agent": "1", "prompts": "1", "apps": "1", "checks": "1"}


def example(**about: Any) -> dict[str, Any]:
    before = entries(many(10, "PFF") | {"tasks/clock/old": "PPP"}, steps=5, cost_usd=0.03)
    after = entries(many(8, "PPP") | {"tasks/clock/t8": "FFF", "tasks/clock/t9": "PFF"}, steps=4)
    after = [replace(task, cost_usd=0.019) for task in after]
    prints = {"agent": "2", "prompts": "2", "apps": "1", "checks": "2"}
    return compare(
        recorded(before, id="base", agent="appagent", fingerprints=PRINTS),
        recorded(after, id="run", agent="t3a", fingerprints=prints, **about),
    )


def test_difference_fits_on_one_line() -> None:
    assert comparison_line(example(), "t3a") == (
        "t3a  +50.0 points (95 %: +24.2 to +75.8)   gained 8  lost 0  flaky 10   steps -1.0   "
        "price -$0.011 a task   differs in: agent, prompts, checks"
    )


def test_crashes_of_apps_are_listed_if_any() -> None:
    comparison = example()
    crashes = {"baseline": 0.0, "run": 0.5, "difference": 0.5, "interval": [0.1, 0.9]}
    told = {**comparison, "crashes": {**crashes, "p_value": 0.01, "tasks": 9}}
    assert "   crashes +0.5 a task   " in comparison_line(told)
    assert "| crashes of apps an episode | 0 | 0.5 | +0.5 | +0.1 to +0.9 | 0.01 |" in (
        comparison_markdown(told)
    )
    none = {**told, "crashes": {**told["crashes"], "run": 0.0, "difference": 0.0}}
    older = {name: value for name, value in comparison.items() if name != "crashes"}
    for quiet in (none, older):
        assert "crashes" not in comparison_line(quiet)
        assert "crashes" not in "\n".join(comparison_markdown(quiet))


def test_single_tasks_and_remarks_follow() -> None:
    lines = comparison_details(example())
    assert lines[0] == "gained (8), now pass in most epochs, and did not before:"
    assert lines[1] == "  t0  1/3 → 3/3"
    assert "missing (1), only in the baseline, or decided only there:" in lines
    assert "  tasks/clock/old" in lines
    assert lines[-1] == (
        "warning: not the same in both runs: checks (checks also differ if other tasks were "
        "chosen); a difference may come from that"
    )


def test_long_lists_are_truncated() -> None:
    both = recorded(entries(many(30, "P"))), recorded(entries(many(30, "F")))
    assert "  and 20 more: see --format=json" in comparison_details(compare(*both))


def test_remarks_describe_the_limits_of_the_numbers() -> None:
    base = recorded(entries({"a": "P", "b": "P"}), id="one")
    cut = recorded(entries({"a": "F", "b": "n"}), ended=False, id="two")
    said = remarks(compare(base, cut))
    assert said[:2] == [
        "note: the run has not ended, or was cut off: this is what it has so far",
        "note: the run has decided 1 of 2 episodes of common tasks",
    ]
    assert "gained and lost tasks may be chance" in said[2]
    assert "note: this is the same run twice" in remarks(compare(base, base))


def test_without_decided_tasks_there_is_no_number() -> None:
    both = recorded(entries({"a": "P"})), recorded(entries({"a": "E"}))
    assert comparison_line(compare(*both)).startswith(
        "n/a: no task was decided in both runs   gained 0"
    )


def test_markdown_has_a_table_and_collapsible_lists() -> None:
    text = "\n".join(comparison_markdown(example()))
    assert text.startswith("### t3a against appagent\n\n| ")
    assert "| success rate | 33.3% | 83.3% | +50.0 points | +24.2 to +75.8 |" in text
    assert "| steps an episode | 5 | 4 | -1 | -1 to -1 | n/a |" in text
    assert "<summary>gained (8): now pass in most epochs, and did not before</summary>" in text
    assert "- t0 1/3 → 3/3" in text


def test_markdown_escapes_hostile_names() -> None:
    evil = "tasks/<img src=x>|`a`[b](http://c) @all\x1b[0m"
    both = recorded([entry(evil, 0, "P")]), recorded([entry(evil, 0, "F")], agent="**bold**")
    text = "\n".join(comparison_markdown(compare(*both)))
    assert r"\<img src=x\>\|\`a\`\[b\](http\://c) \@all\\x1b\[0m" in text
    assert r"### \*\*bold\*\* against" in text


def write(folder: Path, tasks: dict[str, str], **about: Any) -> str:
    folder.mkdir(parents=True)
    results = {f"{task.nodeid}": task for task in entries(tasks)}
    run = {"id": folder.name, "agent": folder.name, **about}
    (folder / "report.json").write_text(to_text(document(run, results)))
    return str(folder)


@pytest.fixture
def base(tmp_path: Path) -> str:
    return write(tmp_path / "base", many(100, "PPP"))


def no_setting(name: str) -> None:
    assert name == "mobile_gate"


def test_each_run_is_compared_with_the_first(tmp_path: Path, base: str, capsys: Capture) -> None:
    better = write(tmp_path / "better", many(100, "PPP"))
    worse = write(tmp_path / "worse", many(100, "FFF"))
    assert main([base, better, worse], no_setting) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "against base:"
    assert out[1].startswith("better  +0.0 points (95 %: -")
    assert out[2].startswith("worse   -100.0 points (95 %: -100.0 to -9")
    assert "  t0  3/3 → 0/3" in out


def test_only_runs_with_differences_have_a_heading(tmp_path: Path, capsys: Capture) -> None:
    runs = [
        write(tmp_path / name, many(2, epochs), fingerprints=PRINTS)
        for name, epochs in (("base", "PPP"), ("same", "PPP"), ("worse", "FFF"))
    ]
    assert main(runs, no_setting) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line in {"same", "worse"}] == ["worse"]
    assert main(runs[:2], no_setting) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(("epochs", "status"), [("PPP", 0), ("FFF", 1), ("PPF", 1), ("PEE", 9)])
def test_gate_determines_the_exit_status(
    tmp_path: Path, base: str, capsys: Capture, epochs: str, status: int
) -> None:
    run = write(tmp_path / "run", many(100, epochs))
    assert main([base, run, "--gate=success_rate >= baseline"], no_setting) == status
    verdict = {0: "PASS", 1: "FAIL", 9: "INCONCLUSIVE"}[status]
    assert f"gate {verdict}: " in capsys.readouterr().out


def test_worst_of_several_runs_determines_the_exit_status(tmp_path: Path, base: str) -> None:
    runs = [write(tmp_path / name, many(100, e)) for name, e in (("a", "FFF"), ("b", "PPP"))]
    assert main([base, *runs, "--gate=success_rate >= baseline"], no_setting) == 1


def test_gate_of_the_project_is_the_default(tmp_path: Path, base: str, capsys: Capture) -> None:
    (tmp_path / "gate.toml").write_text('[[bound]]\nmetric = "tasks"\nmax = 1\n')
    assert main([base, base], lambda _name: ("gate.toml", tmp_path)) == 1
    assert "gate FAIL: tasks 100 (at most 1)" in capsys.readouterr().out


def test_json_is_complete_and_markdown_fits_a_pull_request(base: str, capsys: Capture) -> None:
    gate = "--gate=success_rate >= baseline"
    assert main([base, base, gate, "--format=json"], no_setting) == 0
    (each,) = json.loads(capsys.readouterr().out)["runs"]
    assert each["gate"]["verdict"] == "PASS"
    assert each["comparison"]["tasks"] == 100
    assert main([base, base, gate, "--format=markdown"], no_setting) == 0
    assert capsys.readouterr().out.startswith("## ✅ Gate: PASS\n")


def test_runs_of_version_1_can_be_compared(capsys: Capture) -> None:
    old = str(Path(__file__).parents[2] / "episode" / "data" / "version1")
    assert main([old, old], no_setting) == 0
    out = capsys.readouterr().out
    assert "+0.0 points" in out
    assert "warning: not known for both runs, so maybe different: fingerprints" in out


def test_killed_run_is_compared_by_its_recorded_results(
    tmp_path: Path, base: str, capsys: Capture
) -> None:
    killed = tmp_path / "killed"
    killed.mkdir()
    cases = [
        Case(Task("Do it."), name, epoch=epoch).to_json()
        for name in many(100, "")
        for epoch in range(3)
    ]
    about = {"run": {"id": "killed", "agent": "killed"}, "tasks": cases}
    (killed / "run.json").write_text(json.dumps(about))
    assert main([base, str(killed), "--gate=success_rate >= baseline"], no_setting) == 9
    out = capsys.readouterr().out
    assert "note: the run has not ended, or was cut off" in out
    assert "gate INCONCLUSIVE: 100 % of the episodes are missing: not run 300 times" in out


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
def test_a_usage_error_is_one_clear_line_and_not_a_verdict(
    tmp_path: Path, base: str, capsys: Capture, arguments: list[str], said: str
) -> None:
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
def test_gate_set_by_the_project_is_used(tmp_path: Path, base: str) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmobile_gate = gate.toml\n")
    (tmp_path / "gate.toml").write_text('must_pass = ["tasks/clock/t3"]\n')
    words = [sys.executable, "-m", "pytest_mobileagent", "compare", base, base]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gate PASS: 1 of 1 tasks that must pass did" in done.stdout


def test_settings_that_differ_from_the_preset_are_named() -> None:
    published = {
        "preset": "paper",
        "options": {},
        "settings": {"seed": {"value": 30, "source": ""}},
    }
    seeds = {"mobile-seed": {"value": "0", "source": "default"}}
    found = remarks(example(published=published, options=seeds))
    assert "note: the run differs from its preset in: seed 0 for 30" in found
    assert not [each for each in found if "the baseline differs from its preset" in each]
