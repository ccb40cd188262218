"""A test body run on prefixes of its episode, without side effects on the test.

Once the episode is over, that finds when the goal was first met. For a task that stops on success,
it finds whether the goal is met now, while the agent waits.
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


STRICT = "[XPASS(strict)]"  # how pytest reports a strict xfail that passed
_SECONDS = 60.0
_SECONDS_MORE = 1.0  # for the prefixes after the first for which a body held


def on_the_way(item: pytest.Function, episode: Episode, *, whole: bool | None) -> OnTheWay:
    """Return when a body first held; `whole` says whether it holds for the whole episode.

    Only a pure body is run (see `is_pure`), and in a forked process, so that it cannot change
    fixtures, plugins and modules.
    """
    if whole is None or not is_pure(item):
        return OnTheWay()
    if not episode.steps:
        return OnTheWay(0 if whole else None, asked=True, held=[whole])
    first, *later = _in_fork(lambda: _ask(item, episode, whole=whole)) or [None]
    if first is None:
        return OnTheWay()
    subgoals = {name: (weight, step) for name, weight, step in first["subgoals"]}
    known = [*first["held"], *later]
    held = [*known, *[None] * (len(episode.steps) - len(known)), whole]
    return OnTheWay(first["first"], asked=True, subgoals=subgoals, held=held)


def holds_now(item: pytest.Function, episode: Episode, others: Mapping[str, Any]) -> bool:
    """Whether a body holds for an episode; it is run in a forked process, as for prefixes.

    `others` are its arguments besides the episode.
    """

    def ask() -> bool:
        state_of(item).is_asked_of_prefix = True
        item.funcargs.update(others)
        # No report is made: the test is being set up, and other plugins expect none.
        return _call(item, episode).excinfo is None

    return bool(in_fork(ask))


def in_fork(ask: Callable[[], Any]) -> Any:
    """Return the JSON-able result of a function in a forked process; None if it fails."""
    return next(iter(_in_fork(lambda: iter([ask()]))), None)


def _in_fork(answers: Callable[[], Iterator[Any]]) -> list[Any]:
    """Return the JSON-able data that a function yields in a forked process, until it fails.

    The first item may take `_SECONDS`, and all others together `_SECONDS_MORE`.
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
    """Return the lines that the child writes until it ends, or time is up."""
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
    """Whether pytest, with all its plugins, would report the body as passed for a prefix."""
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
    """Return a function that runs the body of a test on the episode being recorded in a folder."""
    item: pytest.Function = request.node
    names = item._fixtureinfo.argnames  # noqa: SLF001 - pytest's own call reads it likewise
    others = {name: request.getfixturevalue(name) for name in names if name != "episode"}
    live: dict[Path, GrowingEpisode[Episode]] = {}

    def is_done(folder: Path) -> bool:
        if folder not in live:
            live.clear()
            live[folder] = GrowingEpisode(folder, Episode)
        episode = live[folder].read()
        for screen in episode.screens:
            _ = screen.root  # parsed once here, instead of in each forked process
        return holds_now(item, episode, others)

    return is_done
