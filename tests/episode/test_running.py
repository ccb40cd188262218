"""Tests of which episodes of a run are in progress, according to its workers' files.

The episodes are read while they are being written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, DeviceInfo, Episode, ModelCall, Reset, Task, Termination
from pytest_mobileagent.action import Finish, Key
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.running import LiveEpisode, RunningEpisodes
from pytest_mobileagent.episode.runs import begin
from pytest_mobileagent.episode.store import STREAM, Recorder
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.run.folder import RunFolder
from tests.episode.recording import CASE, DEVICE, HEAD, RESET, record, recorder_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Worker:
    """Records an episode on a device, as a worker does."""

    def __init__(self, run: RunFolder, screen: Any, name: str, serial: str, at: int = 0) -> None:
        case = Case(Task("Do it."), name, "suite", f"test_it.py::{name}")
        self.folder, number = run.attempt(case)
        self.recorder, self.screen = Recorder(self.folder, run.screens), screen
        device = DeviceInfo(serial, "Pixel", "15", 35, (100, 200), 160)
        head = {"goal": "Do it.", "agent": "a", "attempt": number, "step_limit": 12}
        head["recorded"] = f"2026-01-01T00:00:{at:02}"
        self.recorder.start(case, device, Reset("snapshot", "default_boot"), head)
        self.recorder.observation(screen, {})

    def step(self, *actions: Any, price: float | None = None, **fields: Any) -> None:
        call = ModelCall("gpt", price_usd=price)
        ExchangeLog(self.folder).add({"call": call.to_json(), "error": ""})
        self.recorder.step(actions, "so be it", [], 0.1, **fields)
        self.recorder.observation(self.screen, {})

    def end(self) -> None:
        self.recorder.end(Termination.SELF_REPORTED, "", 1.0)


@pytest.fixture
def worker(tmp_path: Path, make_screen: Callable[..., Any]) -> Iterator[Callable[..., Worker]]:
    run = RunFolder(tmp_path, "run", "now")
    made: list[Worker] = []

    def make(*about: Any) -> Worker:
        made.append(Worker(run, make_screen(), *about))
        return made[-1]

    yield make
    for each in made:
        each.recorder.close()


def shown(running: Any) -> list[tuple[Any, ...]]:
    return [(each.serial, each.case.id, each.steps, each.step_limit) for each in running]


def test_a_running_episode_is_followed_step_by_step(tmp_path, worker):
    episodes = RunningEpisodes(tmp_path)
    assert episodes.look() == []
    second, first = worker("b", "emulator-2"), worker("a", "emulator-1")
    assert shown(episodes.look()) == [("emulator-1", "a", 0, 12), ("emulator-2", "b", 0, 12)]
    first.step(Tap(1, 2), price=0.25)
    first.step(Tap(1, 2), counts=False)
    first.step(Finish("3"), price=0.5)
    (now, _) = episodes.look()
    assert (now.steps, now.said, now.cost_usd) == (2, "so be it", 0.75)
    assert (tmp_path / "screens" / f"{now.png}.png").is_file()
    first.end()
    assert shown(episodes.look()) == [("emulator-2", "b", 0, 12)]
    assert shown(episodes.look({"test_it.py::b"})) == []
    second.end()


def test_device_runs_one_episode_despite_unfinished_records(tmp_path, worker):
    episodes = RunningEpisodes(tmp_path)
    worker("a", "emulator-1", 1)
    worker("b", "emulator-1", 2)
    assert shown(episodes.look()) == [("emulator-1", "b", 0, 12)]
    assert RunningEpisodes(tmp_path).look() == []  # They began earlier.


@pytest.mark.parametrize("line", ["{}", "no JSON", '{"record": "episode"}'])
def test_an_invalid_record_is_left_out(tmp_path, line):
    episodes = RunningEpisodes(tmp_path)
    (tmp_path / "episodes" / "a.0").mkdir(parents=True)
    (tmp_path / "episodes" / "a.0" / STREAM).write_text(line)
    assert episodes.look() == []  # The line is incomplete.
    (tmp_path / "episodes" / "a.0" / STREAM).write_text(line + "\n")
    assert episodes.look() == []


def test_live_reader_sees_the_same_as_a_later_reader(make_screen, folders):
    recorder = recorder_in(next(folders))
    recorder.start(CASE, DEVICE, RESET, HEAD)
    live = LiveEpisode(recorder.folder, Episode)
    seen: list[Any] = []
    for number in range(4):
        recorder.observation(make_screen("early"), {"n": -1})
        live.read()
        recorder.observation(make_screen(str(number)), {"n": number}, again=True)
        episode = live.read()
        assert episode == read(recorder.folder, Episode)
        assert [*map(id, episode.screens[:number])] == [*map(id, seen)]
        seen = list(episode.screens)
        recorder.step([Key("back")], "ä", [], 0.5)
    recorder.end(Termination.STOPPED, "", 1.0)
    assert live.read() == read(recorder.folder, Episode)
    assert live.read().termination is Termination.STOPPED


def test_incomplete_line_is_read_when_it_is_complete(make_screen, folders):
    recorder = recorder_in(next(folders))
    whole = record(recorder, make_screen)
    recorder.close()
    content = (whole / STREAM).read_bytes()
    part = whole.parent / "part.0"
    part.mkdir()
    live, found = LiveEpisode(part, EpisodeRecord), 0
    for length in range(0, len(content) + 1, 97):
        (part / STREAM).write_bytes(content[:length])
        try:
            found = len(live.read().steps)
        except RecordError:
            assert found == 0
    (part / STREAM).write_bytes(content)
    assert live.read().steps == read(whole, EpisodeRecord).steps


def test_an_unreadable_record_is_an_error(tmp_path):
    live = LiveEpisode(tmp_path, EpisodeRecord)
    with pytest.raises(RecordError, match="while it is being written"):
        live.read()
    (tmp_path / STREAM).write_text("no JSON\n")
    with pytest.raises(RecordError, match="while it is being written"):
        live.read()


@pytest.mark.parametrize(
    ("names", "running"),
    [
        ("abc", [("north", "gw0"), ("north", "gw1"), ("south", "gw2")]),
        ("aab", [("north", "gw1"), ("south", "gw2")]),  # A test was repeated elsewhere.
    ],
)
def test_devices_on_several_machines_may_share_a_serial(worker, tmp_path, names, running):
    episodes = RunningEpisodes(tmp_path)
    for number, (name, node) in enumerate(zip(names, ["north", "north", "south"], strict=True)):
        folder = worker(name, "emulator-5554", number).folder
        begin(folder, "virtual", f"gw{number}", alone=True, node=node)
    found = [(each.place, each.worker) for each in episodes.look()]
    assert found == [(f"emulator-5554 on {node}", name) for node, name in running]
