"""The specification of a gate, read from a TOML file or an expression, and checked."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import Termination
from pytest_mobileagent.jsonable import decimal_number
from pytest_mobileagent.report.entry import Entry
from pytest_mobileagent.report.metrics import totals

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_mobileagent._task.case import Case


MARGIN = 0.02  # the drop that a run may have without failing: results vary from day to day
ALLOW = 0.05  # the drop that must be excluded for a PASS
AGAINST_BASELINE = "success_rate"
THESE_TASKS, TASKS_LIKE_THESE = "these tasks", "tasks like these"  # the scopes of a bound
_KEYS = ("bound", "must_pass", "allow_skipped")
_EXPRESSION = re.compile(r"\s*([\w.][\w. -]*?)\s*(>=|<=)\s*(\S+)\s*")
_FORMS = "success_rate >= 0.5, cost_usd <= 2 or success_rate >= baseline"


@dataclass(frozen=True, slots=True)
class Bound:
    """The condition on one number of a run's summary.

    With `baseline`, the success rate must not be worse than the baseline's by more than `margin`,
    and passes once a drop of `allow` is excluded; both are shares, so 0.02 is two points. `scope`
    says whether a FAIL is about the tasks that were run or about the kinds of tasks that they
    represent. Not more than `max_lost` single tasks may be lost; None sets no limit. Otherwise the
    number must be at least `min` and at most `max`. `suite` and `tag` select some of the tasks.
    """

    metric: str
    baseline: bool = False
    margin: float = MARGIN
    allow: float = ALLOW
    min: float | None = None
    max: float | None = None
    suite: str | None = None
    tag: str | None = None
    scope: str = THESE_TASKS
    max_lost: int | None = None

    @property
    def is_about_these_tasks(self) -> bool:
        """Whether a FAIL is about the tasks that were run."""
        return self.scope == THESE_TASKS

    def covers(self, suite: str | None, tags: tuple[str, ...] | list[str]) -> bool:
        """Return whether the bound covers a task of this suite with these tags."""
        return self.suite in {None, suite} and (self.tag is None or self.tag in tags)


@dataclass(frozen=True, slots=True)
class Gate:
    """The conditions on a run: bounds, and the ids of tasks that must pass.

    Unless `allow_skipped`, no task may have been skipped because its app was missing.
    """

    bounds: tuple[Bound, ...] = ()
    must_pass: tuple[str, ...] = ()
    allow_skipped: bool = False

    @property
    def needs_baseline(self) -> bool:
        """Whether the gate has a bound against the baseline."""
        return any(bound.baseline for bound in self.bounds)


def read_gate(text: str, folder: Path) -> Gate:
    """Return the gate that an expression or a TOML file, relative to `folder`, describes.

    Raises:
        ValueError: if `text` is neither, or names something unknown; the message says where.
    """
    if found := _EXPRESSION.fullmatch(text):
        return Gate((_of_expression(*found.groups()),))
    try:
        path = folder / Path(text).expanduser()
        content = path.read_text("utf-8")
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        if re.search(r"[<>=]", text):
            msg = f"{text!r} is not an expression: write one such as {_FORMS}"
        else:
            what = getattr(error, "strerror", None) or error
            msg = f"{text} cannot be read ({what}): name a TOML file, or write one of {_FORMS}"
        raise ValueError(msg) from None
    try:
        return gate_of(tomllib.loads(content))
    except RecursionError:
        raise ValueError(f"{path}: its tables or lists are nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def gate_of(data: Mapping[str, Any]) -> Gate:
    """Return the gate that the content of a TOML file describes.

    Raises:
        ValueError: if a key, a value or a metric is invalid.
    """
    _check_keys(data, _KEYS, "a gate")
    bounds = data.get("bound", [])
    if not isinstance(bounds, list) or not all(isinstance(each, dict) for each in bounds):
        raise ValueError("`bound` must be one or more tables: write [[bound]] above each")
    must_pass = data.get("must_pass", [])
    if not isinstance(must_pass, list) or not all(_is_text(name) for name in must_pass):
        raise ValueError('must_pass must be a list of task ids, as in ["tasks/clock/alarm/alarm"]')
    if not bounds and not must_pass:
        raise ValueError("has no condition: add a [[bound]], or must_pass")
    allow_skipped = data.get("allow_skipped", False)
    if type(allow_skipped) is not bool:
        raise ValueError("allow_skipped must be true or false: whether tasks may lack their apps")
    read = []
    for number, bound in enumerate(bounds, 1):
        try:
            read.append(_bound(bound))
        except ValueError as error:
            raise ValueError(f"bound {number}: {error}") from None
    return Gate(tuple(read), tuple(dict.fromkeys(must_pass)), allow_skipped)


def near(name: str, names: list[str]) -> str:
    """Return a hint for a name that is not in `names`: the most similar ones, else some of them."""
    close = difflib.get_close_matches(name, names, 3, 0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    some = ", ".join(sorted(names)[:10])
    return f"there are {some}{', …' if len(names) > 10 else ''}" if names else "there are none"


def _of_expression(metric: str, sign: str, side: str) -> Bound:
    if side == "baseline":
        if sign != ">=" or metric != AGAINST_BASELINE:
            msg = (
                f"only {AGAINST_BASELINE} >= baseline is possible against the baseline: compare "
                f"{metric} with a number, as in {metric} <= 10"
            )
            raise ValueError(msg)
        return Bound(metric, baseline=True)
    if (number := decimal_number(side)) is None:
        msg = f"{side!r} is neither a number nor the word baseline: write one of {_FORMS}"
        raise ValueError(msg)
    return _bound({"metric": metric, "min" if sign == ">=" else "max": number})


def _bound(data: Mapping[str, Any]) -> Bound:
    _check_keys(data, [field.name for field in fields(Bound)], "a bound")
    if not _is_text(data.get("metric")):
        msg = 'metric is missing: a number of report.json\'s summary, as in metric = "success_rate"'
        raise ValueError(msg)
    for name in ("suite", "tag"):
        if name in data and not _is_text(data[name]):
            raise ValueError(f"{name} must be a string")
    for name in ("margin", "allow", "min", "max"):
        if name in data and not _is_number(data[name]):
            raise ValueError(f"{name} must be a number, not {data[name]!r}")
    if data.get("scope", THESE_TASKS) not in (THESE_TASKS, TASKS_LIKE_THESE):
        raise ValueError(f'scope must be "{THESE_TASKS}" or "{TASKS_LIKE_THESE}"')
    lost = data.get("max_lost", 0)
    if type(lost) is not int or lost < 0:
        raise ValueError(f"max_lost must be a number of tasks, not {lost!r}")
    if type(data.get("baseline", False)) is not bool:
        raise ValueError("baseline must be true or false: --mobile-baseline names the run")
    _check_metric(data["metric"])
    bound = Bound(**data)
    _check_against_baseline(bound) if bound.baseline else _check_absolute(bound, data)
    return bound


def _check_metric(metric: str) -> None:
    known = totals([])
    first, dot, name = metric.partition(".")
    if first not in known:
        raise ValueError(f"there is no number {metric!r} in a summary: {near(first, list(known))}")
    if isinstance(known[first], Mapping) and not name:
        raise ValueError(f"{metric} contains several numbers: name one of them, as in {first}.NAME")
    if first == "interval":
        raise ValueError("interval is a pair of numbers: bound the success_rate instead")
    if first == "scorers":
        msg = "scorers are names, not numbers: bound step_accuracy, type_accuracy or "
        msg += "path_success_rate"
        raise ValueError(msg)
    if not isinstance(known[first], Mapping) and dot:
        raise ValueError(f"{first} is a single number: leave out {dot}{name}")
    # A termination that never occurred counts as 0, so a misspelt one would be within any maximum.
    if first in {"terminations", "termination_rates"} and name not in set(Termination):
        msg = f"no episode ends with {name!r}: {near(name, list(map(str, Termination)))}"
        raise ValueError(msg)


def _check_against_baseline(bound: Bound) -> None:
    if bound.metric != AGAINST_BASELINE:
        msg = (
            f"only {AGAINST_BASELINE} can be tested against the baseline, because the rates of "
            f"false alarms are known only for it: bound {bound.metric} by min or max"
        )
        raise ValueError(msg)
    if bound.min is not None or bound.max is not None:
        msg = "baseline = true takes margin and allow: write a separate [[bound]] with min or max"
        raise ValueError(msg)
    if not 0 <= bound.margin < bound.allow <= 1:
        msg = (
            f"margin = {bound.margin:g} and allow = {bound.allow:g} must be shares from 0 to 1 "
            "(0.02 is two points), and margin must be the smaller one"
        )
        raise ValueError(msg)


def _check_absolute(bound: Bound, data: Mapping[str, Any]) -> None:
    if key := next((n for n in ("margin", "allow", "scope", "max_lost") if n in data), ""):
        msg = f"{key} is for a bound against the baseline: add baseline = true, or leave it out"
        raise ValueError(msg)
    given = [side for side in (bound.min, bound.max) if side is not None]
    if not given:
        raise ValueError(f"{bound.metric} has no limit: add min, max or baseline = true")
    if len(given) == 2 and given[0] > given[1]:
        raise ValueError(f"no number is at least {given[0]:g} and at most {given[1]:g}")
    if ("rate" in bound.metric or "accuracy" in bound.metric) and max(given) > 1:
        raise ValueError(f"{bound.metric} is a share from 0 to 1, not {max(given):g}: 0.5 is 50 %")
    if min(given) < 0:
        msg = f"{bound.metric} is never negative, so a limit of {min(given):g} decides nothing"
        raise ValueError(msg)


def _check_keys(data: Mapping[str, Any], known: tuple[str, ...] | list[str], what: str) -> None:
    for key in data:
        if key not in known:
            raise ValueError(f"{key!r} is not a key of {what}: {near(key, list(known))}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer with hundreds of digits
        return False


def check_names(
    gate: Gate, tasks: Iterable[Entry | Case], baseline: Sequence[Entry] | None
) -> None:
    """Check that each task, suite and tag that a gate names is in the run or in its baseline.

    Raises:
        ValueError: if one is in neither (the message suggests others), or a baseline is missing.
    """
    if gate.needs_baseline and baseline is None:
        raise ValueError("the gate has a bound against the baseline, but no baseline is given")
    both = [*tasks, *(baseline or ())]
    _check("must_pass: there is no task", gate.must_pass, {task.id for task in both})
    suites = {task.suite or "" for task in both}
    _check("there is no suite", [b.suite for b in gate.bounds if b.suite is not None], suites)
    tags = {tag for task in both for tag in tags_of(task)}
    _check("no task has the tag", [b.tag for b in gate.bounds if b.tag is not None], tags)


def tags_of(task: Entry | Case) -> list[str]:
    """Return the tags of a task: of a result's entry, or of a case."""
    return task.tags if isinstance(task, Entry) else list(task.task.tags)


def _check(what: str, names: Iterable[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{what} {name!r}: {near(name, sorted(known))}")
