"""Fixtures for data sets: trajectories, and the recorded episodes from which they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Finish, Key, Open, Reset, Tap, Task, Type, rows
from pytest_mobileagent.action.matching import Golden
from pytest_mobileagent.dataset import Trajectory, TrajectoryStep
from pytest_mobileagent.dataset import contaminate as command
from pytest_mobileagent.dataset.export import Source
from pytest_mobileagent.dataset.graph import GraphWriter
from pytest_mobileagent.episode import Termination
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.testing import make_screen
from tests.dataset.striped import APP, PATH, striped

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
    """Return a path with an app's icon, a tap, typing into a field, a key, and a report."""
    steps = tuple(TrajectoryStep(screen, action, "I go on.") for screen, action in WAY)
    return Trajectory("Set <image> for 6:30.", steps, True, {"task": "clock/alarm"})


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Source]:
    """Return a function that records an episode of a task and returns its folder."""
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


@pytest.fixture
def striped_graph(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a graph of tasks with striped pages."""

    def make(*paths: Sequence[Golden], name: str = "clean", **columns: Any) -> Path:
        folder = tmp_path / name
        with GraphWriter(folder) as writer:
            for task, path in enumerate(paths or [PATH]):
                names = [f"{task}p{number}" for number in range(len(path))]
                for number, page in enumerate(names):
                    png, xml = striped(number)
                    writer.page(page, png=png, xml=xml, package=APP)
                golden = [Golden(g.action, g.size, g.boxes, n)
                          for g, n in zip(path, names, strict=True)]  # fmt: skip
                for one, other in zip(golden, names[1:], strict=False):
                    writer.edge(one.page, one, other)
                row = {"id": f"t{task}", "goal": "Buy a {{mocha}}.", "golden": golden}
                writer.task({**row, "page": names[-1], "snapshot": names[0], **columns})
            writer.head(name="clean", language="en", licence="CC0")
        return folder

    return make


@pytest.fixture
def contaminate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Return a function that runs the command and returns status, output and the new rows."""

    def run(data: Path, *options: str, name: str = "noisy") -> Any:
        output = tmp_path / name
        try:
            status: Any = command.main([str(data), "-o", str(output), *options])
        except SystemExit as error:
            status = error.code
        told = capsys.readouterr()
        found = rows(output / "tasks.jsonl") if status == 0 else []
        return status, told.out + told.err, found

    return run
