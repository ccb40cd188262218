"""A gate's conditions on the run alone: bounds on its numbers, and tasks that must pass.

Agents are not deterministic, so a single failure among several epochs does not break the gate: a
task must pass in more than half of its decided epochs, in each of its environments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.report.comparison.pairing import Tally, tallies, total
from pytest_mobileagent.report.gate.missing import (
    describe_missing,
    episodes,
    filled,
    is_broken,
    lacks_too_many,
)
from pytest_mobileagent.report.gate.rule import FAIL, INCONCLUSIVE, PASS, GateFinding
from pytest_mobileagent.report.metrics import totals
from pytest_mobileagent.report.text import label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.report.entry import Entry, Spent
    from pytest_mobileagent.report.gate.spec import Bound


# Counts that include missing episodes, so they are known however many are missing.
_ALWAYS_KNOWN = {
    "tasks", "episodes", "decided", "errors", "skipped", "review", "unclear", "not_run",
    "infrastructure", "without_snapshot",
}  # fmt: skip

_RATES = {"success_rate", "success_rate_of_all"}
# Sums that missing episodes can only increase.
_SUMS = {
    "cost_usd", "input_tokens", "output_tokens", "cached_tokens", "calls", "retries", "crashes",
    "side_effects",
}  # fmt: skip


def absolute(bound: Bound, tasks: Sequence[Entry], analysis: int) -> GateFinding:
    """Return the finding on a bound: whether the number in the report is within it.

    It is INCONCLUSIVE if the number is unknown, or based on less than 90 % of the episodes, or if
    every task was skipped. If part of the cost, tokens or crashes is unknown, the known part is a
    lower bound. An agent that asked no model has cost 0.
    """
    covered = [task for task in tasks if bound.covers(task.suite, task.tags)]
    unknown = left_out(bound.metric, covered)
    played = [task for task in covered if task.steps is not None]
    is_spending = bound.metric.rpartition(".")[2] in _COSTS | _TOKENS
    asked_nothing = bool(played) and all(task.calls == 0 for task in played)
    is_free = not unknown and is_spending and asked_nothing
    value = _value(bound.metric, totals(at_least(covered) if unknown or is_free else covered))
    numbers = {"value": value, "tasks": len(covered)}

    def finding(verdict: str, words: str, **more: bool) -> GateFinding:
        return GateFinding(verdict, words, numbers, bound, analysis, **more)

    if value is None:
        return finding(INCONCLUSIVE, f"{name_of(bound)} is not known ({_asked(bound)})")
    said = f"{name_of(bound)} {_format(value)} ({_asked(bound)})"
    low = bound.min is not None and value < bound.min
    high = bound.max is not None and value > bound.max
    if unknown:
        verdict = FAIL if high else PASS if bound.max is None and not low else INCONCLUSIVE
        return finding(verdict, f"{said}, and more: it leaves out {unknown}")
    counted = total(tallies(covered).values())
    if bound.metric in _RATES and counted.missing:
        broken = lacks_too_many(counted) and is_broken(counted)
        return finding(*_rate(bound, covered, said), broken=broken)
    only_grows = bound.metric.rpartition(".")[2] in _SUMS
    if bound.metric not in _ALWAYS_KNOWN and lacks_too_many(counted) and not (high and only_grows):
        return finding(INCONCLUSIVE, describe_missing(covered), broken=is_broken(counted))
    if not (low or high or episodes(counted)):
        why = "every task was skipped" if covered else "this run has no such task"
        return finding(INCONCLUSIVE, f"{said}, but no episode was run: {why}")
    return finding(FAIL if low or high else PASS, said)


def _rate(bound: Bound, tasks: Sequence[Entry], said: str) -> tuple[str, str]:
    """Return the verdict on a success rate with missing episodes, and its explanation.

    The rate fails if it would fail even if all missing episodes had passed. It passes if it would
    pass even if all of them had failed, and at most 10 % are missing.
    """
    worst, best = (_value(bound.metric, totals(filled(tasks, passed=p))) for p in (False, True))
    assert worst is not None
    assert best is not None
    least = -math.inf if bound.min is None else bound.min
    most = math.inf if bound.max is None else bound.max
    if best < least or worst > most:
        return FAIL, said
    if lacks_too_many(total(tallies(tasks).values())):
        return INCONCLUSIVE, describe_missing(tasks)
    if least <= worst and best <= most:
        return PASS, said
    between = f"from {_format(worst)} to {_format(best)} with what is missing"
    return INCONCLUSIVE, f"{said}, {between}: {describe_missing(tasks)}"


def name_of(bound: Bound) -> str:
    """Return the name of a bound, such as "success_rate of suite clock"."""
    parts = [f"suite {bound.suite}"] if bound.suite is not None else []
    parts += [f"tag {bound.tag}"] if bound.tag is not None else []
    return printable(f"{bound.metric} of {', '.join(parts)}" if parts else bound.metric)


def _value(metric: str, numbers: Mapping[str, Any]) -> float | None:
    """Return a number of a summary by its name; a nested number by both names, with a dot."""
    name, _, rest = metric.partition(".")
    found = numbers.get(name)
    if rest and isinstance(found, Mapping):
        # A termination that never occurred is not listed; its count is 0.
        return 0 if name == "terminations" and rest not in found else _value(rest, found)
    return found if isinstance(found, int | float) and not rest else None


def _asked(bound: Bound) -> str:
    parts = [f"at least {_format(bound.min)}"] if bound.min is not None else []
    parts += [f"at most {_format(bound.max)}"] if bound.max is not None else []
    return " and ".join(parts)


def _format(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def required(must_pass: Sequence[str], tasks: Sequence[Entry], analysis: int) -> list[GateFinding]:
    """Return the finding on the tasks that must pass; an empty list if there are no such tasks.

    It is FAIL if a task failed in more than half of its epochs. Otherwise it is INCONCLUSIVE if a
    task is undecided, passed and failed equally often, or lacks epochs that could change this.
    """
    if not must_pass:
        return []
    found = {key: tally for key, tally in tallies(tasks).items() if key[0] in must_pass}
    ids = {key[0] for key in found}
    found |= {(task, None): Tally() for task in must_pass if task not in ids}
    verdicts = {key: _verdict(tally) for key, tally in found.items()}
    worst = next((v for v in (FAIL, INCONCLUSIVE) if v in verdicts.values()), PASS)
    if worst == PASS:
        words = f"{len(must_pass)} of {len(must_pass)} tasks that must pass did"
    else:
        named = [f"{label(*key)} {_of(found[key])}" for key in found if verdicts[key] == worst]
        words = f"must pass: {', '.join(named)}"
    each = [
        {
            "id": key[0], "environment": key[1], "verdict": verdicts[key],
            "passed": tally.passed, "decided": tally.decided, "missing": tally.missing,
        }
        for key, tally in found.items()
    ]  # fmt: skip
    return [GateFinding(worst, words, {"must_pass": each}, analysis=analysis)]


def _verdict(tally: Tally) -> str:
    """Return PASS or FAIL if the missing epochs could not change it, else INCONCLUSIVE."""
    best, worst = tally.filled(passed=True), tally.filled(passed=False)
    if 2 * best.passed < best.decided:
        return FAIL
    return PASS if worst.passes else INCONCLUSIVE


def _of(tally: Tally) -> str:
    if not tally.decided:
        return "was not decided"
    lacks = f", and {tally.missing} {'are' if tally.missing > 1 else 'is'} missing"
    said = f"passed {tally.passed} of {plural(tally.decided, 'epoch')}"
    return said + lacks * bool(tally.missing)


_COSTS = {"cost_usd", "mean_cost_usd", "mean_cost_usd_of_all", "cost_per_step"}
_TOKENS = {
    "input_tokens", "output_tokens", "cached_tokens", "estimated_input_tokens",
    "estimated_output_tokens", "mean_tokens", "mean_tokens_of_all", "tokens_per_action",
    "mean_estimated_tokens",
}  # fmt: skip
_CALLS = {"calls", "mean_calls"}  # these leave out only calls that were not observed
_UNREAD = {"crashes": "log was not read", "side_effects": "side effects are not known"}
_FILLED = ("cost_usd", "input_tokens", "output_tokens", "cached_tokens")
_ESTIMATES = ("estimated_input_tokens", "estimated_output_tokens")


def left_out(metric: str, tasks: Sequence[Entry]) -> str:
    """Describe the parts missing from a metric of calls, tokens, costs or crashes; "" if none."""
    *roles, name = metric.split(".")
    played = [task for task in tasks if task.steps is not None]
    if name in _UNREAD:
        unread = sum(getattr(task, name) is None for task in played)
        return f"{plural(unread, 'episode')} whose {_UNREAD[name]}" if unread else ""
    if name not in _COSTS | _TOKENS | _CALLS:
        return ""
    of_role = [(task.roles or {}).get(roles[-1]) if roles else task for task in played]
    spent: list[Spent] = [each for each in of_role if each is not None]
    unpriced = sum(each.unpriced_calls or 0 for each in spent)
    unseen = sum(task.metered is False for task in played)
    counts = {
        "call{} without a price (-o mobile_prices=FILE sets it)": unpriced * (name in _COSTS),
        "call{} without tokens": sum(map(_uncounted, spent)) * (name in _TOKENS),
        "episode{} whose calls were not observed (docs/programs.md says when)": unseen,
    }
    said = (f"{many} {what.format('s' * (many != 1))}" for what, many in counts.items() if many)
    return " and ".join(said)


def at_least(tasks: Sequence[Entry]) -> list[Entry]:
    """Return the tasks with unknown amounts set to 0, which gives a lower bound of their cost."""

    def known(task: Entry) -> Entry:
        roles = {role: replace(each, **_filled(each)) for role, each in (task.roles or {}).items()}
        return replace(task, **_filled(task), roles=roles)

    return [task if task.steps is None else known(task) for task in tasks]


def _uncounted(spent: Spent) -> int:
    """Return the number of calls without tokens; for older reports, 0 or all calls."""
    if spent.uncounted_calls is not None:
        return spent.uncounted_calls
    return 0 if None not in (spent.input_tokens, spent.output_tokens) else spent.calls or 0


def _filled(spent: Spent) -> dict[str, Any]:
    amounts = {name: getattr(spent, name) or 0 for name in (*_FILLED, *_ESTIMATES)}
    return {**amounts, "unpriced_calls": 0}
