"""Tests of the page of all runs in a folder, and of the outcomes of earlier runs on another."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.report.html import all_runs_page
from pytest_mobileagent.report.html.all_runs_page import (
    OVERVIEW,
    RUNS_PAGE,
    VERSION,
    Overview,
    add_history,
    read_overview,
    write_runs_page,
)
from pytest_mobileagent.report.html.page import unpack
from pytest_mobileagent.report.html.show_command import main
from pytest_mobileagent.report.recorded_run import report_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.report.entry import Report

BLOCK = re.compile(r'<script type="application/octet-stream;base64" id="([^"]+)">([^<]*)</script>')


def blocks(page: Path) -> dict[str, Any]:
    found = BLOCK.findall(page.read_text("utf-8"))
    return {name: unpack(base64.b64decode(text)) for name, text in found}


def another(run: Path, name: str, started: str, **outcomes: bool) -> Path:
    """Copy a run, with a later time and different outcomes."""
    copy = run.with_name(name)
    shutil.copytree(run, copy, symlinks=True)
    report = json.loads((copy / "report.json").read_text("utf-8"))
    report["run"] |= {"id": name, "started": started, "ended": started}
    for task in report["tasks"]:
        if task["id"] in outcomes:
            passed = outcomes[task["id"]]
            task |= {"success": passed, "outcome": "passed" if passed else "failed"}
            task["verdict"]["passed"] = passed
    (copy / "report.json").write_text(json.dumps(report), "utf-8")
    (copy / OVERVIEW).unlink(missing_ok=True)
    return copy


def test_run_is_summarised_in_one_row(recorded):
    overview = read_overview(recorded)
    assert (overview.agent, overview.virtual) == ("mine", True)
    assert (overview.tasks, overview.decided, overview.successes) == (3, 2, 1)
    assert overview.interval == pytest.approx([0.0945, 0.9055], abs=1e-4)
    assert overview.suites == {"suite": [1, 2]}
    assert overview.outcomes == {"first": False, "second": True, "never": None}


def test_a_cached_summary_is_read_until_the_run_changes(recorded, monkeypatch):
    first = read_overview(recorded)
    kept = (recorded / OVERVIEW).read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(all_runs_page, "report_of", lambda _: pytest.fail("the report is not read"))
        assert read_overview(recorded) == first
    for damaged in (b"{", b"[]", b'{"version": 99}', kept.replace(b'"tasks": 3', b'"tasks": "3"')):
        (recorded / OVERVIEW).write_bytes(damaged)
        assert read_overview(recorded) == first
        assert (recorded / OVERVIEW).read_bytes() == kept
    newer = (recorded / OVERVIEW).stat().st_mtime_ns + 1_000_000_000
    os.utime(recorded / "report.json", ns=(newer, newer))
    asked: list[Path] = []

    def noting(run: Path) -> Report:
        asked.append(run)
        return report_of(run)

    monkeypatch.setattr(all_runs_page, "report_of", noting)
    assert read_overview(recorded) == first
    assert asked == [recorded]


def test_page_has_a_row_per_run_with_changes_since_the_previous_one(recorded):
    another(recorded, "later", "2999-01-02T00:00:00+00:00", first=True, second=False)
    (recorded.parent / "no-run").mkdir()
    page = write_runs_page(recorded.parent)
    assert page == recorded.parent / RUNS_PAGE
    found = blocks(page)
    first, second = found["index"]["runs"]
    assert (first["folder"], first["before"]) == (recorded.name, None)
    assert (second["folder"], second["before"]) == ("later", recorded.name)
    assert (second["gained"], second["lost"]) == (["first"], ["second"])
    assert found["r:later"] == {"first": True, "second": False, "never": None}
    assert second["page"] is None  # This run has no page.


def test_damaged_run_is_named_without_affecting_others(recorded):
    damaged = another(recorded, "damaged", "2999-01-02T00:00:00+00:00")
    (damaged / "run.json").write_text("{")
    (damaged / "report.json").write_text("{")
    rows = {row["folder"]: row for row in blocks(write_runs_page(recorded.parent))["index"]["runs"]}
    assert "is damaged" in rows["damaged"]["problem"]
    assert (rows[recorded.name]["problem"], rows[recorded.name]["tasks"]) == ("", 3)


def test_show_opens_the_page_for_a_folder_of_runs(recorded, capsys):
    runs = recorded.parent
    assert main(["--no-browser", str(runs)], lambda: runs) == 0
    assert capsys.readouterr().out == f"{runs / RUNS_PAGE}\n"
    for given in ([], [str(recorded)]):
        assert main(["--no-browser", *given], lambda: runs) == 0
        assert capsys.readouterr().out == f"{recorded / 'report.html'}\n"


def index(started: str) -> dict[str, Any]:
    """Return the index of a run with two epochs of a task, and one of two others."""
    rows = [("first", None), ("first", None), ("second", "100"), ("new", None)]
    return {
        "run": {"started": started},
        "tasks": [{"id": name, "environment": place} for name, place in rows],
    }


@pytest.fixture
def earlier(recorded):
    """Make 25 runs beside a recorded one, a day apart, and return the folder for the next one."""
    read_overview(recorded)
    for day in range(1, 26):
        run = recorded.with_name(f"2025-03-{day:02}")
        run.mkdir()
        outcomes: dict[str, bool | None] = {
            "first": day % 2 == 0,
            "second[env100]": None if day > 23 else True,
        }
        started = f"{run.name}T10:00:00+00:00"
        overview = Overview(run.name, "mine", started=started, outcomes=outcomes)
        write_json(run / OVERVIEW, {"version": VERSION, **asdict(overview)})
    return recorded.with_name("2025-03-26")


def test_a_task_has_its_outcomes_in_the_last_nineteen_runs_before(earlier):
    (earlier.with_name("2025-03-20") / OVERVIEW).write_text("{", "utf-8")
    data = index("2025-03-25T12:00:00+00:00")
    add_history(data, earlier, earlier)
    assert [each["page"] for each in data["history"]] == [
        f"../2025-03-{day:02}/report.html" for day in range(6, 26) if day != 20
    ]
    assert {each["name"] for each in data["history"]} == {"mine"}
    first, again, second, new = (row.get("history") for row in data["tasks"])
    assert first == "+-+-+-+-+-+-+--+-+-"  # by day, from the 6th, without the 20th
    assert again is None  # for the task, not for each epoch
    assert second == "+" * 17 + "??"
    assert new is None


def test_later_runs_are_left_out_and_names_of_folders_are_safe_in_addresses(earlier):
    earlier.with_name("2025-03-01").rename(earlier.with_name("javascript:1#%2F"))
    data = index("2025-03-03T12:00:00+00:00")
    add_history(data, earlier, earlier.parent)
    assert [each["page"] for each in data["history"]] == [
        "javascript%3A1%23%252F/report.html", *(f"2025-03-{n:02}/report.html" for n in (2, 3)),
    ]  # fmt: skip
