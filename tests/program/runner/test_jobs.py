"""Jobs from one thread's event loop, done in another thread."""

from __future__ import annotations

import asyncio
import threading

import pytest

from pytest_mobileagent.program.runner.track import Jobs, LoopThread


def test_a_job_is_done_where_the_queue_is_worked_off_and_its_result_comes_back() -> None:
    jobs = Jobs()
    with LoopThread() as loop:
        asked = asyncio.run_coroutine_threadsafe(jobs.ask(threading.get_ident), loop._loop)
        assert jobs.do_next(5)
        assert asked.result(5) == threading.get_ident()
        assert not jobs.do_next(0)


def test_what_a_job_raises_is_raised_on_both_sides() -> None:
    jobs = Jobs()

    def fail() -> None:
        raise LookupError

    with LoopThread() as loop:
        asked = asyncio.run_coroutine_threadsafe(jobs.ask(fail), loop._loop)
        with pytest.raises(LookupError):
            jobs.do_next(5)
        with pytest.raises(LookupError):
            asked.result(5)


def test_ctrl_c_in_a_job_does_not_end_the_event_loop_of_whoever_asked_for_it() -> None:
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


def test_whoever_waits_for_a_job_that_is_never_done_is_let_go() -> None:
    jobs = Jobs()
    with LoopThread() as loop:
        asked = jobs.tell(int)
        jobs.cancel()
        assert asked.cancelled()
        assert not jobs.do_next(0)
        forgotten = asyncio.run_coroutine_threadsafe(jobs.ask(int), loop._loop)
    assert forgotten.cancelled()  # with the loop
