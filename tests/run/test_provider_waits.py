"""The time that agents wait for providers, which is not theirs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import Agent, Termination
from pytest_mobileagent.action import Finish
from pytest_mobileagent.agent.conversation import ThreadConversation, TimeIsUpError
from pytest_mobileagent.llm import metered
from pytest_mobileagent.llm.model import ProviderError
from pytest_mobileagent.run import phone as phones
from pytest_mobileagent.run import runner
from pytest_mobileagent.run import session as sessions
from pytest_mobileagent.run.phone import SessionCalls
from pytest_mobileagent.testing import FakePhone, Fault, ScriptedModel, make_screen, play
from tests.clocks import Clock

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import Completion, Request


class Asks(Agent):
    """Asks its model once and then finishes."""

    def start(self, briefing):
        self.model = briefing.model()

    def step(self, observation):
        return Finish(self.model.complete("Hello?").text)


class Busy(ScriptedModel):
    """A model that is busy for 100 s, and answers after the runner has looked at the limit."""

    def __init__(self, clock: Clock) -> None:
        super().__init__([Fault(429, retry_after=0), "at last"])
        self.clock, self.again, self.looked = clock, threading.Event(), threading.Event()

    def ask(self, request: Request) -> Completion:
        if self.clock.ahead:
            self.again.set()
            assert self.looked.wait(10)
        self.clock.ahead = 100.0
        return super().ask(request)


def test_the_time_that_a_busy_provider_costs_is_given_back(monkeypatch):
    clock = Clock()
    for module in (phones, runner, sessions, metered):
        monkeypatch.setattr(module, "time", clock)
    model = Busy(clock)
    receive, lost = ThreadConversation.receive, SessionCalls.seconds_lost

    def received(conversation, seconds):
        if not model.looked.is_set():
            assert model.again.wait(10)
            raise TimeIsUpError
        return receive(conversation, seconds)

    def looked(session):
        found = lost(session)
        model.looked.set()
        return found

    monkeypatch.setattr(ThreadConversation, "receive", received)
    monkeypatch.setattr(SessionCalls, "seconds_lost", looked)
    phone = FakePhone([make_screen("list")])
    episode = play(Asks, "Ask.", phone=phone, model=model, time_limit=60)
    assert (episode.termination, episode.answer) == (Termination.SELF_REPORTED, "at last")
    assert (episode.calls[0].waited or 0) >= 100
    assert episode.steps[0].seconds_thinking < 60


def test_a_provider_that_is_no_longer_busy_gives_no_time_back():
    class Sleeps(Asks):
        def step(self, observation):
            super().step(observation)
            threading.Event().wait(60)

    model = ScriptedModel([Fault(429, retry_after=0), "at last"])
    episode = play(
        Sleeps, "Ask.", phone=FakePhone([make_screen("list")]), model=model, time_limit=0.2
    )
    assert episode.termination == Termination.TIME_LIMIT
    assert len(episode.calls) == 1


class Owing(ScriptedModel):
    """A model that answers, or stalls, only after the runner has looked at the time limit."""

    stalls = True
    looked = threading.Event()

    def ask(self, request: Request) -> Completion:
        assert self.looked.wait(10)
        if self.stalls:
            raise ProviderError("http://model: no answer came in time")
        return super().ask(request)


@pytest.fixture
def owing(monkeypatch: pytest.MonkeyPatch) -> Owing:
    awaits = SessionCalls.awaits_provider

    def look(session: SessionCalls) -> bool:
        found = awaits(session)
        Owing.looked.set()
        return found

    Owing.looked.clear()
    monkeypatch.setattr(SessionCalls, "awaits_provider", look)
    return Owing(["at last", "again"])


def test_a_provider_that_stalls_beyond_the_time_limit_is_at_fault(owing, phone):
    with pytest.raises(ProviderError, match="no answer came in time"):
        play(Asks, "Ask.", phone=phone, model=owing, time_limit=0.05)


def test_a_slow_answer_after_the_time_limit_is_the_agents_time(owing, phone):
    owing.stalls = False
    episode = play(Asks, "Ask.", phone=phone, model=owing, time_limit=0.05)
    assert episode.termination == Termination.TIME_LIMIT
    assert episode.folder is not None
    assert not list(episode.folder.glob("*.asking"))
