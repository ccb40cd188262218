"""The plugin's state of a test while pytest runs it, and the attributes that reports carry.

pytest imports this module in every session.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

import pytest
from _pytest import outcomes

from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from concurrent.futures import Future

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.golden import Compared
    from pytest_mobileagent.check.subgoals import SubGoals
    from pytest_mobileagent.check.unclear import UnclearAnswer
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.wall_trials import WallTrial
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.verdict import Verdict

    OpenAnew = Callable[[str, Callable[[Screen], bool]], Screen]  # see `Attempts.open_anew`

RESULT = "mobile_result"  # the attribute of a report that carries a result, as plain data
IS_REUSED = "mobile_reused"  # set on the reports of a test whose result is from a record

Why = Literal[
    "app", "listener", "web", "gms", "physical", "account", "manual", "solution", "language",
    "golden", "record", "device", "pages",
]  # fmt: skip
_AUTHOR = "test"


@dataclass(slots=True)
class ItemState:
    """The state of one test, with its fields in the order of its life cycle.

    1. The test is *collected*: `items.case_of` finds out which case it is.
    2. It is *set up*: the fixtures `device` and `episode` make attempts until there is an episode,
       or no further attempt is possible. Another plugin may repeat the test from here (`begin`).
    3. Its *body* runs: it looks things up, checks sub-goals, and may ask judges. If the judges take
       long, the test is *put off*: it is run again from step 2 when they have decided.
    4. It is *scored* (`scoring.score`): the body is run on each prefix of the episode, in a forked
       process with its own copy of this state.
    """

    # Collected (items.py). `case` is None for a test that is not a task.
    is_read: bool = False
    case: Case | None = None
    problem: str = ""  # what is wrong with the task's marker

    # Set up (fixtures.py).
    failures: list[str] = field(default_factory=list)  # infrastructure failures, in all tries
    is_over_budget: bool = False  # the run's budget was spent before the episode began
    episode: Episode | None = None
    open_anew: OpenAnew | None = None  # None where the episode was not made in this run

    # The body (bodies.py). These fields are about its last run.
    is_in_body: bool = False  # the body is running; pytest also reports its subtests meanwhile
    subgoals: SubGoals | None = None
    compared: Compared | None = None  # the comparison with golden actions
    wall: WallTrial | None = None  # the trial of a wall that may have kept the agent out
    misses: list[str] = field(default_factory=list)  # the closest matches of failed look-ups
    # Unclear answers, and what a judge thinks of each; None until one has been asked.
    unclear: dict[UnclearAnswer, bool | None] = field(default_factory=dict)
    check_held: bool = False  # the check held although the agent failed, which may overrule it

    # Judges (judges.py, deferring.py).
    may_wait: bool = False  # the test may be put off until its judges have decided
    is_put_off: bool = False  # this run ends without a result
    is_continued: bool = False  # the next run continues with this state, as this one was put off
    seconds_before: float | None = None  # duration of the runs put off so far; None without any
    answers: dict[Hashable, Future[Any]] = field(default_factory=dict)  # by question
    calls: list[ModelCall] = field(default_factory=list)  # the calls of all judges, and errors
    judged: list[Verdict] = field(default_factory=list)  # the judges' verdicts that the body got
    outranked: list[Verdict] = field(default_factory=list)  # new ones that an earlier one outranks
    beside: Verdict | None = None  # the judges' verdict on a task that has a check
    official: Callable[[], Verdict] | None = None  # asks an official evaluation beside the verdict

    # Scored (bodies.py). True in the forked process only.
    is_asked_of_prefix: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether a report made now decides the case, and is not an intermediate one."""
        return not (self.is_in_body or self.is_put_off or self.is_asked_of_prefix)

    @property
    def was_put_off(self) -> bool:
        """Whether this run of the test continues one that was put off and has its episode."""
        return self.seconds_before is not None

    def begin(self) -> None:
        """Begin a try of the test, and reset the state unless the test was put off.

        The case and the infrastructure failures of earlier tries are kept.
        """
        if not self.is_continued:
            new = ItemState(self.is_read, self.case, self.problem, self.failures)
            new.may_wait = self.may_wait
            for each in fields(self):
                setattr(self, each.name, getattr(new, each.name))
        self.is_continued = False

    def begin_body(self, subgoals: SubGoals, compared: Compared) -> None:
        """Begin a run of the body, and reset the fields about its last run."""
        self.is_in_body, self.check_held = True, False
        self.official = self.wall = None
        self.subgoals, self.compared, self.misses, self.unclear = subgoals, compared, [], {}

    def put_off(self, seconds: float) -> None:
        """Record that a run of the test, which took `seconds`, will be continued."""
        self.is_put_off, self.is_continued = False, True
        self.seconds_before = (self.seconds_before or 0.0) + seconds


_STATE = pytest.StashKey[ItemState]()


def state_of(item: pytest.Item) -> ItemState:
    """Return the state of a test."""
    return item.stash.setdefault(_STATE, ItemState())


class Skipped(outcomes.Skipped):
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


def broken(*failures: object) -> outcomes.Failed:
    """Return the failure of a test by infrastructure; equal failures are counted."""
    times = Counter(map(str, failures))
    texts = [text if n == 1 else f"{text} ({n} times)" for text, n in times.items()]
    return outcomes.Failed(printable("infrastructure: " + "; then ".join(texts)), pytrace=False)


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
