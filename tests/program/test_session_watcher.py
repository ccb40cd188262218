"""Reports of a program's recorders become steps of a session on a phone in memory.

The phone stands in for the one that programs reach through adb.
"""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Case, Finish, Impossible, Key, Raw, Tap, Task, Termination, Type
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.mcp.endpoint import SessionPhone
from pytest_mobileagent.program import session_watcher
from pytest_mobileagent.program.commands import Command
from pytest_mobileagent.program.session_watcher import SessionWatcher
from pytest_mobileagent.program.track import Jobs, LoopThread, RawLog
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.session import Session
from pytest_mobileagent.testing import FakePhone, make_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent import Action
    from pytest_mobileagent.program.commands import Act
    from pytest_mobileagent.run.plan import AgentRunner

    Record = Callable[[], EpisodeRecord]


@pytest.fixture
def phone() -> FakePhone:
    screens = [make_screen(str(number), size=(100, 200)) for number in range(10)]
    return FakePhone(screens)


def unused(case: Case, values: Mapping[str, Any]) -> AgentRunner:
    raise AssertionError


class Program:
    """A program in the recorders' event loop; its requests are processed in this thread."""

    def __init__(self, loop: LoopThread, watcher: SessionWatcher, phone: FakePhone) -> None:
        self.loop, self.watcher, self.phone = loop, watcher, phone

        self.tools = SessionPhone(watcher)

    def does(self, work: Coroutine[Any, Any, Any]) -> Any:
        async def noted() -> Any:
            try:
                return await work
            finally:
                over.append(True)

        over: list[bool] = []
        future = asyncio.run_coroutine_threadsafe(noted(), self.loop._loop)
        while not over:
            self.watcher.work(0.01)
        return future.result(5)

    def act(self, *acts: Act, error: str = "") -> str:
        """Ask for permission for an act and perform it; return the reason if it was refused."""
        passage = self.does(self.watcher.command(Command(f"{acts}", acts)))
        if not passage.refused:
            self.phone.actions += [Key("home")]  # makes the phone show its next screen
            passage.done(error)
        return str(passage.refused)

    def look(self) -> None:
        self.does(self.watcher.command(Command("screencap", looks=True))).done()
        self.watcher.drain()

    def ask(self, said: str = "") -> str:
        refused = str(self.does(self.watcher.call_begins()))
        self.watcher.drain()
        if not refused:
            self.watcher.call_ended(said)
        return refused


@pytest.fixture
def session(phone: FakePhone, tmp_path: Path) -> Iterator[Session]:
    recorder = Recorder(tmp_path / "episodes" / "it", ScreenStore(tmp_path / "screens"))
    agent = ChosenAgent("p", unused, program={"rule": 1})
    case = Case(Task("Do it."), "it", "", "it")
    yield Session(AttemptPlan(case, agent, Limits(3, 60)), phone, recorder)
    recorder.close()


@pytest.fixture
def program(session: Session, phone: FakePhone) -> Iterator[Program]:
    with LoopThread() as loop:
        yield Program(
            loop,
            SessionWatcher(session, "Do it.", Jobs(), RawLog(session.folder / "adb.jsonl")),
            phone,
        )


@pytest.fixture
def record(session: Session) -> Record:
    """Returns the record so far."""

    def read_back() -> EpisodeRecord:
        ending = session.ending
        if ending is not None:
            session._recorder.end(ending.termination, ending.error, 1.0)
        return read(session.folder, EpisodeRecord)

    return read_back


def actions(record: EpisodeRecord) -> list[tuple[Action, ...]]:
    return [step.actions for step in record.steps]


def test_each_step_has_its_screen_and_the_models_reply(program, record):
    program.ask("I tap.")
    program.act(Tap(1, 1))
    program.ask("I type.")
    program.act(Type("a"))
    program.act(Type("b"))
    program.watcher.finish(Finish("done"))
    episode = record()
    assert actions(episode) == [(Tap(1, 1),), (Type("ab"),), (Finish("done"),)]
    assert [step.said for step in episode.steps] == ["I tap.", "I type.", ""]
    assert [step.screen.texts for step in episode.steps] == [("0",), ("1",), ("3",)]
    assert episode.termination is Termination.SELF_REPORTED
    assert episode.answer == "done"


def test_act_beyond_the_limit_is_refused_and_ends_the_episode(program, session, record):
    for place in range(0, 90, 30):
        assert program.act(Tap(place, 0)) == ""
    assert "over" in program.act(Tap(99, 0))
    assert session.ending.termination is Termination.STEP_LIMIT
    assert "over" in program.act(Key("back"))
    assert "over" in program.ask()
    assert len(program.phone.actions) == 3
    assert record().step_count == 3


