"""Tests of reading report.json, whichever version wrote it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.recorded_run import document, newest_run, read_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry


VERSION_1: dict[str, Any] = {
    "id": "a", "nodeid": "a", "suite": "s", "app": None, "kind": "operation", "level": 1,
    "epoch": 0, "environment": None, "outcome": "failed", "success": False, "steps": 3,
    "termination": "self-reported", "golden_steps": 2, "step_ratio": None,
    "first_success_step": None, "premature": True, "overdue": False, "seconds": 2.0,
    "seconds_per_step": 0.6, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0,
    "reason": "no", "infrastructure": [], "reset": "snapshot default_boot", "episode": "e.0",
}  # fmt: skip


def test_report_is_read_back_unchanged(tmp_path: Path, result: Callable[..., Entry]) -> None:
    report = document({"id": "r"}, {"t": result(True, steps=2)})
    (tmp_path / "report.json").write_text(to_text(report))
    assert read_report(tmp_path / "report.json") == report


def test_version_1_is_converted_to_the_current_format(tmp_path: Path) -> None:
    whole = {"schema_version": 1, "run": {}, "summary": {}, "tasks": [VERSION_1]}
    (tmp_path / "report.json").write_text(json.dumps(whole))
    report = read_report(tmp_path / "report.json")
    (task,) = report["tasks"]
    assert (task.fault, task.cost_usd, task.tags) == ("agent", None, [])
    assert task.reset == {"kind": "snapshot", "snapshot": "default_boot"}
    assert summarise(report["tasks"])["premature"] == 1


def test_old_entries_get_keys_and_defaults(tmp_path: Path) -> None:
    bare = {"id": "a", "nodeid": "a", "outcome": "failed", "success": False, "epoch": None}
    verdict = {"passed": False, "reason": "no"}
    later = {**bare, "environment": "100", "epoch": 2, "verdict": verdict, "mood": "bright"}
    whole = {"schema_version": 2, "run": {}, "summary": {}, "tasks": [bare, later]}
    (tmp_path / "report.json").write_text(json.dumps(whole))
    first, second = read_report(tmp_path / "report.json")["tasks"]
    assert (first.key, first.epoch, first.attempts, first.steps) == ("a", 0, [], None)
    assert second.key == "a@env100@2"
    assert second.extra == {"mood": "bright"}  # a field of a newer version
    assert second.verdict == {"scorer": "check", "evidence": {}, "first_step": None, **verdict}


@pytest.mark.parametrize(
    ("name", "value"),
    [("steps", "3"), ("tags", "smoke"), ("roles", {"actor": {"calls": "1"}}),
     ("verdict", {"reason": 3}), ("reset", {"kind": 3}), ("subgoals", [{"weight": None}]),
     ("infrastructure", None)],
)  # fmt: skip
def test_an_invalid_entry_is_reported(tmp_path: Path, name: str, value: Any) -> None:
    whole = {"schema_version": 2, "run": {}, "summary": {}, "tasks": [{**VERSION_1, name: value}]}
    (tmp_path / "report.json").write_text(json.dumps(whole))
    with pytest.raises(RecordError, match=f"damaged: .*{name}"):
        read_report(tmp_path / "report.json")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "damaged"),
        ("[]", "damaged"),
        ("[" * 100_000, "damaged"),
        ('{"schema_version": 2, "run": {}, "summary": {}, "tasks": [3]}', "damaged"),
        ('{"schema_version": 2, "run": {}, "summary": {}, "tasks": [{"id": "a"}]}', "damaged"),
        ('{"schema_version": true, "run": {}, "summary": {}, "tasks": []}', "damaged"),
        ('{"schema_version": 3, "run": {}, "summary": {}, "tasks": []}', "install a newer one"),
    ],
)
def test_an_invalid_report_is_reported(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(RecordError, match=f"report.json .*{told}"):
        read_report(path)


def test_the_newest_run_is_the_same_after_its_folder_was_copied(tmp_path: Path) -> None:
    starts = {"a": "2026-11-22T09:30:00+00:00", "b": "2026-11-22T09:30:01+00:00", "c": "gestern"}
    for time, (name, started) in enumerate(starts.items()):
        head = {"id": name, "started": started, "command": ['"when": "2030-01-01T00:00:00+00:00"']}
        _write_run(tmp_path / name, head, 9 - time)  # copied in another order
    assert newest_run(tmp_path) == tmp_path / "b"
    resumed = {"started": starts["a"], "resumed": [{"when": "2026-11-23T09:30:00.250+00:00"}]}
    _write_run(tmp_path / "a", resumed, 0)
    assert newest_run(tmp_path) == tmp_path / "a"


def _write_run(folder: Path, head: dict[str, Any], time: float) -> None:
    folder.mkdir(exist_ok=True)
    write_json(folder / "run.json", {"run": head, "tasks": [{"started": "2031-01-01"}]}, None)
    os.utime(folder / "run.json", (time, time))


def test_newest_run_is_the_one_started_last(tmp_path: Path) -> None:
    for time, name in enumerate(["b", "a", "c"], 1):
        (tmp_path / name).mkdir()
        file = tmp_path / name / ("report.json" if name == "b" else "run.json")
        file.write_text("{}")
        os.utime(file, (time, time))
    # The report is written later, when the run ends.
    (tmp_path / "a" / "report.json").write_text("{}")
    (tmp_path / "no run").mkdir()
    assert newest_run(tmp_path) == tmp_path / "c"
    (tmp_path / "c" / "run.json").unlink()
    assert newest_run(tmp_path) == tmp_path / "a"
    assert newest_run(tmp_path / "nowhere") is None
