"""Agents that run in a thread of this process."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import Agent, Briefing, DeviceInfo, Finish, Observation, Reply, Tap
from pytest_mobileagent.agent.conversation import ThreadConversation, TimeIsUpError, Work
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE = 10.0
INFO = DeviceInfo("fake", "Fake phone", "15", 35, (1080, 2400), 420)
BRIEFING = Briefing("Do it.", INFO, (), 7, Path())
FIRST, SECOND = Observation(make_screen("1")), Observation(make_screen("2"))


def conversation(step: Callable[..., Any], **methods: Any) -> ThreadConversation:
    talk = ThreadConversation(type("Mine", (Agent,), {"step": step, **methods}))
    talk.begin(BRIEFING, FIRST)
    return talk


def test_all_calls_run_in_one_separate_thread():
    calls: list[tuple[int, str]] = []

    class Witness:
        def __init__(self) -> None:
            self.note("init")

        def note(self, what: str) -> None:
            calls.append((threading.get_ident(), what))

        def start(self, briefing: Briefing) -> None:
            self.note(f"start {briefing.goal}")

        def step(self, observation: Observation) -> Any:
            self.note(f"step {observation.screen.texts[0]}")
            return Tap(1, 1) if observation is FIRST else Finish()

        def close(self) -> None:
            self.note("close")

    talk = ThreadConversation(Witness)
    talk.begin(BRIEFING, FIRST)
    assert talk.receive(PATIENCE) == Reply([Tap(1, 1)], calls=[])
    talk.send(SECOND)
    assert talk.receive(PATIENCE) == Reply([Finish()], calls=[])
    talk.send(None)
    assert talk.receive(PATIENCE) == Work()
    talk.end()
    assert [what for _, what in calls] == ["init", "start Do it.", "step 1", "step 2", "close"]
    assert len({ident for ident, _ in calls} - {threading.get_ident()}) == 1


def raising(error: BaseException) -> Callable[..., Any]:
    def step(*_: Any) -> Any:
        raise error

    return step


@pytest.mark.parametrize("scripted", [True, False])
def test_only_a_scripted_agent_can_blame_the_task(scripted):
    error = TaskError("no such element")
    talk = ThreadConversation(type("Mine", (Agent,), {"step": raising(error)}), scripted=scripted)
    talk.begin(BRIEFING, FIRST)
    done = talk.receive(PATIENCE)
    assert isinstance(done, Work)
    assert done.broken_task is (error if scripted else None)
    assert "TaskError: no such element" in done.error
    talk.end()


def test_endless_loop_is_ended():
    def spin(*_: Any) -> None:
        while True:
            pass

    talk = conversation(spin)
    with pytest.raises(TimeIsUpError):
        talk.receive(0.05)
    talk.end()
    assert talk._thread is not None
    talk._thread.join(PATIENCE)
    assert not talk._thread.is_alive()


def test_ctrl_c_does_not_wait_for_the_agent(monkeypatch):
    release = threading.Event()
    talk = conversation(lambda *_: release.wait(PATIENCE))

    class Pressed:
        def get(self, timeout: float) -> Any:
            raise KeyboardInterrupt

        def put(self, message: Any) -> None: ...

    monkeypatch.setattr(talk, "_from_agent", Pressed())
    with pytest.raises(KeyboardInterrupt):
        talk.receive(PATIENCE)
    started = time.monotonic()
    talk.end()
    assert time.monotonic() - started < PATIENCE / 2
    release.set()
