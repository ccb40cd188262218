"""Asking a test body about the prefixes of its episode, without side effects on the test."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_mobileagent.check.prefixes import OnTheWay, first_success
from pytest_mobileagent.check.subgoals import SubGoals
from pytest_mobileagent.plugin.items import PURE
from pytest_mobileagent.plugin.subgoals import SUBGOALS, asked_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_mobileagent.check.episode import Episode

ASKING: pytest.StashKey[bool] = pytest.StashKey()  # set while a body is asked about prefixes
STRICT = "[XPASS(strict)]"  # how pytest says that a body held which was expected not to
_SECONDS = 60.0


def on_the_way(item: pytest.Function, episode: Episode, *, whole: bool | None) -> OnTheWay:
    """Return when a body first held; `whole` says whether it holds of the whole episode.

    Only a pure body is asked (see `is_pure`), and in a forked process: what it does to fixtures,
    plugins and modules is gone with that.
    """
    if whole is None or not is_pure(item):
        return OnTheWay()
    if not episode.steps:
        return OnTheWay(0 if whole else None, asked=True)
    told = in_fork(lambda: _ask(item, episode, whole=whole))
    if told is None:
        return OnTheWay()
    subgoals = {name: (weight, first) for name, weight, first in told["subgoals"]}
    return OnTheWay(told["first"], asked=True, subgoals=subgoals)


def holds_now(item: pytest.Function, episode: Episode, others: Mapping[str, Any]) -> bool:
    """Whether a body holds of an episode, asked in a forked process as prefixes are.

    `others` is what it asks for beside the episode.
    """

    def ask() -> bool:
        item.stash[ASKING] = True
        item.funcargs.update(others)
        # Not what is reported of it: the test is being set up, and its plugins expect no report.
        return _call(item, episode).excinfo is None

    return bool(in_fork(ask))


def in_fork(ask: Callable[[], Any]) -> Any:
    """Return the plain data that a function gives in a forked process; None if it fails."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn of forks beside threads. This one runs the body and nothing else.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _answer(ask, writing)
    os.close(writing)
    try:
        answer = _read(reading)
    finally:
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return json.loads(answer) if answer else None


def is_pure(item: pytest.Function) -> bool:
    """Whether a body asks for nothing but the episode and parameters."""
    callspec = getattr(item, "callspec", None)
    parameters = set(callspec.params) if callspec is not None else set()
    asked = set(item._fixtureinfo.argnames)  # noqa: SLF001 - pytest's own call reads it likewise
    return asked <= {*PURE, *parameters}


def _read(reading: int) -> bytes:
    """Return what the child writes until it ends, or nothing if that takes too long."""
    until, parts = time.monotonic() + _SECONDS, list[bytes]()
    while select.select([reading], [], [], max(0.0, until - time.monotonic()))[0]:
        part = os.read(reading, 65_536)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return b""


def _answer(ask: Callable[[], Any], writing: int) -> NoReturn:
    """Write what a function gives, and end this process."""
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - no path
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            sys.stdout = sys.stderr = nowhere
            answer = json.dumps(ask()).encode()
        while answer:
            answer = answer[os.write(writing, answer) :]
    finally:
        os._exit(0)


def _ask(item: pytest.Function, episode: Episode, *, whole: bool) -> dict[str, Any]:
    """Ask about every prefix: when did the body first hold, and when each of its sub-goals."""
    item.stash[ASKING] = True
    weights, firsts = dict[str, float](), dict[str, int]()

    def holds(prefix: Episode) -> bool:
        item.stash[SUBGOALS] = SubGoals()
        held = _holds(item, prefix)
        for each in asked_of(item):
            weights.setdefault(each.name, each.weight)
            if each.held:
                firsts.setdefault(each.name, prefix.step_count)
        return held

    first = first_success(holds, episode, whole=whole)
    subgoals = [(name, weight, firsts.get(name)) for name, weight in weights.items()]
    return {"first": first, "subgoals": subgoals}


def _holds(item: pytest.Function, prefix: Episode) -> bool:
    """Whether pytest would report the body as passed for a prefix, as all its plugins see it."""
    call = _call(item, prefix)
    if call.excinfo is not None:
        return False
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return not report.failed or str(report.longrepr).startswith(STRICT)


def _call(item: pytest.Function, prefix: Episode) -> pytest.CallInfo[Any]:
    item.funcargs["episode"] = prefix
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.CallInfo.from_call(
            lambda: item.ihook.pytest_pyfunc_call(pyfuncitem=item), "call"
        )
