"""What the plugin knows of a test while pytest runs it, and how its reports carry that.

pytest loads this module in every session.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

import pytest
from _pytest import outcomes

from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from concurrent.futures import Future

    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.golden import Compared
    from pytest_mobileagent.check.subgoals import SubGoals
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.wall_trials import Trial
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.task.case import Case
    from pytest_mobileagent.verdict import Verdict

    OpenAnew = Callable[[str, Callable[[Screen], bool]], Screen]  # see `Attempts.open_anew`

RESULT = "mobile_result"  # the attribute of a report that carries a result through pytest-xdist
IS_REUSED = "mobile_reused"  # set on the reports of a test whose result is from a record

Why = Literal[
    "app", "listener", "web", "gms", "physical", "account", "manual", "solution", "language",
    "golden", "record", "device", "pages",
]  # fmt: skip
_AUTHOR = "test"


@dataclass(slots=True)
class ItemState:
    """The state of one test, with its fields in the order of its life.

    1. It is *collected*: `items.case_of` finds out which case it is.
    2. It is *set up*: the fixtures `device` and `episode` make attempts until there is an episode,
       or none can be had. Another plugin may repeat the test from here (`begin`).
    3. Its *body* runs: it looks things up, asks for sub-goals, and may ask judges. If those take
       long, the test is *put off*: it is run again from step 2 when they have decided.
    4. It is *scored* (`scoring.score`): whether the body held is asked of each prefix of the
       episode, in a forked process whose copy of this state is gone with it.
    """

    # Collected (items.py). `case` is None for a test that is not a task.
    is_read: bool = False
    case: Case | None = None
    problem: str = ""  # what is wrong with the task's marker

    # Set up (fixtures.py).
    failures: list[str] = field(default_factory=list)  # of infrastructure, in attempts of all tries
    is_over_budget: bool = False  # the run's budget was spent before the episode began
    episode: Episode | None = None
    open_anew: OpenAnew | None = None  # None where the episode was not made in this run

    # The body (bodies.py). These are of its last run.
    is_in_body: bool = False  # it runs; pytest also makes reports for its subtests meanwhile
    subgoals: SubGoals | None = None
    compared: Compared | None = None  # with golden actions
    wall: Trial | None = None  # what may have kept the agent out, and what came of trying it
    misses: list[str] = field(default_factory=list)  # what came closest to what it looked for
    check_held: bool = False  # although the agent failed, which may overrule that

    # Judges (judges.py, deferring.py).
    may_wait: bool = False  # the test may be put off until its judges have decided
    is_put_off: bool = False  # this run ends without a result
    is_continued: bool = False  # the next run goes on with what this one has, put off as it was
    seconds_before: float | None = None  # of the runs that were put off; None if none was
    answers: dict[Hashable, Future[Any]] = field(default_factory=dict)  # by what was asked
    calls: list[ModelCall] = field(default_factory=list)  # of all judges, errors included
    judged: list[Verdict] = field(default_factory=list)  # the verdicts that the body was given
    outranked: list[Verdict] = field(default_factory=list)  # by what several judges said before
    beside: Verdict | None = None  # what judges say of a task that has a check
    official: Callable[[], Verdict] | None = None  # asks an official evaluation; it decides nothing

    # Scored (bodies.py). True in the forked process only.
    is_asked_of_prefix: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether a report decides what became of the case, and is not one on the way there."""
        return not (self.is_in_body or self.is_put_off or self.is_asked_of_prefix)

    @property
    def was_put_off(self) -> bool:
        """Whether this run of the test follows one that was put off: its episode is there."""
        return self.seconds_before is not None

    def begin(self) -> None:
        """Begin a try of the test, and forget what the one before has left, unless it was put off.

        The case stays what it is, and infrastructure that broke counts in whichever try it did.
        """
        if not self.is_continued:
            new = ItemState(self.is_read, self.case, self.problem, self.failures)
            new.may_wait = self.may_wait
            for each in fields(self):
                setattr(self, each.name, getattr(new, each.name))
        self.is_continued = False

    def begin_body(self, subgoals: SubGoals, compared: Compared) -> None:
        """Forget what an earlier run of the body has left."""
        self.is_in_body, self.check_held = True, False
        self.official = self.wall = None
        self.subgoals, self.compared, self.misses = subgoals, compared, []

    def put_off(self, seconds: float) -> None:
        """Note that a run of the test, which took so many seconds, is to be continued."""
        self.is_put_off, self.is_continued = False, True
        self.seconds_before = (self.seconds_before or 0.0) + seconds


_STATE = pytest.StashKey[ItemState]()


def state_of(item: pytest.Item) -> ItemState:
    """Return the state of a test."""
    return item.stash.setdefault(_STATE, ItemState())


class Skipped(outcomes.Skipped):
    """A skip of the plugin's: raised, it skips the test as pytest.skip does.

    - `why`: what is missing. app: on the device; listener: there, for events; web, gms, physical,
      account, manual: what the task needs and devices are not said to have; solution: for the
      agent that plays it; language: the device speaks another than the solution; golden: actions
      to do on a single path; record: of the episode, in the run that is scored again; device: a run
      that is scored again has none; pages: recorded ones are no phone, which the task needs.
    """

    __module__ = "builtins"  # as pytest's own is shown, whose name it has

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(printable(reason))
        self.why = why


def skipped_for(raised: BaseException | None) -> str:
    """Return the one word for what skipped a test: "test" where that is the test's own doing."""
    return raised.why if isinstance(raised, Skipped) else _AUTHOR
