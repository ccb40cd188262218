"""Tests of deriving the results of cases from their files if no result has arrived."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Reset, Task, Termination
from pytest_mobileagent.episode.runs import IndexLine, inside
from pytest_mobileagent.episode.runs import append as add_to_index
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.report.recorded_run import (
    app_versions,
    is_final,
    lost_result,
    missing_results,
)
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.verdict import Verdict
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Screen

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
    assert {name: shown(result) for name, result in results.items()} == {
        "done": {
            "outcome": "passed",
            "success": True,
            "fault": None,
            "reason": "",
            "termination": "self-reported",
            "attempt": 1,
            **known,
        },
        "broken off": {
            **lost,
            "reason": "interrupted: disk full",
            "termination": "interrupted",
            "attempt": 0,
        },
        "no record": {
            **lost,
            "reason": "interrupted: disk full",
            "termination": None,
            "attempt": None,
        },
        "never": {
            **lost,
            "outcome": "not run",
            "reason": "disk full",
            "termination": None,
            "attempt": None,
        },
    }


@pytest.mark.parametrize("size", [0, 20])
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
    steps = [
        {"step": number, "type": True, "exact": number == 1, "counts": True} for number in (1, 2)
    ]
    (path,) = folder.path.glob("episodes/done*.1")
    add_verdict(
        path, Verdict(False, "check", evidence={"matches": {"scorer": "graph", "steps": steps}})
    )
    add_verdict(path, Verdict(True, "judges"))
    done = next(r for r in missing_results(folder.path, (), "killed") if r.case.id == "done")
    entry = done.entry()
    assert (entry.matches, entry.matched_by) == (steps, "graph")
    assert (entry.step_accuracy, entry.type_accuracy) == (0.5, 1.0)


def test_cases_with_results_are_left_out(folder):
    known = {case(name).nodeid for name in NAMES[:3]}
    assert [result.case.id for result in missing_results(folder.path, known, "")] == ["never"]


@pytest.mark.parametrize("path", ["episodes/gone.0", "\0", ["odd"], None])
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
