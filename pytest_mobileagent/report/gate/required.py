"""Tasks that have to pass.

Agents are not deterministic, so one failure among several epochs is no breach: a task has to pass
in more than half of its decided epochs, in each of its environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.comparison.pairing import Tally, tallies
from pytest_mobileagent.report.gate.finding import FAIL, INCONCLUSIVE, PASS, Finding
from pytest_mobileagent.report.text.names import label

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def required(
    must_pass: Sequence[str], tasks: Sequence[Mapping[str, Any]], look: int
) -> list[Finding]:
    """Return what became of the tasks that have to pass: one finding, or none without such tasks.

    FAIL if one failed more than half of its epochs; else INCONCLUSIVE if one was not decided,
    passed and failed as often, or has so many epochs missing that they could change the verdict.
    """
    if not must_pass:
        return []
    counted = tallies(tasks)
    found = {key: tally for key, tally in counted.items() if key[0] in must_pass}
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
    return [Finding(worst, words, {"must_pass": each}, look=look)]


def _verdict(tally: Tally) -> str:
    """Return PASS and FAIL only where what is missing could not change that."""
    best, worst = tally.filled(passed=True), tally.filled(passed=False)
    if 2 * best.passed < best.decided:
        return FAIL
    return PASS if worst.passes else INCONCLUSIVE


def _of(tally: Tally) -> str:
    if not tally.decided:
        return "was not decided"
    lacks = f", and {tally.missing} {'are' if tally.missing > 1 else 'is'} missing"
    said = f"passed {tally.passed} of {tally.decided} epoch{'s' * (tally.decided != 1)}"
    return said + lacks * bool(tally.missing)
