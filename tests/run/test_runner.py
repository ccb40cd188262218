"""How the runner conducts a session with an agent that it reaches through a conversation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Briefing, Case, DeviceInfo, Reply, Task, Termination, press, testing
from pytest_mobileagent.action import Finish
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.agent.agent import Agent, Scripted
from pytest_mobileagent.agent.conversation import TimeIsUpError, Work
from pytest_mobileagent.episode.event import LogLine
from pytest_mobileagent.episode.screens import ScreenStore
from pytest_mobileagent.episode.store import Recorder
from pytest_mobileagent.errors import AgentError, DeviceError, TaskError
from pytest_mobileagent.run import phone as phones
from pytest_mobileagent.run import runner
from pytest_mobileagent.run import session as sessions
from pytest_mobileagent.run.plan import AttemptPlan, ChosenAgent, Limits
from pytest_mobileagent.run.runner import ERROR_FILE, ConversationRunner, in_thread
from pytest_mobileagent.run.session import Session
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.clocks import Clock
from tests.run.agents import script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_mobileagent import Action, Observation

INFO = DeviceInfo("fake", "Fake phone", "15", 35, (1080, 2400), 420)


class Said:
    """A conversation that plays back the agent's messages; exceptions among them are raised."""

    def __init__(self, *messages: Reply | Work | Exception) -> None:
        self.messages = iter(messages)
        self.heard: list[Any] = []
        self.limits: list[float] = []
        self.ended = 0

    def begin(self, briefing: Briefing, observation: Observation) -> None:
        self.heard += [briefing.options, observation.screen.texts]

    def receive(self, seconds: float) -> Reply | Work:
        self.limits.append(seconds)
        message = next(self.messages)
        if isinstance(message, Exception):
            raise message
        return message

    def send(self, observation: Observation | None) -> None:
        self.heard.append(observation and observation.screen.texts)

    def end(self) -> None:
        self.ended += 1


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    phone = FakePhone([make_screen(str(number)) for number in range(5)])
    recorder = Recorder(tmp_path / "e", ScreenStore(tmp_path / "screens"))
    agent = ChosenAgent("mine", partial(in_thread, Agent, None))
    yield Session(AttemptPlan(Case(Task("Do it."), "t"), agent, Limits(3, 60.0)), phone, recorder)
    recorder.close()


@pytest.fixture
def play(session: Session, tmp_path: Path) -> Callable[[Said], Session]:
    def play(said: Said) -> Session:
        briefing = Briefing("Do it.", INFO, (), 7, tmp_path)
        try:
            ConversationRunner(said, "options").run(session, briefing)
        finally:
            assert said.ended == 1, "whatever happens"
        return session

    return play


def test_decisions_are_done_until_the_agent_reports(play):
    said = Said(Reply(Tap(1, 1)), Reply(Finish()), Work())
    session = play(said)
    assert session.ending.termination is Termination.SELF_REPORTED
    assert said.heard == ["options", ("0",), ("1",), None]
    assert said.limits == sorted(said.limits, reverse=True), "time goes by"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (runner, sessions, phones):
        monkeypatch.setattr(module, "time", clock)
    return clock


def test_recording_what_an_agent_says_takes_its_time(play, monkeypatch, clock):
    monkeypatch.setattr(Recorder, "step", clock.slow(Recorder.step, 40.0))
    said = Said(*[Reply(Tap(1, 1))] * 2, TimeIsUpError())
    ending = play(said).ending
    assert ending.termination is Termination.TIME_LIMIT
    assert 10 < said.limits[1] <= 20
    assert said.limits[2] == 0


def test_no_decision_acts_for_longer_than_an_episode_may_take(play, monkeypatch, clock):
    monkeypatch.setattr(FakePhone, "perform", clock.slow(FakePhone.perform, 40.0))
    session = play(Said(Reply([Tap(1, 1)] * 5), TimeIsUpError()))
    told = "action 3 of 5: those before it took longer than 60 s"
    assert session.observation.notice == told
    assert isinstance(session.device, FakePhone)
    assert len(session.device.actions) == 2


@pytest.mark.parametrize(
    ("messages", "termination", "error"),
    [
        (
            [TimeIsUpError()],
            Termination.TIME_LIMIT,
            "the agent failed at step 1: it exceeded 60 seconds",
        ),
        (
            [Reply(Tap(1, 1)), AgentError("it is gone")],
            Termination.AGENT_ERROR,
            "the agent failed at step 2: it is gone",
        ),
        (
            [Work(error="ValueError: no", trace="Traceback")],
            Termination.AGENT_ERROR,
            "the agent failed at step 1: it raised ValueError: no\nTraceback",
        ),
        (
            [Reply(Finish()), Work(complaint="the agent could not be closed: x")],
            Termination.SELF_REPORTED,
            "the agent could not be closed: x",
        ),
        (
            [Reply(Finish()), TimeIsUpError()],
            Termination.SELF_REPORTED,
            "the agent could not be closed in time",
        ),
        (
            [Reply(Finish()), AgentError("its process ended with status 3")],
            Termination.SELF_REPORTED,
            "the agent failed at step 1: its process ended with status 3",
        ),
        ([Reply([])] * 4 + [Work(error="ValueError: late")], Termination.STEP_LIMIT, ""),
    ],
)
def test_every_mistake_of_an_agent_is_in_the_ending(play, messages, termination, error):
    ending = play(Said(*messages)).ending
    assert (ending.termination, ending.error) == (termination, error)


def test_a_second_error_does_not_take_the_place_of_the_first_in_its_file(play, tmp_path):
    ending = play(Said(Work(error="x" * 9999, complaint="y" * 9999))).ending
    assert "x" * 9999 in (tmp_path / ERROR_FILE).read_text()
    assert len(ending.error) < 3000


FATAL = ("FATAL EXCEPTION: main", "Process: {package}, PID: 7", "java.lang.Error: no")


def crashing(package: str) -> Callable[[FakePhone, Action], None]:
    """Return a reaction in which an app crashes."""
    texts = [each.format(package=package) for each in FATAL]
    lines = [LogLine("11-24 08:00:00.000", 7, 7, "E", "AndroidRuntime", text) for text in texts]

    def react(phone: FakePhone, _action: Action) -> None:
        phone.pending_log += lines

    return react


@pytest.mark.parametrize("agent", ["script", "solution"])
@pytest.mark.parametrize("package", ["com.example.water", "com.example.other"])
def test_a_solution_that_crashes_the_app_of_its_task_is_broken(agent, package):
    class Solution(Scripted):
        """Plays the solution of the task."""

    task = Task("Do it.", app="com.example.water", solution=[press("back"), press("home")])
    phone = FakePhone([make_screen("0")], react=crashing(package))
    played = Solution if agent == "solution" else script(Tap(1, 1), Finish())
    if agent == "solution" and package in task.packages:
        with pytest.raises(TaskError, match=r"solution crashes an app, at step 1: .*water: java"):
            testing.play(played, task, phone=phone)
        return
    episode = testing.play(played, task, phone=phone)
    assert episode.crashes is not None
    assert {(crash.package, crash.error) for crash in episode.crashes} == {
        (package, "java.lang.Error: no")
    }


def test_a_phone_that_breaks_ends_the_conversation(play, session, monkeypatch):
    def break_down(_: Action) -> None:
        msg = "gone"
        raise DeviceError(msg)

    monkeypatch.setattr(session.device, "perform", break_down)
    with pytest.raises(DeviceError):
        play(Said(Reply(Tap(1, 1))))
    assert session.ending is None
