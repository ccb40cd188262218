"""All that is reported of a calibration, as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.judge.calibration import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.judge.calibration.answers import Answer
    from pytest_mobileagent.judge.calibration.judging import Outcome, Plan
    from pytest_mobileagent.judge.calibration.label import Labels

SCHEMA_VERSION = 1


def summary(plan: Plan, labels: Labels, outcome: Outcome) -> dict[str, Any]:
    """Return what is reported: the labels, and for each mode the judges and their pairs.

    Numbers are as `figures` says. Without answers of a label, it is left out everywhere.
    """
    judged = sorted({each.label for each in outcome.answers})
    done = sum(labels.each[label].done for label in judged)
    return {
        "schema_version": SCHEMA_VERSION,
        "episodes": len(labels.each),
        "judged": len(judged),
        "done": done,
        "stopped": outcome.stopped,
        "remarks": list(labels.remarks),
        "runs": plan.runs,
        "uses_components": plan.uses_components,
        "price_table": plan.settings.prices.table,
        "modes": [
            {"mode": mode.name, **asdict(mode), **_mode(plan, outcome, mode.name)}
            for mode in plan.modes
        ],
        "answers": [_answer(each, labels) for each in outcome.answers],
    }


def _mode(plan: Plan, outcome: Outcome, mode: str) -> dict[str, Any]:
    answers = sorted(
        (each for each in outcome.answers if each.mode == mode), key=lambda each: each.label
    )
    by_judge = {
        judge.id: [each for each in answers if each.judge == judge.id] for judge in plan.judges
    }
    by_judge = {judge: each for judge, each in by_judge.items() if each}
    settled = figures.settled(by_judge)
    return {
        "judges": [
            {
                "judge": judge.id,
                **figures.score(by_judge[judge.id]).to_json(),
                **asdict(figures.cost(by_judge[judge.id], judge, plan.settings.prices)),
                "languages": _languages(by_judge[judge.id]),
            }
            for judge in plan.judges
            if judge.id in by_judge
        ],
        "pairs": [each.to_json() for each in figures.pairs(by_judge)],
        "settled_by_the_third": None if settled is None else settled.to_json(),
        "key_components": {
            "labels": len({each.label for each in answers if each.components}),
            "saved": figures.saved(answers).to_json(),
        },
    }


def _languages(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return F1 and what key components save, for each language of tasks (as Table 9)."""
    found = {}
    for language in dict.fromkeys(each.language for each in answers if each.language):
        own = [each for each in answers if each.language == language]
        asked_all = not any(each.skipped for each in own)
        with_them = figures.score(own, lambda each: each.verdict_by_components)
        alone = figures.score(own, lambda each: each.passed) if asked_all else None
        found[language] = {
            "episodes": len(own),
            "with_key_components": sum(each.components for each in own),
            "saved": figures.saved(own).to_json(),
            "f1": with_them.f1.to_json(),
            "f1_without_key_components": None if alone is None else alone.f1.to_json(),
        }
    return found


def _answer(answer: Answer, labels: Labels) -> dict[str, Any]:
    return {
        "episode": labels.each[answer.label].name,
        "done": answer.done,
        "judge": answer.judge,
        "mode": answer.mode,
        "passed": answer.verdict,
        "skipped": answer.skipped,
        "calls": len(answer.calls),
        "error": answer.error,
    }
