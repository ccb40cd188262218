"""Asking a test body about the prefixes of its episode, without side effects on the test."""

from __future__ import annotations

import os
import select
import signal
import sys
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.check.prefixes import first_success

if TYPE_CHECKING:
    from pytest_mobileagent.check.episode import Episode

ASKING: pytest.StashKey[bool] = pytest.StashKey()  # set while a body is asked about prefixes
STRICT = "[XPASS(strict)]"  # how pytest says that a body held which was expected not to
_SECONDS = 60.0
_NEVER, _FAILED = b"never", b""


def first_step(item: pytest.Function, episode: Episode, *, whole: bool | None) -> int | None:
    """Return after how many steps a body first held; None if it never did, or is not pure.

    A pure body asks for nothing but the episode and parameters. It is asked in a forked process:
    what it does to fixtures, plugins and modules is gone with that.
    """
    if whole is None or not _is_pure(item):
        return None
    if not episode.steps:
        return 0 if whole else None
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn of forks beside threads. This one runs the body and nothing else.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _ask(item, episode, writing, whole=whole)
    os.close(writing)
    try:
        answer = _read(reading)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return None if answer in {_NEVER, _FAILED} else int(answer)


def _is_pure(item: pytest.Function) -> bool:
    callspec = getattr(item, "callspec", None)
    parameters = set(callspec.params) if callspec is not None else set()
    asked = set(item._fixtureinfo.argnames)  # noqa: SLF001 - pytest's own call reads it likewise
    return asked <= {"episode", "mobile_epoch", "mobile_env", *parameters}


def _read(reading: int) -> bytes:
    """Return what the child writes, or nothing if that takes too long."""
    ready, _, _ = select.select([reading], [], [], _SECONDS)
    return os.read(reading, 100) if ready else _FAILED


def _ask(item: pytest.Function, episode: Episode, writing: int, *, whole: bool) -> None:
    """Ask about every prefix, write the answer, and end this process."""
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - no path
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            sys.stdout = sys.stderr = nowhere
            item.stash[ASKING] = True
            first = first_success(lambda prefix: _holds(item, prefix), episode, whole=whole)
        os.write(writing, _NEVER if first is None else str(first).encode())
    finally:
        os._exit(0)


def _holds(item: pytest.Function, prefix: Episode) -> bool:
    """Whether pytest would report the body as passed for a prefix, as all its plugins see it."""
    item.funcargs["episode"] = prefix
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call = pytest.CallInfo.from_call(
            lambda: item.ihook.pytest_pyfunc_call(pyfuncitem=item), "call"
        )
    if call.excinfo is not None:
        return False
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return not report.failed or str(report.longrepr).startswith(STRICT)
