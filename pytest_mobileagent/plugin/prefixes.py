"""Asking a test body about prefixes of its episode, without side effects on the test.

That tells when the goal was first met, once the episode is over; and, for a task that stops on
success, whether it is met now, while the agent waits.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from pytest_mobileagent.check.episode import Episode
from pytest_mobileagent.check.prefixes import OnTheWay, first_success
from pytest_mobileagent.check.subgoals import SubGoals
from pytest_mobileagent.episode.growing import GrowingEpisode
from pytest_mobileagent.plugin.bodies import asked_of
from pytest_mobileagent.plugin.items import PURE
from pytest_mobileagent.plugin.state import state_of
from pytest_mobileagent.waiting import is_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path


STRICT = "[XPASS(strict)]"  # how pytest says that a body held which was expected not to
_SECONDS = 60.0
_SECONDS_MORE = 1.0  # for prefixes after the one of which a body first held


def on_the_way(item: pytest.Function, episode: Episode, *, whole: bool | None) -> OnTheWay:
    """Return when a body first held; `whole` says whether it holds of the whole episode.

    Only a pure body is asked (see `is_pure`), and in a forked process: what it does to fixtures,
    plugins and modules is gone with that.
    """
    if whole is None or not is_pure(item):
        return OnTheWay()
    if not episode.steps:
        return OnTheWay(0 if whole else None, asked=True, held=[whole])
    told, *later = _in_fork(lambda: _ask(item, episode, whole=whole)) or [None]
    if told is None:
        return OnTheWay()
    subgoals = {name: (weight, first) for name, weight, first in told["subgoals"]}
    known = [*told["held"], *later]
    held = [*known, *[None] * (len(episode.steps) - len(known)), whole]
    return OnTheWay(told["first"], asked=True, subgoals=subgoals, held=held)


def holds_now(item: pytest.Function, episode: Episode, others: Mapping[str, Any]) -> bool:
    """Whether a body holds of an episode, asked in a forked process as prefixes are.

    `others` is what it asks for beside the episode.
    """

    def ask() -> bool:
        state_of(item).is_asked_of_prefix = True
        item.funcargs.update(others)
        # Not what is reported of it: the test is being set up, and its plugins expect no report.
        return _call(item, episode).excinfo is None

    return bool(in_fork(ask))


def in_fork(ask: Callable[[], Any]) -> Any:
    """Return the plain data that a function gives in a forked process; None if it fails."""
    return next(iter(_in_fork(lambda: iter([ask()]))), None)


def _in_fork(answers: Callable[[], Iterator[Any]]) -> list[Any]:
    """Return the plain data that a function yields in a forked process, until it fails.

    The first answer may take long. Those after it are worth no more than a moment.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Newer Pythons warn of forks beside threads. This one runs the body and nothing else.
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


def is_pure(item: pytest.Function) -> bool:
    """Whether a body asks for nothing but the episode and parameters."""
    callspec = getattr(item, "callspec", None)
    parameters = set(callspec.params) if callspec is not None else set()
    asked = set(item._fixtureinfo.argnames)  # noqa: SLF001 - pytest's own call reads it likewise
    return asked <= {*PURE, *parameters}


def _read(reading: int) -> list[bytes]:
    """Return the lines that the child writes until it ends, or they take too long."""
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
    """Write what a function yields, a line each, and end this process."""
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - no path
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            sys.stdout = sys.stderr = nowhere
            for answer in answers():
                line = json.dumps(answer).encode() + b"\n"
                while line:
                    line = line[os.write(writing, line) :]
    finally:
        os._exit(0)


def _ask(item: pytest.Function, episode: Episode, *, whole: bool) -> Iterator[Any]:
    """Ask about every prefix: when did the body first hold, and when each of its sub-goals.

    Yields that, and then whether it held of each prefix after the one of which it first did.
    """
    state_of(item).is_asked_of_prefix = True
    weights, firsts, each_held = dict[str, float](), dict[str, int](), list[bool]()

    def holds(prefix: Episode) -> bool:
        state_of(item).subgoals = SubGoals()
        each_held.append(_holds(item, prefix))
        for each in asked_of(item):
            weights.setdefault(each.name, each.weight)
            if each.held:
                firsts.setdefault(each.name, prefix.step_count)
        return each_held[-1]

    first = first_success(holds, episode, whole=whole)
    subgoals = [(name, weight, firsts.get(name)) for name, weight in weights.items()]
    yield {"first": first, "subgoals": subgoals, "held": each_held}
    for length in range(len(each_held), len(episode.steps)):
        yield holds(episode.prefix(length))


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


def stops(request: pytest.FixtureRequest) -> Callable[[Path], bool]:
    """Return whether the body of a test holds of the episode that is being recorded in a folder.

    The test is asked as it stands: with its parameters, and its expectation to fail, if it has one.
    """
    item: pytest.Function = request.node
    names = item._fixtureinfo.argnames  # noqa: SLF001 - pytest's own call reads it likewise
    others = {name: request.getfixturevalue(name) for name in names if name != "episode"}
    growing: dict[Path, GrowingEpisode[Episode]] = {}

    def is_done(folder: Path) -> bool:
        if folder not in growing:
            growing.clear()
            growing[folder] = GrowingEpisode(folder, Episode)
        episode = growing[folder].read()
        for screen in episode.screens:
            _ = screen.root  # parsed here, once, and not after every step in a process of its own
        return holds_now(item, episode, others)

    return is_done
