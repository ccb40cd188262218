"""Trajectories, and recorded episodes to make them of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Finish, Key, Open, Reset, Tap, Task, Type
from pytest_mobileagent.dataset.export import Source
from pytest_mobileagent.dataset.trajectory import Trajectory, TrajectoryStep
from pytest_mobileagent.episode.record import Termination
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent import Action, Screen

SIZE = (1080, 2400)
CLOCK = "com.google.android.deskclock"
HOME = make_screen(
    {"text": "Clock", "bounds": "[40,2000][240,2200]", "clickable": "true", "package": "launcher"},
    size=SIZE,
    shade=10,
)
LIST = make_screen(
    {"text": "", "bounds": "[0,0][1080,2400]", "class": "android.widget.FrameLayout"},
    {"text": "Add", "bounds": "[400,2000][680,2280]", "clickable": "true"},
    {"text": "<image>", "bounds": "[0,300][1080,400]", "clickable": "true"},
    size=SIZE,
    shade=50,
)
WAY: list[tuple[Any, Action]] = [
    (HOME, Open(CLOCK)),
    (LIST, Tap(540, 2140)),
    (LIST, Type("6:30 <video>", at=(540, 350), enter=True)),
    (LIST, Key("back")),
    (LIST, Finish()),
]


@pytest.fixture
def trajectory() -> Trajectory:
    """A way with an app's icon, a tap, a field that is typed into, a key, and a report."""
    steps = tuple(TrajectoryStep(screen, action, "I go on.") for screen, action in WAY)
    return Trajectory("Set <image> for 6:30.", steps, True, {"task": "clock/alarm"})


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Source]:
    """Records an episode of a task, and returns where it is."""
    store = ScreenStore(tmp_path / "run" / "screens")

    def record(
        task: str,
        succeeded: bool | None = True,
        way: Sequence[tuple[Screen, Action | list[Action]]] = WAY,
        **fields: Any,
    ) -> Source:
        folder = tmp_path / "run" / "episodes" / task.replace("/", "-").replace("@", "-")
        case = Case(Task("Set an alarm.", source="ours"), task.partition("@")[0], "clock")
        recorder = Recorder(folder, store)
        device = DeviceInfo("emulator-5554", "Pixel", "15", 35, SIZE, 420)
        head = {"goal": fields.get("goal", "Set an alarm."), "agent": "mine", "recorded": ""}
        recorder.start(case, device, Reset("snapshot", "boot"), head)
        for screen, actions in way:
            recorder.observation(screen, {})
            recorder.step(actions if isinstance(actions, list) else [actions], "I go on.", [], 0.1)
        recorder.observation(LIST, {})
        recorder.end(Termination.SELF_REPORTED, "", 2.0)
        return Source(folder, succeeded, {"task": task, "run": "r"})

    return record
