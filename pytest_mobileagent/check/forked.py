"""Asks questions in a forked process, which cannot change anything in this one."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent.processes import is_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SECONDS = 60.0  # for the first answer
_SECONDS_MORE = 1.0  # for all later answers together


def in_fork(ask: Callable[[], Any]) -> Any:
    """Return the JSON-able result of a function in a forked process; None if it fails."""
    return next(iter(all_in_fork(lambda: iter([ask()]))), None)


def all_in_fork(answers: Callable[[], Iterator[Any]]) -> list[Any]:
    """Return the JSON-able items that a function yields in a forked process, until it fails.

    The first item may take `_SECONDS`, and all others together `_SECONDS_MORE`.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn about forks in multi-threaded processes. The child only runs the body.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _answer(answers, writing)
    os.close(writing)
    try:
        lines = _read(reading)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return [json.loads(line) for line in lines]


def _read(reading: int) -> list[bytes]:
    """Return the lines that the child writes until it ends or the time is up."""
    until, written = time.monotonic() + _SECONDS, b""
    while is_readable(reading, until - time.monotonic()):
        part = os.read(reading, 65_536)
        if not part:
            break
        if b"\n" in part and b"\n" not in written:
            until = time.monotonic() + _SECONDS_MORE
        written += part
    return written.split(b"\n")[:-1]


def _answer(answers: Callable[[], Iterator[Any]], writing: int) -> NoReturn:
    """Write each item that a function yields as a line, and end this process."""
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - not a path
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            sys.stdout = sys.stderr = nowhere
            for answer in answers():
                line = json.dumps(answer).encode() + b"\n"
                while line:
                    line = line[os.write(writing, line) :]
    finally:
        os._exit(0)
