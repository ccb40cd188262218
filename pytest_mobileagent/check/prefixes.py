"""When the goal was first met: the results of a body on the prefixes of an episode.

A forked process runs the body, so that it cannot change anything in this one.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_mobileagent.processes import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.subgoals import SubGoal


# Returns whether a body holds for a prefix, and the sub-goals that it evaluated.
Holds = Callable[["Episode"], "tuple[bool, Sequence[SubGoal]]"]


@dataclass(frozen=True, slots=True)
class OnTheWay:
    """The results of a test body on prefixes of an episode.

    - `first_step`: the number of steps after which the body first held; None if it never did, or
      could not be evaluated.
    - `subgoals`: by name, the weight and the first step of each sub-goal that a prefix evaluated.
    - `asked`: whether the body could be evaluated.
    - `held`: whether the body held at the start, and after each step; None if unknown.
    """

    first_step: int | None = None
    asked: bool = False
    subgoals: Mapping[str, tuple[float, int | None]] = field(default_factory=dict)
    held: Sequence[bool | None] = ()


def on_the_way(holds: Holds, episode: Episode, *, whole: bool) -> OnTheWay:
    """Return when a body first held; `whole` is whether it holds for the whole episode.

    The body is run in a forked process, so that it cannot change fixtures, plugins or modules.
    """
    if not episode.steps:
        return OnTheWay(0 if whole else None, asked=True, held=[whole])
    first, *later = all_in_fork(lambda: _ask(holds, episode, whole=whole)) or [None]
    if first is None:
        return OnTheWay()
    subgoals = {name: (weight, step) for name, weight, step in first["subgoals"]}
    known = [*first["held"], *later]
    held = [*known, *[None] * (len(episode.steps) - len(known)), whole]
    return OnTheWay(first["first"], asked=True, subgoals=subgoals, held=held)


def first_success(holds: Callable[[Episode], bool], episode: Episode, *, whole: bool) -> int | None:
    """Return after how many steps a predicate first held: 0 if at the start, None if never.

    It is evaluated for every proper prefix of the episode until it holds, whether or not the agent
    noticed; `whole` says whether it holds for the whole episode. The final report does not count as
    a step, but may be what makes the predicate hold.
    """
    for length in range(len(episode.steps)):
        prefix = episode.prefix(length)
        if holds(prefix):
            return prefix.step_count
    return episode.step_count if whole else None


def _ask(holds: Holds, episode: Episode, *, whole: bool) -> Iterator[Any]:
    """Run the body on every prefix, to find when it and each of its sub-goals first held.

    The first item that is yielded is that result. The following items are whether the body held
    for each later prefix.
    """
    weights, firsts, each_held = dict[str, float](), dict[str, int](), list[bool]()

    def noted(prefix: Episode) -> bool:
        held, subgoals = holds(prefix)
        each_held.append(held)
        for each in subgoals:
            weights.setdefault(each.name, each.weight)
            if each.held:
                firsts.setdefault(each.name, prefix.step_count)
        return held

    first = first_success(noted, episode, whole=whole)
    reached = [(name, weight, firsts.get(name)) for name, weight in weights.items()]
    yield {"first": first, "subgoals": reached, "held": each_held}
    for length in range(len(each_held), len(episode.steps)):
        yield noted(episode.prefix(length))


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
