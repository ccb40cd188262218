"""Tests of reports, and of deriving the results of cases from their files if none has arrived."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Reset, Task, Termination
from pytest_mobileagent.episode.runs import IndexLine, inside
from pytest_mobileagent.episode.runs import append as add_to_index
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.recorded_run import (
    app_versions,
    document,
    is_final,
    lost_result,
    missing_results,
    newest_run,
    read_report,
)
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.verdict import Verdict
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Screen
    from pytest_mobileagent.report.entry import Entry

NAMES = ("done", "broken off", "no record", "never")
DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)


def case(name: str) -> Case:
    return Case(Task("Do it.", golden_steps=2), name, "suite", f"test_it.py::test_{name}")


@pytest.fixture
def folder(tmp_path: Path, make_screen: Callable[..., Screen]) -> RunFolder:
    """Return the folder of a run of four cases: one finished twice, and one only started."""
    folder = RunFolder.plan(tmp_path, "agent")
    folder.begin(dict, map(case, NAMES))
    for attempt, passed in enumerate((False, True)):
        path, number = _record(folder, case("done"), make_screen(), Termination.SELF_REPORTED)
        assert number == attempt
        verdict = Verdict(passed, reason="" if passed else "too early", first_step=0)
        add_verdict(path, verdict)
        outcome = "passed" if passed else "failed"
        add_to_index(folder.path, IndexLine("done", number, folder.relative(path), outcome))
    _record(folder, case("broken off"), make_screen(), None)
    folder.attempt(case("no record"))
    return folder


def _record(
    folder: RunFolder, case: Case, screen: Screen, termination: Termination | None, **more: Any
) -> tuple[Path, int]:
    path, number = folder.attempt(case)
    recorder = Recorder(path, folder.screens)
    head = {"goal": "Do it.", "agent": "agent", "attempt": number, **more}
    recorder.start(case, DEVICE, Reset("snapshot", "default_boot"), head)
    recorder.observation(screen, {})
    if termination is not None:
        recorder.end(termination, "", 1.0)
    recorder.close()
    return path, number


def shown(result: Any) -> dict[str, Any]:
    names = ("outcome", "success", "fault", "reason", "termination", "attempt", "golden_steps")
    plain = result.entry()
    return {name: getattr(plain, name) for name in names}


def test_result_is_derived_from_files_if_missing(folder):
    results = {result.case.id: result for result in missing_results(folder.path, (), "disk full")}
    known = {"golden_steps": 2}
    lost = {"outcome": "error", "success": None, "fault": "infrastructure", **known}
    lost["reason"] = "interrupted: disk full"
    assert {name: shown(result) for name, result in results.items()} == {
        "done": {
            "outcome": "passed", "success": True, "fault": None, "reason": "",
            "termination": "self-reported", "attempt": 1, **known,
        },
        "broken off": {**lost, "termination": "interrupted", "attempt": 0},
        "no record": {**lost, "termination": None, "attempt": None},
        "never": {
            **lost, "outcome": "not run", "reason": "disk full", "termination": None,
            "attempt": None,
        },
    }  # fmt: skip


@pytest.mark.parametrize("size", [20])
def test_an_index_is_not_trusted_without_its_verdict(folder, size):
    for path in folder.path.glob("episodes/done*/verdicts.jsonl"):
        os.truncate(path, size)
    done = next(r for r in missing_results(folder.path, (), "killed") if r.case.id == "done")
    assert (done.outcome, done.success, done.fault) == ("error", None, "infrastructure")
    assert not is_final(done.entry())


def test_app_versions_come_from_finished_episodes(folder, make_screen):
    assert app_versions(folder.path) == {}
    apps = {"com.shop": "3", "com.unknown": ""}
    path, number = _record(
        folder, case("never"), make_screen(), Termination.SELF_REPORTED, apps=apps
    )
    add_verdict(path, Verdict(True, first_step=0))
    add_to_index(folder.path, IndexLine("never", number, folder.relative(path), "passed"))
    assert app_versions(folder.path) == {"com.shop": {"3"}}


def test_matched_golden_steps_come_from_the_verdict(folder):
    steps = [{"step": n, "type": True, "exact": n == 1, "counts": True} for n in (1, 2)]
    (path,) = folder.path.glob("episodes/done*.1")
    matches = {"scorer": "graph", "steps": steps}
    add_verdict(path, Verdict(False, "check", evidence={"matches": matches}))
    add_verdict(path, Verdict(True, "judges"))
    done = next(r for r in missing_results(folder.path, (), "killed") if r.case.id == "done")
    entry = done.entry()
    assert (entry.matches, entry.matched_by) == (steps, "graph")
    assert (entry.step_accuracy, entry.type_accuracy) == (0.5, 1.0)


def test_cases_with_results_are_left_out(folder):
    known = {case(name).nodeid for name in NAMES[:3]}
    assert [result.case.id for result in missing_results(folder.path, known, "")] == ["never"]


@pytest.mark.parametrize("path", ["episodes/gone.0", ["odd"]])
def test_an_index_with_missing_episodes_is_not_trusted(folder, path):
    add_to_index(folder.path, IndexLine("never", 0, path, "passed"))
    (result,) = (r for r in missing_results(folder.path, (), "killed") if r.case.id == "never")
    assert (result.outcome, result.success) == ("not run", None)


def test_case_that_killed_its_worker_is_an_infrastructure_error(folder):
    result = lost_result(folder.path, case("broken off").nodeid)
    assert result is not None
    assert (result.outcome, result.fault) == ("error", "infrastructure")
    assert result.episode is not None
    assert lost_result(folder.path, "test_it.py::test_plain") is None


@pytest.mark.parametrize("named", ["../other/episodes/done.0", "/episodes/done.0", "a\0", 1, ""])
def test_files_outside_of_the_run_are_not_read(tmp_path, named):
    assert inside(tmp_path, named) is None
    assert inside(tmp_path, "episodes/done.0") == tmp_path / "episodes" / "done.0"


def test_an_index_with_an_episode_of_another_run_is_ignored(folder, tmp_path):
    other = RunFolder.plan(tmp_path, "other")
    other.begin(dict, [case("done")])
    strange = f"../{folder.path.name}/episodes/done.1"
    add_to_index(other.path, IndexLine("done", 1, strange, "passed"))
    (result,) = missing_results(other.path, (), "disk full")
    assert result.outcome == "not run"


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
