"""The plugin's state of a test while pytest runs it, and the attributes that reports carry.

pytest imports this module in every session.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.plugin import pytest_private
from pytest_mobileagent.plugin.pytest_private import Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from concurrent.futures import Future

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.check.body import SubGoals, UnclearAnswer
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.golden import Compared
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.findings import WallTrial
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.verdict import Verdict

    OpenAnew = Callable[[str, Callable[[Screen], bool]], Screen]  # see `Attempts.open_anew`

RESULT = "mobile_result"  # the attribute of a report that carries a result, as plain data
IS_REUSED = "mobile_reused"  # set on the reports of a test whose result is from a record

Why = Literal[
    "app", "listener", "web", "gms", "physical", "account", "manual", "solution", "language",
    "golden", "record", "device", "pages",
]  # fmt: skip
_AUTHOR = "test"


@dataclass(frozen=True, slots=True)
class Collected:
    """What collection finds out about a test (made by `items.case_of`)."""

    case: Case | None  # None for a test that is not a task
    problem: str = ""  # what is wrong with the task's marker


@dataclass(slots=True)
class Playing:
    """The set-up of one try of a test: the fixture `episode` makes attempts until there is one."""

    is_over_budget: bool = False  # the run's budget was spent before the episode began
    episode: Episode | None = None
    open_anew: OpenAnew | None = None  # None where the episode was not made in this run


@dataclass(slots=True)
class BodyRun:
    """The last run of the body: what it looked up, and how it went (see `bodies`)."""

    arguments: dict[str, Any] = field(default_factory=dict)
    subgoals: SubGoals | None = None
    compared: Compared | None = None  # the comparison with golden actions
    is_running: bool = False  # pytest also reports the body's subtests meanwhile
    failed_subtests: int = 0
    misses: list[str] = field(default_factory=list)  # the closest matches of failed look-ups
    # Unclear answers, and what a judge thinks of each; None until one has been asked.
    unclear: dict[UnclearAnswer, bool | None] = field(default_factory=dict)
    wall: WallTrial | None = None  # the trial of a wall that may have kept the agent out
    check_held: bool = False  # the check held although the agent failed, which may overrule it
    official: Callable[[], Verdict] | None = None  # asks an official evaluation beside the verdict

    def note_subtest(self, report: pytest.TestReport) -> None:
        """Count a failed subtest; pytest fails the test itself only after we have scored it."""
        self.failed_subtests += self.is_running and report.failed


@dataclass(slots=True)
class Judging:
    """What judges were asked in one try of a test, over all runs of its body (see `judges`)."""

    is_awaited: bool = False  # the body's last run ended without a result, as judges are asked
    answers: dict[Hashable, Future[Any]] = field(default_factory=dict)  # by question
    calls: list[ModelCall] = field(default_factory=list)  # the calls of all judges, and errors
    judged: list[Verdict] = field(default_factory=list)  # the judges' verdicts that the body got
    outranked: list[Verdict] = field(default_factory=list)  # new ones that an earlier one outranks
    beside: Verdict | None = None  # the judges' verdict on a task that has a check


@dataclass(slots=True)
class ItemState:
    """The state of one test, with an object for each phase of its life.

    1. The test is `collected`.
    2. It is set up (`playing`). Another plugin may repeat the test from here (`begin`).
    3. Its `body` runs, and may ask judges (`judging`). If it does not need to wait for them, its
       run ends without a result, and it is run again when they have decided (see `waiting`).
    4. It is scored (`scoring.score`): the body is run on each prefix of the episode, in a forked
       process with its own copy of this state.

    The last three fields concern several phases.
    """

    collected: Collected | None = None
    playing: Playing = field(default_factory=Playing)
    body: BodyRun = field(default_factory=BodyRun)
    judging: Judging = field(default_factory=Judging)

    failures: list[str] = field(default_factory=list)  # infrastructure failures, in all tries
    may_wait: bool = False  # the run of the body need not wait for judges
    is_asked_of_prefix: bool = False  # true in the forked process only

    @property
    def is_complete(self) -> bool:
        """Whether a report made now decides the case, and is not an intermediate one."""
        return not (self.body.is_running or self.judging.is_awaited or self.is_asked_of_prefix)

    def begin(self) -> None:
        """Begin a try of the test; the failures of earlier tries are kept."""
        self.playing, self.body, self.judging = Playing(), BodyRun(), Judging()


_STATE = pytest.StashKey[ItemState]()


def state_of(item: pytest.Item) -> ItemState:
    """Return the state of a test."""
    return item.stash.setdefault(_STATE, ItemState())


class Skipped(pytest_private.Skipped):
    """A skip by the plugin: raising it skips the test, as `pytest.skip` does.

    - `why`: what is missing:
      app (the device lacks the app), listener (the device cannot report events),
      web, gms, physical, account, manual (a need of the task that no device is said to meet),
      solution (the agent plays solutions, and the task has none), language (the device's language
      is not the solution's), golden (there are no golden actions for a single path), record (the
      run that is scored again has no such episode), device (a run that is scored again has no
      device), pages (the task needs a phone rather than recorded pages, or the reverse).
    """

    __module__ = "builtins"  # displayed without a module, like pytest's own class

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(printable(reason))
        self.why = why


def broken(*failures: object) -> Failed:
    """Return the failure of a test by infrastructure; equal failures are counted."""
    times = Counter(map(str, failures))
    texts = [text if n == 1 else f"{text} ({n} times)" for text, n in times.items()]
    return Failed(printable("infrastructure: " + "; then ".join(texts)), pytrace=False)


def skipped_for(raised: BaseException | None) -> str:
    """Return the reason word of a skip; "test" if the test skipped itself."""
    return raised.why if isinstance(raised, Skipped) else _AUTHOR


def result_of(report: pytest.TestReport) -> Entry | None:
    """Return the result that a report carries; None unless the report decides a task."""
    plain = getattr(report, RESULT, None)
    if plain is None:
        return None
    from pytest_mobileagent.report.entry import Entry  # imported late: see above

    return Entry.from_json(plain)
