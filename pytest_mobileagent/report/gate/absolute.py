"""A bound on a number of the run's own summary."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.comparison.pairing import tallies, total
from pytest_mobileagent.report.gate.finding import FAIL, INCONCLUSIVE, PASS, Finding
from pytest_mobileagent.report.gate.missing import filled, is_broken, is_lacking, words
from pytest_mobileagent.report.gate.unknown import at_least, left_out
from pytest_mobileagent.report.metrics.summary import totals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.report.gate.spec import Bound

    Task = Mapping[str, Any]

# These count what is missing, and are known however much of it there is.
_ALWAYS_KNOWN = {
    "tasks", "decided", "errors", "skipped", "review", "not_run", "infrastructure",
    "without_snapshot",
}  # fmt: skip

_RATES = {"success_rate", "success_rate_of_all"}
# What is missing can only add to these.
_SUMS = {"cost_usd", "input_tokens", "output_tokens", "cached_tokens", "calls", "retries"}


def absolute(bound: Bound, tasks: Sequence[Task], look: int) -> Finding:
    """Return whether the number is within its bound: the number itself, as the report has it.

    INCONCLUSIVE where it is not known, or rests on less than 90 % of the episodes. Of money and
    tokens of which a part is not known, what is known is the least that it can be.
    """
    covered = [task for task in tasks if bound.covers(task["suite"], task["tags"])]
    unknown = left_out(bound.metric, covered)
    value = _value(bound.metric, totals(at_least(covered) if unknown else covered))
    numbers = {"value": value, "tasks": len(covered)}

    def finding(verdict: str, words: str, **more: bool) -> Finding:
        return Finding(verdict, words, numbers, bound, look, **more)

    if value is None:
        return finding(INCONCLUSIVE, f"{name_of(bound)} is not known ({_asked(bound)})")
    said = f"{name_of(bound)} {_shown(value)} ({_asked(bound)})"
    low = bound.min is not None and value < bound.min
    high = bound.max is not None and value > bound.max
    if unknown:
        verdict = FAIL if high else PASS if bound.max is None and not low else INCONCLUSIVE
        return finding(verdict, f"{said}, and more: it leaves out {unknown}")
    counted = total(tallies(covered).values())
    if bound.metric in _RATES and counted.missing:
        return finding(
            *_rate(bound, covered, said), broken=is_lacking(counted) and is_broken(counted)
        )
    only_grows = bound.metric.rpartition(".")[2] in _SUMS
    if bound.metric not in _ALWAYS_KNOWN and is_lacking(counted) and not (high and only_grows):
        return finding(INCONCLUSIVE, words(covered), broken=is_broken(counted))
    return finding(FAIL if low or high else PASS, said)


def _rate(bound: Bound, tasks: Sequence[Task], said: str) -> tuple[str, str]:
    """Return the verdict on a rate of success, of which episodes are missing, with what to say.

    It fails if it would with all of them passed. It passes if it would with all of them failed, and
    if at most 10 % are missing.
    """
    worst, best = (_value(bound.metric, totals(filled(tasks, passed=p))) for p in (False, True))
    assert worst is not None
    assert best is not None
    least = -math.inf if bound.min is None else bound.min
    most = math.inf if bound.max is None else bound.max
    if best < least or worst > most:
        return FAIL, said
    if is_lacking(total(tallies(tasks).values())):
        return INCONCLUSIVE, words(tasks)
    if least <= worst and best <= most:
        return PASS, said
    between = f"from {_shown(worst)} to {_shown(best)} with what is missing"
    return INCONCLUSIVE, f"{said}, {between}: {words(tasks)}"


def name_of(bound: Bound) -> str:
    """Return what a bound is about, as in "success_rate of suite clock"."""
    parts = [f"suite {bound.suite}"] if bound.suite is not None else []
    parts += [f"tag {bound.tag}"] if bound.tag is not None else []
    return printable(f"{bound.metric} of {', '.join(parts)}" if parts else bound.metric)


def _value(metric: str, numbers: Mapping[str, Any]) -> float | None:
    """Return a number of a summary; of one within another by both names, with a dot between."""
    name, _, rest = metric.partition(".")
    found = numbers.get(name)
    if rest and isinstance(found, Mapping):
        # How often something ended in a way that none did is no riddle.
        return 0 if name == "terminations" and rest not in found else _value(rest, found)
    is_number = isinstance(found, int | float) and not rest
    return found if is_number else None


def _asked(bound: Bound) -> str:
    parts = [f"at least {_shown(bound.min)}"] if bound.min is not None else []
    parts += [f"at most {_shown(bound.max)}"] if bound.max is not None else []
    return " and ".join(parts)


def _shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"
