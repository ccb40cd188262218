"""The task given to an agent, and the probes that read state its screen does not show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent._task.needs import alternatives, unknown_need
from pytest_mobileagent._task.user import Person, Questions
from pytest_mobileagent._task.wording import times
from pytest_mobileagent.errors import TaskError, did_you_mean, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_mobileagent._task.solution import Move
    from pytest_mobileagent._task.user import User
    from pytest_mobileagent.action.matching import Wanted

    Solution = Sequence[Move] | Callable[[Mapping[str, Any]], Sequence[Move]]

Value = Any  # plain data: anything that JSON can represent


class Probe(Protocol):
    """A shell script that runs on the device, and a parser for its output."""

    @property
    def script(self) -> str:
        """The script. It only reads, and writes text to its standard output."""

    def parse(self, output: str) -> Value:
        """Return the value as plain data.

        Raises:
            DeviceError: if the device did not allow the value to be read.
            TaskError: if the probe asks for something impossible.
        """


KINDS = ("operation", "single-frame query", "multi-frame query", "cross-app", "open-ended")
OWN, OFFICIAL = WORDINGS = ("own", "official")
FULL, VAGUE = VARIANTS = ("full", "vague")
DEFAULT_SNAPSHOT = "default_boot"
DEFAULT_STEP_LIMIT = 20  # used if nothing is known about the task's length
MOST_STEPS = 1_000_000  # more than any agent can take and any run can record


@dataclass(frozen=True, slots=True)
class Task:
    """A goal in words, and what is known about reaching it.

    - `goal`: a template over the test's parameters and the phone's clock (see `wording.times`).
    - `app`, `apps`: packages that the task needs; `app` is where a solution begins. An app may have
      alternatives, separated by `|`; the first one that is installed is used (`task.case`).
    - `golden_steps`: the number of actions that a skilled person needs, not counting the final
      report; counted from the `solution` if not given.
    - `level`: difficulty 1, 2 or 3. A3 (section 3.3) draws the lines at 4 and 8 steps of a person,
      SPA-Bench (section 3) at 5 and 10, and by the number of apps for cross-app tasks.
    - `kind`: operation, single- or multi-frame query (A3, section 3.3), cross-app, open-ended.
    - `step_limit`: the maximum number of steps; by default a multiple of the golden steps.
    - `probes`: device state to read after every step, by name.
    - `measures`: functions that take the device, any parameters they name, and, if they name it,
      the agent's `answer`. They are called before the first look and after the last screen, and
      their values, plain data, are those of probes of these names. Nothing is known in between, so
      the body is evaluated for the whole episode only.
    - `snapshot`: the device snapshot that the task starts from.
    - `solution`: the scripted way to do the task, or a function that returns it, given the values
      of the goal's placeholders.
    - `tags`: words to group results by; `source`: the benchmark that the task is taken from.
    - `needs`: what the device must have or be capable of (`task.needs`), or the task is skipped.
    - `prepare`, `clean_up`: functions that take the device and any parameters they name. They run
      after the reset and after the last screen, unrecorded (MobileAgentBench's customisation;
      SPA-Bench, section 4.2).
    - `parameters`: a function that takes a `random.Random` and draws the values for each epoch. If
      it names them, it is also given the run's `seed` and the `epoch`. Of a table's rows, the body
      does not receive these values.
    - `user`: what the user answers when the agent asks: one text, a mapping from a word of the
      question to the answer, prepared `questions`, or a `person` (see `task.user`).
    - `vague`: the goal with details left out, so that an agent has to ask for them. The task then
      has two items, "full" and "vague", and only the latter has a user; `variant` names the item,
      and `full` is the whole goal of the vague one. If a release has several goals for a task,
      `variant` names the one used: "official", or a rewrite (see `rows`).
    - `success_after_error`: whether meeting the goal counts even if the agent then raised an error
      or ran out of time, as in SPA-Bench's tables.
    - `stop_on_success`: whether the body is evaluated after every step, and the episode ends once
      it passes, as in B-MoCA (section 2.3); the body may then only use `episode` and parameters.
    - `may_change`: what else may change on the phone without being a side effect: patterns of
      places, such as `settings system/volume_*`, `rows history.db:history` or `files /sdcard/*`.
    - `instructions`: what to do in each step, in words, for agents that use them beside the goal
      (A3, Table 4: low-level instructions).
    - `golden`: the correct action for each screen along one path, including the final report where
      the task requires one: a `Golden`, an action, or a function of the screen (`check.matches`).
      With `--mobile-path=single`, these are performed in place of the agent's actions.
    - `wording`: who worded the goal: "own", this project, or "official", the benchmark's release.
    - `task_set`: the name of a set of tasks that build on each other, in file order (SPA-Bench,
      section 3.2). On devices that are not restored between tasks, they all run on one device.
    - `twin`: the row id of the same task in another language; SPA-Bench has some of these (see
      `mobileagent compare --by=language`).
    - `remarks`: caveats for readers of the results, such as a weakness of the check; `doctor
      --tasks` lists them.

    Raises:
        TaskError: if a field is invalid.
    """

    goal: str
    app: str | None = None
    apps: tuple[str, ...] = ()
    golden_steps: int | None = None
    level: int | None = None
    kind: str = "operation"
    language: str = "en"
    step_limit: int | None = None
    probes: Mapping[str, Probe] = field(default_factory=dict)
    measures: Mapping[str, Callable[..., Value]] = field(default_factory=dict)
    snapshot: str = DEFAULT_SNAPSHOT
    solution: Solution = ()
    tags: tuple[str, ...] = ()
    source: str = ""
    needs: tuple[str, ...] = ()
    prepare: Callable[..., object] | None = None
    clean_up: Callable[..., object] | None = None
    parameters: Callable[..., Mapping[str, Any]] | None = None
    user: User | None = None
    success_after_error: bool = False
    stop_on_success: bool = False
    may_change: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    golden: Sequence[Wanted] = ()
    wording: str = OWN
    task_set: str = ""
    twin: str = ""
    remarks: tuple[str, ...] = ()
    vague: str | None = None
    variant: str = ""
    full: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.goal, str) or not self.goal.strip():
            raise TaskError(f"a task needs a goal in words, not {_brief(self.goal)}")
        self._check_texts()
        if self.kind not in KINDS:
            hint = did_you_mean(_brief(self.kind), KINDS)
            raise TaskError(f"kind={_brief(self.kind)} is not one of {', '.join(KINDS)}{hint}")
        if self.level is not None and (type(self.level) is not int or self.level not in {1, 2, 3}):
            raise TaskError(f"level={_brief(self.level)} is not one of 1, 2, 3")
        for name in ("golden_steps", "step_limit"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or not 1 <= value <= MOST_STEPS):
                must = f"must be a whole number from 1 to {MOST_STEPS}"
                raise TaskError(f"{name}={_brief(value)} {must}")
        self._check_parts()

    def _check_texts(self) -> None:
        for name in ("app", "language", "snapshot", "source", "task_set", "twin"):
            value = getattr(self, name)
            if not isinstance(value, str) and not (name == "app" and value is None):
                raise TaskError(f"{name}={_brief(value)} must be a string")
        if not _is_texts(self.apps):
            raise TaskError(f"apps={_brief(self.apps)} must be a list of packages")
        for app in self.packages:
            if any(each != each.strip() or not each for each in alternatives(app)):
                must = "must be a package, or several with | between them and no spaces"
                raise TaskError(f"the app {_brief(app)} {must}")

    def _check_parts(self) -> None:
        whole = isinstance(self.solution, Sequence) or callable(self.solution)
        if not whole or not isinstance(self.probes, Mapping):
            msg = "a solution must be a list of moves, and probes a dictionary of probes by name"
            raise TaskError(msg)
        _check_moves(self.fixed_solution)
        self._check_measures()
        for name, probe in dict(self.probes).items():
            if not isinstance(name, str):
                raise TaskError(f"probes has the name {_brief(name)}, which must be a string")
            if not callable(getattr(probe, "parse", None)):
                found = f"probes[{name!r}]={_brief(probe)}"
                raise TaskError(f"{found} is not a probe such as sqlite(…) or setting(…)")
        self._check_golden()
        self._check_words()
        self._check_functions()

    def _check_measures(self) -> None:
        if not isinstance(self.measures, Mapping):
            raise TaskError("measures must be a dictionary of functions by name")
        for name, measure in self.measures.items():
            if not isinstance(name, str) or name in self.probes or not callable(measure):
                msg = f"measures[{_brief(name)}]={_brief(measure)} must be a function, and its name"
                raise TaskError(f"{msg} a string that no probe has")

    def _check_golden(self) -> None:
        if self.golden == ():
            return
        if not isinstance(self.golden, Sequence) or isinstance(self.golden, str | bytes):
            raise TaskError(f"golden={_brief(self.golden)} must be a list of golden actions")
        if not self.golden or not isinstance(self.golden, tuple | list):
            return  # other sequences read their actions only when they are used
        from pytest_mobileagent.action import Action
        from pytest_mobileagent.action.matching import Golden

        for number, wanted in enumerate(self.golden, 1):
            if not (callable(wanted) or isinstance(wanted, Golden | Action)):
                hint = "pass a Golden, an action such as Tap(x, y), or a function of the screen"
                raise TaskError(f"golden action {number} is {_brief(wanted)}: {hint}")

    def _check_words(self) -> None:
        for name in ("tags", "needs", "may_change", "instructions", "remarks"):
            words = getattr(self, name)
            if not _is_texts(words):
                raise TaskError(f"{name}={_brief(words)} must be a list of words")
        if unknown := [why for need in self.needs if (why := unknown_need(need))]:
            raise TaskError(f"needs={_brief(self.needs)}: {unknown[0]}")
        if self.wording not in WORDINGS:
            raise TaskError(f"wording={_brief(self.wording)} is not one of {', '.join(WORDINGS)}")

    def _check_functions(self) -> None:
        for name in ("prepare", "clean_up", "parameters"):
            value = getattr(self, name)
            if value is not None and not callable(value):
                raise TaskError(f"{name}={_brief(value)} must be a function")
        self._check_user()
        for name in ("success_after_error", "stop_on_success"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise TaskError(f"{name}={_brief(value)} must be True or False")

    def _check_user(self) -> None:
        user = "" if self.user is None else self.user
        replies = user.items() if isinstance(user, Mapping) else [("", user)]
        is_text = all(isinstance(text, str) for reply in replies for text in reply)
        if not (is_text or isinstance(user, Questions | Person)):
            must = "must be a string, answers by words of the question, questions([…]) or person(…)"
            raise TaskError(f"user={_brief(self.user)} {must}")
        if self.vague is None:
            return
        if not isinstance(self.vague, str) or not self.vague.strip():
            raise TaskError(f"vague={_brief(self.vague)} must be a goal in words")
        if self.vague.casefold().split() == self.goal.casefold().split():
            what = f"vague={_brief(self.vague)} is the goal itself"
            raise TaskError(f"{what}: leave out a detail to ask for")

    def as_variant(self, name: str) -> Task:
        """Return one variant of the task: "full" or "vague" (see `vague`), or another name."""
        if name != VAGUE:
            return replace(self, variant=name, vague=None)
        vague = self.goal if self.vague is None else self.vague
        return replace(self, variant=VAGUE, goal=vague, full=self.goal, vague=None)

    @property
    def answering(self) -> User | None:
        """The user whom the agent can ask; None without a user, as in the full variant."""
        return None if self.variant == FULL else self.user

    @property
    def packages(self) -> tuple[str, ...]:
        """All packages that the task needs, starting with the one where it begins."""
        return tuple(dict.fromkeys((*((self.app,) if self.app else ()), *self.apps)))

    @property
    def fixed_solution(self) -> Sequence[Move]:
        """The solution, if it is the same for all values; empty if it depends on them."""
        return () if callable(self.solution) else self.solution

    def moves(self, values: Mapping[str, Any]) -> Sequence[Move]:
        """Return the moves of the solution for these values of the goal's placeholders.

        Raises:
            TaskError: if the function that returns the solution raises, or returns no moves.
        """
        if not callable(self.solution):
            return self.solution
        try:
            found = list(self.solution(values))
        except Exception as error:
            raise TaskError(f"its solution raised {in_one_line(error)}") from error
        _check_moves(found)
        return found

    @property
    def shortest(self) -> int | None:
        """The golden steps: given, or counted from the solution or the golden actions, if known."""
        asks_nobody = self.variant == FULL
        moves = (move for move in self.fixed_solution if not (move.asks and asks_nobody))
        counted = sum(not move.ends_episode for move in moves)
        return self.golden_steps or counted or _count(self.golden) or None

    def limit(self, factor: float) -> int:
        """Return the maximum number of steps: `step_limit`, or the golden steps times `factor`.

        Raises:
            TaskError: if the product exceeds `MOST_STEPS` or is not a number.
        """
        if self.step_limit is not None:
            return self.step_limit
        golden = self.shortest
        if golden is None:
            return DEFAULT_STEP_LIMIT
        product = golden * factor
        if not product <= MOST_STEPS:  # also true for NaN
            msg = f"{golden} golden steps times a step factor of {factor} exceed {MOST_STEPS} steps"
            raise TaskError(f"{msg}: lower mobile_step_factor, or give the task a step_limit")
        # Floating point makes 50 * 1.1 slightly more than 55.
        return max(1, math.ceil(round(product, 6)))

    def values(self, parameters: Mapping[str, Any], now: datetime) -> dict[str, Any]:
        """Return the values of the placeholders in the goal and the solution."""
        app = {"app": self.packages[0]} if self.packages else {}
        return {**app, **times(now), **parameters}


def _check_moves(solution: Sequence[Move]) -> None:
    for move in solution:
        if not hasattr(move, "ends_episode"):
            what = f"the solution has {_brief(move)}"
            raise TaskError(f"{what}, which is not a move such as tap(…)")


def _count(golden: Sequence[Wanted]) -> int:
    """Return the number of golden actions that are steps, which reports are not."""
    if not golden:
        return 0
    from pytest_mobileagent.action import Finish, Impossible
    from pytest_mobileagent.action.matching import Golden

    bare = (each.action if isinstance(each, Golden) else each for each in golden)
    return sum(not isinstance(each, Finish | Impossible) for each in bare)


def _is_texts(value: object) -> bool:
    # Tables have thousands of tasks, and asking whether something is a Sequence is slow.
    if not isinstance(value, tuple | Sequence) or isinstance(value, str | bytes):
        return False
    return all(isinstance(text, str) and text for text in value)


def _brief(value: object) -> str:
    """Return the repr of any value, shortened for an error message."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - e.g. an int with too many digits to print
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else f"{text[:60]}…"
