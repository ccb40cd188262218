"""Records an episode as a run would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent import Case, DeviceInfo, Event, ModelCall, Reset, Screen, Task
from pytest_mobileagent.action import Finish
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)
RESET = Reset("snapshot", "default_boot")
CASE = Case(Task("Do it."), "suite/task")
HEAD = {
    "agent": "mine",
    "goal": "Do it.",
    "seed": 7,
    "attempt": 2,
    "step_limit": 9,
    "options": {"history": 3},
    "recorded": "2026-05-04T08:00:00.000+00:00",
}


def recorder_in(folder: Path) -> Recorder:
    """Return a recorder for a run's only episode."""
    return Recorder(folder / "episodes" / "e.0", ScreenStore(folder / "screens"))


def record(recorder: Recorder, make_screen: Callable[..., Screen], steps: int = 3) -> Path:
    recorder.start(CASE, DEVICE, RESET, HEAD)
    recorder.observation(make_screen("0 äöü\u2028"), {"n": 0})
    for number in range(1, steps + 1):
        recorder.step([Tap(number, 0)], "über 👍\u2028", [ModelCall("gpt", price_usd=0.5)], 0.5)
        recorder.observation(make_screen(str(number)), {"n": number}, 0.25)
        recorder.events([Event("clicked", text=(str(number),), sequence=number)])
    recorder.step([Finish("fertig ✓")], "", [], 0.5)
    return recorder.folder
