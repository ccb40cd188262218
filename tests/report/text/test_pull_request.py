"""Tests of summary.md: the verdict, the table and failures, with all reported texts escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pytest_mobileagent import Case, Task
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.report.text.pull_request import summary
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from pytest_mobileagent.report.entry import Report

EVIL = "<img src=x onerror=alert(1)> **bold** [link](http://x) | @everyone `code`\n# title\n```"


def report(*results: Result, **more: Any) -> Report:
    tasks = {str(number): result.entry() for number, result in enumerate(results)}
    return cast("Report", {**document({"id": "4f1c", "agent": "mine"}, tasks), **more})


def failed(name: str, reason: str, suite: str = "clock") -> Result:
    case = Case(Task("goal"), f"tasks/clock/{name}", suite)
    return Result(case, "failed", "agent", reason, verdict=Verdict(False, "check", reason))


def test_run_without_gate_has_a_table_and_failures():
    text = summary(
        report(failed("alarm", "it is 7:00"), failed("timer", "no timer")), "report.html"
    )
    assert text.startswith("## Run of mine\n\n```text\nsuite ")
    assert "0.0% (0/2)" in text
    assert "### Failed (2)" in text
    assert "it is 7:00" in text.replace("\\", "")
    assert text.rstrip().endswith("report.html in the run's folder 4f1c")
    assert "gate" not in text.lower()


def test_errors_are_listed_separately_long_lists_collapsed_and_virtual_phones_named():
    broken = Result(Case(Task("goal"), "tasks/clock/stop"), "error", reason="the cable is out")
    text = summary(report(broken, *(failed(f"t{n}", "no") for n in range(12))), "report.html")
    assert "<summary>Failed (12)</summary>" in text
    assert "### Errors (1)\n\n- " in text
    whole = report(failed("alarm", "no"))
    whole["run"]["virtual"] = True
    assert "> Virtual phones test the harness" in summary(whole, "report.html")


def test_reported_texts_are_escaped():
    whole = report(failed(EVIL, EVIL, suite="```"), failed(EVIL, EVIL, suite=EVIL))
    whole["run"]["agent"] = EVIL
    lines = summary(whole, "report.html").splitlines()
    (start, end) = (number for number, line in enumerate(lines) if line.startswith("````"))
    outside = [*lines[:start], *lines[end + 1 :]]
    assert [line for line in outside if "<img" in line.replace("\\<", "")] == []
    assert [line for line in outside if line.startswith("#")] == [outside[0], "### Failed (2)"]
    assert "\\*\\*bold\\*\\*" in "".join(outside)
