"""Ends a run: its exit status, the reason, signals, and the end of pytest-xdist's workers."""

from __future__ import annotations

import os
import select
import signal
import stat
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty
from typing import Any

import pytest

from pytest_mobileagent.plugin.pytest_private import too_many_crashes, worker_processes

TOO_MUCH_BROKE = 9  # the exit status of a run that mobile_max_infra ended
NOTHING_DECIDED = pytest.ExitCode.NO_TESTS_COLLECTED  # 5
_DECIDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
_AS_THEY_ARE = (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)


@dataclass(frozen=True, slots=True)
class RunEnding:
    """The facts, in addition to pytest's own, that decide the exit status.

    - `too_much_broke`: whether `mobile_max_infra` ended the run.
    - `budget_is_spent`: whether `--mobile-max-cost` or `--mobile-max-tokens` ended the run.
    - `is_incomplete`: whether a selected test has no result.
    - `only_decided_failures`: whether only decided tasks failed, which `--mobile-exit=run` ignores.
    - `only_skips`: whether the run had only tasks, and all were skipped.
    - `gate`: the gate's exit status; None without a gate.
    - `others_failed`: whether anything failed that the gate does not count: a test that is not a
      task failed or has no result, or the tear-down of a decided task raised an error.
    """

    too_much_broke: bool = False
    budget_is_spent: bool = False
    is_incomplete: bool = False
    only_decided_failures: bool = False
    only_skips: bool = False
    gate: int | None = None
    others_failed: bool = False

    def status(self, given: int) -> int:
        """Return the exit status of a run that pytest would end with the status `given`."""
        if given in _AS_THEY_ARE:
            return given
        if self.too_much_broke:
            return TOO_MUCH_BROKE
        if self.budget_is_spent:
            return pytest.ExitCode.INTERRUPTED
        if self.gate is not None and given in _DECIDED:
            # Not 8, which pipelines may accept.
            return 1 if self.others_failed and self.gate in {0, 8} else self.gate
        return self._of_tests(given)

    def _of_tests(self, given: int) -> int:
        if given == pytest.ExitCode.TESTS_FAILED and self.only_decided_failures:
            given = pytest.ExitCode.OK
        if given == pytest.ExitCode.OK and self.is_incomplete:
            return pytest.ExitCode.TESTS_FAILED
        if given == pytest.ExitCode.OK and self.only_skips:
            return NOTHING_DECIDED
        return given


def why_it_ended(session: pytest.Session, status: int) -> str:
    """Return a message about why a run ended before all of its tests were done."""
    distribution = session.config.pluginmanager.get_plugin("dsession")
    reasons: tuple[Any, ...] = session.shouldstop, session.shouldfail
    reasons += getattr(distribution, "shouldstop", ""), too_many_crashes(distribution)
    for why in reasons:
        if isinstance(why, str) and why:
            return why
    if status == pytest.ExitCode.INTERRUPTED:
        from pytest_mobileagent.report.recorded_run import INTERRUPTED  # imported by now

        return INTERRUPTED
    return "its result was lost"


_ENDING = (signal.SIGTERM, signal.SIGHUP)
_MOST_DESCRIPTORS = 256  # descriptors to examine; those of terminals are opened first


def interrupt_when_asked() -> tuple[signal.Signals, ...]:
    """Make SIGTERM and SIGHUP end a run like Ctrl-C, and return the signals that now do.

    CI systems and clusters end jobs by SIGTERM; SIGHUP arrives when the terminal closes. A signal
    that already has a handler, or that is ignored (nohup), is left unchanged.
    """
    free = [each for each in _ENDING if signal.getsignal(each) is signal.SIG_DFL]
    if not _in_main_thread():
        return ()
    for each in free:
        signal.signal(each, _hang_up if each == signal.SIGHUP else signal.default_int_handler)
    return tuple(free)


def _hang_up(number: int, _: Any) -> None:
    """Interrupt the run once: both the shell and the system send SIGHUP when a terminal closes."""
    signal.signal(number, signal.SIG_IGN)
    _forget_terminals()
    raise KeyboardInterrupt


def interrupt_once() -> None:
    """Make the first ending signal interrupt a worker, and ignore all later ones.

    After Ctrl-C, a worker gets both SIGINT, from the terminal, and SIGTERM, from the process that
    owns the run. When the terminal closes, it gets SIGHUP in the same way.
    """
    if not _in_main_thread():
        return
    free = {signal.SIG_DFL, signal.default_int_handler}
    asking = [each for each in (*_ENDING, signal.SIGINT) if signal.getsignal(each) in free]

    def interrupt(*_: Any) -> None:
        for each in asking:
            signal.signal(each, signal.SIG_IGN)
        _forget_terminals()
        raise KeyboardInterrupt

    for each in asking:
        signal.signal(each, interrupt)


def _forget_terminals() -> None:
    """Redirect output to a closed terminal to the null device, as each write would fail."""
    poll = select.poll()
    for descriptor in range(_MOST_DESCRIPTORS):
        with suppress(OSError):  # it is not open
            if stat.S_ISCHR(os.fstat(descriptor).st_mode):  # isatty() is False once it has closed
                poll.register(descriptor, 0)
    for descriptor, events in poll.poll(0):
        if events & select.POLLHUP:
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_RDWR)
                os.dup2(nowhere, descriptor, inheritable=os.get_inheritable(descriptor))
                os.close(nowhere)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


_GRACE = 5.0  # seconds that all workers together have to release their resources


def end_workers(config: pytest.Config) -> None:
    """End all workers that are still running, and report what they have sent by then.

    Workers on this machine are asked to end, and killed if they do not. Workers on other machines
    end when pytest-xdist closes their connections.
    """
    distribution: Any = config.pluginmanager.get_plugin("dsession")
    running = worker_processes(distribution)
    if not running:
        return
    try:
        for process in running.values():
            process.terminate()
        _read(distribution, set(running))
    except KeyboardInterrupt:  # a second Ctrl-C: the user does not want to wait
        pass
    finally:
        for process in running.values():
            process.kill()


def _read(distribution: Any, running: set[Any]) -> None:
    """Report what workers have sent, until all have ended or the time is up."""
    deadline = time.monotonic() + _GRACE
    while running:
        try:
            event, fields = distribution.queue.get(timeout=max(0.0, deadline - time.monotonic()))
        except Empty:
            return
        if event == "testreport":
            distribution.worker_testreport(**fields)
        elif event == "workerfinished":
            distribution.config.hook.pytest_testnodedown(node=fields["node"], error=None)
        if event in {"workerfinished", "errordown"}:
            running.discard(fields["node"])
