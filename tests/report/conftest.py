"""Fixtures for reports: results of tasks in the form that reports use."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, ModelCall, Reset, Task, Termination
from pytest_mobileagent.action import Finish, Wait
from pytest_mobileagent.action.gestures import Scroll, Tap
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.runs import IndexLine
from pytest_mobileagent.episode.runs import append as add_to_index
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.jsonable import to_text
from pytest_mobileagent.report.recorded_run import document
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.run.folder import RunFolder
from pytest_mobileagent.testing import make_screen
from pytest_mobileagent.verdict import Verdict
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent import Action
    from pytest_mobileagent.report.entry import Entry

_OUTCOMES = {True: "passed", False: "failed", None: "error"}


def make(success: bool | None = None, **fields: Any) -> Entry:
    """Return a task's entry in report.json; by default, the task has no episode."""
    case = Case(Task("Do it."), fields.pop("id", "t"), fields.pop("suite", ""), "t")
    return replace(Result(case, _OUTCOMES[success]).entry(), **{"success": success, **fields})


@pytest.fixture
def result() -> Callable[..., Entry]:
    return make


NAMES = ("first", "second", "never")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Return the folder of a run of three tasks: failed after a lost attempt, passed, and not run.

    All episodes have the same two screens, model calls with a long prompt, and a counter as probe
    "n".
    """
    cases = [Case(Task("Do it.", golden_steps=2), n, "suite", f"test_it.py::{n}") for n in NAMES]
    folder = RunFolder.plan(tmp_path / "runs", "mine")
    folder.begin(lambda: {"agent": "mine", "virtual": True}, cases)
    size = (1080, 2400)
    screens = [
        make_screen("Save", "<b>bold</b>", size=size),
        make_screen("Saved", size=size, shade=99),
    ]
    results = {}
    lost, _ = folder.attempt(cases[0])
    _record(lost, folder, cases[0], screens, None)
    for case, passed in zip(cases, (False, True), strict=False):
        path, number = folder.attempt(case)
        _record(path, folder, case, screens, Termination.SELF_REPORTED)
        outcome = "passed" if passed else "failed"
        verdict = Verdict(passed, "check", "too early", {"held": [False, True, passed, passed]})
        add_verdict(path, verdict)
        add_to_index(folder.path, IndexLine(case.key, number, folder.relative(path), outcome))
        episode = read(path, EpisodeRecord)
        broke = ("the phone broke",) * number
        results[case.nodeid] = Result(
            case, outcome, "agent", "too early", broke, episode, folder.relative(path), verdict
        ).entry()
    results["never"] = Result(cases[2], "not run", reason="the run was stopped").entry()
    report = document(folder.about() | {"ended": folder.started}, results)
    (folder.path / "report.json").write_text(to_text(report))
    return folder.path


def _record(
    path: Path, folder: RunFolder, case: Case, screens: list[Any], ended: Termination | None
) -> None:
    recorder = Recorder(path, folder.screens)
    head = {"goal": "Do it.", "agent": "mine", "recorded": folder.started}
    device = DeviceInfo("emulator-5554", "Pixel", "15", 35, (1080, 2400), 420)
    recorder.start(case, device, Reset("snapshot", "boot"), head)
    recorder.observation(screens[0], {"n": 0})
    if ended is None:
        recorder.close()
        return
    log = ExchangeLog(path)
    decisions: list[list[Action]] = [[Tap(540, 100), Wait(1)], [Scroll("up")]]
    for number, actions in enumerate(decisions):
        call = ModelCall("m", input_tokens=9, line=number + 1)
        words = ["An element of the screen. " * 20, {"picture": "9b6f9b6f.jpg"}]
        prompt = [{"role": "user", "content": words}]
        log.add({"call": call.to_json(), "prompt": prompt, "reply": {"text": "tap(1)"}})
        recorder.step(actions, "I save.", [call], 0.5)
        if number == 0:
            recorder.outcome("no time left", None, 1)
        recorder.observation(screens[1], {"n": 1}, 0.25)
    recorder.step([Finish("done")], "", [], 0.5)
    recorder.end(ended, "", 2.0)
