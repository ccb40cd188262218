"""Steps derived from a program's acts, looks and model calls.

Also, jobs that a thread's event loop hands over to another thread.
"""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.action import Key, Type
from pytest_mobileagent.action.gestures import Tap
from pytest_mobileagent.device.device import Capture
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.program.commands import Command, Pointer
from pytest_mobileagent.program.track import Jobs, LoopThread, Track, WatchedAct
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from pytest_mobileagent.episode import Step
    from pytest_mobileagent.program.commands import Act


NOW = Capture(make_screen("now"), {})


class Told(Track):
    """A track that receives acts one second apart, each of which takes 0.1 s."""

    clock = 0.0

    def act(self, *acts: Act, error: str = "", calls: tuple[ModelCall, ...] = ()) -> None:
        self.clock += 1.0
        command = Command(f"input {acts}", acts)
        before = None if self.continues(command, self.clock) else Capture(make_screen("x"), {})
        told = WatchedAct(command, before, self.clock, calls, "", self.clock, self.clock + 0.1)
        told.error = error
        self.add(told)


@pytest.fixture
def track() -> Told:
    return Told()


def taken(track: Track, *, ends: bool = True) -> list[tuple[object, ...]]:
    return [step.actions for step in steps(track, ends=ends)]


def steps(track: Track, *, ends: bool = True) -> list[Step]:
    return [step for step, _ in track.take(NOW, ends=ends)]


def test_acts_between_two_model_calls_are_one_step(track):
    track.mark("call")
    track.act(Tap(1, 1))
    track.mark("look")
    track.act(Type("a"))
    track.mark("call")
    track.act(Key("back"))
    track.mark("call")
    assert taken(track, ends=False) == [(Tap(1, 1), Type("a")), (Key("back"),)]
    assert taken(track) == []  # each step is taken only once


def test_observations_separate_steps_without_model_calls(track):
    track.act(Tap(1, 1))
    track.mark("look")
    track.act(Tap(50, 50))
    track.act(Key("back"))
    track.mark("look")
    track.act(Key("home"))
    assert track.steps() == 3
    assert taken(track) == [(Tap(1, 1),), (Tap(50, 50), Key("back")), (Key("home"),)]


def test_letters_and_gesture_parts_without_observation_are_one_act(track):
    for letter in "abc":
        track.act(Type(letter))
    track.act(Pointer("down", 5, 5))
    track.clock -= 0.95
    track.act(Pointer("up", 5, 5))
    assert track.steps() == 2
    assert taken(track) == [(Type("abc"),), (Tap(5, 5),)]


def test_screen_after_a_step_is_the_screen_before_the_next(track):
    track.act(Tap(1, 1))
    track.act(Key("back"))
    first, second = track.take(NOW, ends=True)
    assert first[1].screen.texts == ("x",)
    assert second[1] is NOW


def test_the_last_step_waits_for_a_look(track):
    track.mark("call")
    track.act(Tap(1, 1))
    track.mark("call")
    assert list(track.take(None)) == []
    assert track.pending()
    assert taken(track) == [(Tap(1, 1),)]


def test_track_starts_again_after_its_end(track):
    track.mark("call")
    track.act(Tap(1, 1))
    assert taken(track, ends=True) == [(Tap(1, 1),)]
    track.act(Key("back"))
    track.act(Key("home"))
    track.mark("call")  # encloses these acts together with the earlier call
    assert taken(track) == [(Key("back"), Key("home"))]


def test_calls_and_failures_belong_to_their_step(track):
    call = ModelCall("gpt-4o")
    track.act(Tap(1, 1), error="exit status 1", calls=(call,))
    (step,) = steps(track)
    assert step.calls == (call,)
    assert step.notice.endswith("exit status 1")
    assert step.undone == 1
    track.act(Tap(1, 1), error="exit status 1")
    track.act(Key("back"), Key("home"), error="exit status 1")  # the first act may have been done
    assert [step.undone for step in steps(track)] == [1, 0]


def at(asked: float, passed: float, ended: float) -> WatchedAct:
    return WatchedAct(Command("x", (Tap(1, 1),)), NOW, asked, (), "", passed, ended)


def test_time_is_the_programs_except_for_acting_and_being_held_up():
    began = time.monotonic() - 10
    track = Track(since=began)
    track._pauses.append((began + 3, began + 5))
    track.add(at(began + 3, began + 5, began + 6))
    assert track.worked() == pytest.approx(10 - 1 - 2, abs=0.5)
    (step,) = steps(track)
    assert step.seconds_acting == pytest.approx(1)
    assert step.seconds_thinking == pytest.approx(6 - 1 - 2)
    assert track.thinking() == pytest.approx(4, abs=0.5)
    assert track.worked() == pytest.approx(7, abs=0.5)


def test_seconds_are_counted_once():
    began = time.monotonic() - 10
    track = Track(since=began)
    for start in (1.0, 1.5, 2.0):  # three threads, each held up while another one acts
        track._pauses.append((began + 0.5, began + start))
        track.add(at(began + 0.5, began + start, began + start + 3))
    done = steps(track)
    assert sum(step.seconds_acting for step in done) == pytest.approx(4)
    assert sum(step.seconds_thinking for step in done) == pytest.approx(0.5)
    assert track.worked() == pytest.approx(10 - 4.5, abs=0.5)


def test_thinking_restarts_after_a_step_recorded_elsewhere():
    began = time.monotonic() - 10
    track = Track(since=began)
    track._pauses.append((began + 1, began + 2))
    assert track.thinking() == pytest.approx(9, abs=0.5)
    track.begin_step()
    assert track.thinking() == pytest.approx(0, abs=0.5)


def test_long_command_counts_as_thinking_after_a_limit():
    act = WatchedAct(Command("x", (Tap(1, 1),)), NOW, 0.0)
    act.passed = time.monotonic() - 100
    begin, end = act.acting
    assert end - begin == pytest.approx(30.0)


def test_job_runs_in_the_session_thread_and_returns_its_result():
    jobs = Jobs()
    with LoopThread() as loop:
        asked = asyncio.run_coroutine_threadsafe(jobs.ask(threading.get_ident), loop._loop)
        assert jobs.do_next(5)
        assert asked.result(5) == threading.get_ident()
        assert not jobs.do_next(0)


def test_exception_in_a_job_is_raised_on_both_sides():
    jobs = Jobs()

    def fail() -> None:
        raise LookupError

    with LoopThread() as loop:
        asked = asyncio.run_coroutine_threadsafe(jobs.ask(fail), loop._loop)
        with pytest.raises(LookupError):
            jobs.do_next(5)
        with pytest.raises(LookupError):
            asked.result(5)


def test_ctrl_c_in_a_job_does_not_end_the_event_loop():
    jobs = Jobs()

    def interrupted() -> None:
        raise KeyboardInterrupt

    with LoopThread() as loop:
        asked = asyncio.run_coroutine_threadsafe(jobs.ask(interrupted), loop._loop)
        with pytest.raises(KeyboardInterrupt):
            jobs.do_next(5)
        with pytest.raises(OSError, match="the run ends"):
            asked.result(5)
        loop.run(asyncio.wait_for(asyncio.sleep(0), 5))


def test_waiting_for_a_job_that_is_never_done_ends():
    jobs = Jobs()
    with LoopThread() as loop:
        asked = jobs.add(int)
        jobs.cancel()
        assert asked.cancelled()
        assert not jobs.do_next(0)
        forgotten = asyncio.run_coroutine_threadsafe(jobs.ask(int), loop._loop)
    assert forgotten.cancelled()  # together with the loop