def test_acts_after_meeting_the_goal_are_refused(session, program, record):
    session.plan = replace(session.plan, is_done=lambda _: session.steps == 1)
    assert program.act(Tap(1, 1)) == ""
    program.look()
    assert program.act(Tap(2, 2)) == "the episode is over"
    assert program.ask() == "the episode is over"
    episode = record()
    assert (episode.termination, actions(episode)) == (Termination.STOPPED, [(Tap(1, 1),)])
    assert episode.error == ""


def test_goal_met_by_the_last_step_is_noticed_at_the_end(session, program, record):
    session.plan = replace(session.plan, is_done=lambda _: session.steps == 1)
    program.act(Tap(1, 1))
    program.watcher.end(Termination.TIME_LIMIT, "it exceeded 60 seconds")
    episode = record()
    assert (episode.termination, actions(episode)) == (Termination.STOPPED, [(Tap(1, 1),)])
    assert episode.error == ""


def test_acts_between_observations_are_joined_by_a_model_call(program, record):
    program.ask()
    program.act(Tap(1, 1))
    program.look()
    program.act(Tap(50, 50))
    program.ask()
    program.watcher.end(Termination.AGENT_ERROR)
    assert actions(record()) == [(Tap(1, 1), Tap(50, 50))]


def test_act_waits_for_the_record_of_the_finished_call(program, monkeypatch):
    monkeypatch.setattr(session_watcher, "_LAST_CALL_SECONDS", 60.0)
    program.does(program.watcher.call_begins())
    tap = Command("input tap 1 1", (Tap(1, 1),))
    passes = asyncio.run_coroutine_threadsafe(program.watcher.command(tap), program.loop._loop)
    program.loop._loop.call_soon_threadsafe(program.watcher.call_ended, "I tap.")
    while not passes.done():
        program.watcher.work(0.01)
    act = passes.result().act
    assert act.reply == "I tap."
    began = time.monotonic()
    program.act(Tap(2, 2))  # no model call is open any more
    assert time.monotonic() - began < 30


def test_an_action_that_fails_is_reported(program, record):
    program.act(Raw("input what"), error="exit status 255")
    program.watcher.finish(Impossible("it does not work"))
    episode = record()
    assert "exit status 255" in episode.steps[0].notice
    assert episode.termination is Termination.GAVE_UP


def test_a_refused_command_is_not_an_act(program, record):
    passage = program.does(program.watcher.command(Command("reboot:", refused="no")))
    assert passage.refused == "no"
    program.watcher.end(Termination.AGENT_ERROR)
    assert record().steps == ()


def test_program_may_mark_its_steps(program, session, record):
    assert program.does(program.watcher.step("begin")) == ""
    program.act(Tap(1, 1))
    program.look()
    program.act(Key("back"))
    assert program.does(program.watcher.step("end")) == ""
    for _ in range(2):  # nothing is observed within these steps
        assert program.does(program.watcher.step("begin")) == ""
        assert program.does(program.watcher.step("end")) == ""
    assert "over" in program.does(program.watcher.step("begin"))
    assert actions(record()) == [(Tap(1, 1), Key("back")), (Raw("unseen"),), (Raw("unseen"),)]


def test_mcp_tools_record_separate_steps(program, record, phone):
    program.act(Tap(1, 1))
    seen = program.does(program.tools.act(Key("back")))
    assert seen.screen.texts == ("2",)
    program.does(program.tools.run("set_orientation landscape", "settings put …"))
    assert program.tools.steps_left == 0
    assert program.does(program.tools.act(Key("home"))) is None
    episode = record()
    assert actions(episode)[1:] == [(Key("back"),), (Raw("set_orientation landscape"),)]
    assert episode.termination is Termination.STEP_LIMIT


def test_looking_again_replaces_the_screen_and_is_no_step(program, record, phone):
    first = record()
    program.does(program.tools.act(Key("back")))
    for text in ("late", "later"):
        phone.screens = [make_screen(text)]
        program.watcher._seen_at -= 10
        assert program.does(program.tools.observe()).screen.texts == (text,)
    program.does(program.tools.act(Key("home")))
    episode = record()
    assert [step.screen.texts for step in episode.steps] == [("0",), ("later",)]
    assert len(episode.screens) == 3
    assert (episode.step_count, program.tools.steps) == (2, 2)
    assert episode.started == first.started


def test_capture_waits_for_the_programs_dump(program):
    dump = Command("uiautomator dump", looks=True, automation=True)
    for _ in range(2):
        passage = program.does(program.watcher.command(dump))
        looking = threading.Thread(target=program.watcher._automation.wait_until_free)
        looking.start()
        looking.join(0.05)
        assert looking.is_alive()
        passage.done()
        passage.done()  # a second call has no effect
        looking.join(5)
        assert not looking.is_alive()


def test_starting_server_gets_time_before_the_next_capture(program, monkeypatch):
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    program.does(program.watcher.command(Command("am instrument …", automation=True)))
    program.act(Tap(1, 1))
    program.act(Tap(90, 90))
    assert max(slept) == pytest.approx(1.0, abs=0.5)
