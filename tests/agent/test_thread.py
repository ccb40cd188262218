from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_mobileagent.agent.thread import AgentThread, TimeLimitError
from pytest_mobileagent.errors import AgentError, TaskError

if TYPE_CHECKING:
    import queue
    from collections.abc import Iterator

PATIENCE = 10.0


@pytest.fixture
def thread() -> Iterator[AgentThread]:
    thread = AgentThread(PATIENCE)
    yield thread
    thread.close()
    thread._thread.join(PATIENCE)
    assert not thread._thread.is_alive()


class UnspeakableError(Exception):
    def __str__(self) -> NoReturn:
        raise RuntimeError


def throw(error: BaseException) -> NoReturn:
    raise error


def test_all_calls_are_made_in_one_thread_that_is_not_this_one(thread: AgentThread) -> None:
    idents = {thread.call(threading.get_ident) for _ in range(3)}
    assert len(idents) == 1
    assert threading.get_ident() not in idents


def test_a_call_takes_arguments_and_returns_what_the_function_does(thread: AgentThread) -> None:
    assert thread.call(divmod, 17, 5) == (3, 2)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("no idea"), "it raised ValueError: no idea"),
        (SystemExit(3), "it raised SystemExit: 3"),
        (KeyboardInterrupt(), "it raised KeyboardInterrupt"),
        (StopIteration(), "it raised StopIteration"),
        (UnspeakableError(), "it raised .*UnspeakableError"),
        (AgentError("out of memory"), "^out of memory$"),
    ],
    ids=repr,
)
def test_whatever_the_agent_raises_is_an_agents_error(
    thread: AgentThread, error: BaseException, told: str
) -> None:
    with pytest.raises(AgentError, match=told) as caught:
        thread.call(throw, error)
    assert error in (caught.value, caught.value.__cause__)
    assert thread.call(abs, -1) == 1


def test_a_broken_task_stays_a_broken_task(thread: AgentThread) -> None:
    error = TaskError("no such element")
    with pytest.raises(TaskError) as caught:
        thread.call(throw, error)
    assert caught.value is error


def test_a_call_that_does_not_come_back_is_left_behind_and_the_next_waits_for_nothing() -> None:
    thread = AgentThread(0.05)
    release, called = threading.Event(), threading.Event()
    with pytest.raises(TimeLimitError):
        thread.call(release.wait)
    with pytest.raises(TimeLimitError):
        thread.call(called.set)
    assert not called.is_set()
    thread.close()
    release.set()
    assert called.wait(PATIENCE), "the second call is made once the first has ended"
    thread._thread.join(PATIENCE)
    assert not thread._thread.is_alive()


def test_a_loop_without_end_is_ended() -> None:
    thread = AgentThread(0.05)

    def spin() -> None:
        while True:
            pass

    with pytest.raises(TimeLimitError):
        thread.call(spin)
    thread.close()
    thread._thread.join(PATIENCE)
    assert not thread._thread.is_alive()


def test_without_time_no_call_is_waited_for() -> None:
    thread = AgentThread(0.0)
    begun = threading.Event()
    with pytest.raises(TimeLimitError):
        thread.call(time.monotonic)
    with pytest.raises(TimeLimitError):
        thread.call(begun.set)
    thread.close()
    thread._thread.join(PATIENCE)
    assert begun.is_set()


class CtrlC:
    """A way to the thread at whose end the user presses Ctrl-C."""

    def __init__(self, calls: queue.SimpleQueue[Any], begun: threading.Event) -> None:
        self.calls = calls
        self.begun = begun

    def put(self, call: Any) -> None:
        self.calls.put(call)
        self.begun.wait(PATIENCE)
        raise KeyboardInterrupt


def test_ctrl_c_waits_for_no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    thread = AgentThread(PATIENCE)
    begun, release = threading.Event(), threading.Event()

    def hang() -> None:
        begun.set()
        release.wait()

    with monkeypatch.context() as patch:
        patch.setattr(thread, "_calls", CtrlC(thread._calls, begun))
        with pytest.raises(KeyboardInterrupt):
            thread.call(hang)
    started = time.monotonic()
    with pytest.raises(TimeLimitError):
        thread.call(abs, -1)
    assert time.monotonic() - started < PATIENCE / 2
    thread.close()
    release.set()
    thread._thread.join(PATIENCE)
    assert not thread._thread.is_alive()
