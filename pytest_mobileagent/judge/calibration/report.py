"""The report of a calibration, as JSON-able data and as text for a terminal."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import cut, plural, printable
from pytest_mobileagent.judge.calibration import figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_mobileagent.judge.calibration.judging import (
        CalibrationPlan,
        JudgeAnswer,
        JudgingOutcome,
    )
    from pytest_mobileagent.judge.calibration.labels import Labels


SCHEMA_VERSION = 1


def summary(plan: CalibrationPlan, labels: Labels, outcome: JudgingOutcome) -> dict[str, Any]:
    """Return the report's data: the labels, and for each mode the judges and their pairs.

    `figures` defines the numbers. A label without any answer is not counted anywhere.
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


def _mode(plan: CalibrationPlan, outcome: JudgingOutcome, mode: str) -> dict[str, Any]:
    answers = sorted(
        (each for each in outcome.answers if each.mode == mode), key=lambda each: each.label
    )
    by_judge = {
        judge.id: own
        for judge in plan.judges
        if (own := [each for each in answers if each.judge == judge.id])
    }
    settled = figures.settled(by_judge)
    return {
        "judges": [
            {
                "judge": judge.id,
                **figures.score(by_judge[judge.id]).to_json(),
                **figures.cost(by_judge[judge.id], judge, plan.settings.prices),
                "languages": _languages(by_judge[judge.id]),
            }
            for judge in plan.judges
            if judge.id in by_judge
        ],
        "pairs": [figures.pair(*two) for two in combinations(by_judge.values(), 2)],
        "settled_by_the_third": None if settled is None else settled.to_json(),
        "key_components": {
            "labels": len({each.label for each in answers if each.components}),
            "saved": figures.saved(answers).to_json(),
        },
    }


def _languages(answers: Sequence[JudgeAnswer]) -> dict[str, Any]:
    """Return F1 and the savings by key components for each language of tasks (as in Table 9)."""
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


def _answer(answer: JudgeAnswer, labels: Labels) -> dict[str, Any]:
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


_HEAD = ("accuracy", "F1", "kappa", "calls", "price")
_SHOWN = 5  # judge errors that are listed
_LONGEST = 200  # characters of a listed error


def as_text(found: Mapping[str, Any]) -> str:
    """Return the data of `summary` as text."""
    first = found["modes"][0]
    head = f"{plural(found['judged'], 'episode')}, {found['done']} labelled done"
    if len(found["modes"]) > 1:
        lines = [head, *_modes(found["modes"])]
    else:
        lines = _aligned([(head, *_HEAD), *_judges(first), *_agreeing(first)])
        if first["key_components"]["labels"]:
            lines[-1] += f"           {_saved(first['key_components'], found)}"
        lines += _pairs(first)
    return printable("\n".join([*lines, *_remarks(found)]))


def _judges(mode: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for judge in mode["judges"]:
        yield (judge["judge"], *_numbers(judge), str(judge["calls"]), _price(judge))


def _agreeing(mode: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    is_only = len(mode["pairs"]) == 1
    for pair in mode["pairs"]:
        agreed = pair["where_they_agree"]
        who = "both" if is_only else " and ".join(_short(name) for name in pair["judges"])
        yield (f"{who}, where they agree ({agreed['answered']})", *_numbers(agreed), "", "")
    if (settled := mode["settled_by_the_third"]) is not None:
        yield ("cross, settled by the third", *_numbers(settled), "", "")


def _numbers(score: Mapping[str, Any]) -> Iterator[str]:
    return (estimate(score[name]) for name in ("accuracy", "f1", "kappa"))


def _pairs(mode: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on how often pairs agree, and how often they are wrong when they agree."""
    for pair in mode["pairs"]:
        one, other = pair["judges"]
        agreement, between = estimate(pair["agreement"]), estimate(pair["kappa_between"])
        yield f"{_short(one)} and {_short(other)} agree on {agreement}, kappa {between}"
        wrong = pair["where_they_agree"]["false_positives"]
        wrong += pair["where_they_agree"]["false_negatives"]
        if pair["error_when_both_agree"]["value"] is None:
            continue
        line = f"  wrong although they agree: {estimate(pair['error_when_both_agree'], 3)}"
        line += f", {wrong} of {pair['where_they_agree']['answered']}, measured"
        product, apart = pair["product_of_error_rates"], pair["if_errors_were_independent"]
        if product is not None and apart is not None:
            line += f"; independent errors would make {apart:.3f} (their product: {product:.3f})"
        yield line


def _saved(components: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    would = "saved" if found["uses_components"] else "would save"
    share = estimate(components["saved"])
    of = "" if components["labels"] == found["judged"] else f" ({components['labels']} have any)"
    return f"key components {would} {share} of the calls{of}"


def _modes(modes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield lines with each mode's F1, with and without key components (SPA-Bench, Table 9)."""
    judges = {judge["judge"]: judge["languages"] for judge in modes[0]["judges"]}
    columns = [(judge, language) for judge, each in judges.items() for language in each]
    heads = [f"{_short(judge)}, {language}" for judge, language in columns]
    rows = [["F1", *heads]]
    for mode in modes:
        found = {judge["judge"]: judge["languages"] for judge in mode["judges"]}
        cells = [_f1(found[judge].get(language)) for judge, language in columns]
        rows.append([mode["mode"], *cells])
    each = [judges[judge][language] for judge, language in columns]
    if any(about["with_key_components"] for about in each):
        rows.append(["saved by key components", *(estimate(about["saved"]) for about in each)])
    yield from _aligned(rows)
    if any(_both_known(about) for each in judges.values() for about in each.values()):
        yield "in parentheses: how F1 changes if key components are not used"


def _both_known(about: Mapping[str, Any]) -> bool:
    return about["f1_without_key_components"] is not None and bool(about["saved"]["value"])


def _f1(about: Mapping[str, Any] | None) -> str:
    if about is None or about["f1"]["value"] is None:
        return "n/a"
    if not _both_known(about) or about["f1_without_key_components"]["value"] is None:
        return estimate(about["f1"])
    alone = about["f1_without_key_components"]["value"]
    return f"{about['f1']['value']:.3f} ({alone - about['f1']['value']:+.3f})"


def _remarks(found: Mapping[str, Any]) -> Iterator[str]:
    yield from found["remarks"]
    judges = [judge for mode in found["modes"] for judge in mode["judges"]]
    if cached := sum(judge["cached"] for judge in judges):
        calls = sum(judge["calls"] for judge in judges)
        yield f"{cached} of {calls} replies were kept from before, and cost nothing again"
    if undecided := sum(judge["undecided"] for judge in judges):
        yield f"{plural(undecided, 'answer')} left out: as many votes for done as against"
    errors = [each for each in found["answers"] if each["error"]]
    if errors:
        yield f"{plural(len(errors), 'answer')} left out, as there was none:"
    for each in errors[:_SHOWN]:
        why = cut(" ".join(each["error"].split()), _LONGEST)
        yield f"  {each['judge']}, {each['episode']}: {why}"
    if len(errors) > _SHOWN:
        yield f"  … and {len(errors) - _SHOWN} more (--format=json lists all)"


def estimate(given: Mapping[str, float | None], digits: int = 2) -> str:
    """Return a number with its interval, such as "0.88 (0.84-0.91)", or "n/a" without a number."""
    value, low, high = given["value"], given["low"], given["high"]
    if value is None:
        return "n/a"
    printed = f"{value:.{digits}f}"
    if low is None or high is None:
        return printed
    between = "-" if low >= 0 else " to "  # "-" would look like a sign
    return f"{printed} ({low:.{digits}f}{between}{high:.{digits}f})"


def _price(judge: Mapping[str, Any]) -> str:
    unpriced = judge["unpriced"]
    if unpriced == judge["calls"] and unpriced:
        return f"{unpriced} unpriced calls"
    more = f" + {unpriced} unpriced calls" if unpriced else ""
    return f"${judge['price_usd']:.2f}{more}"


def _short(judge: str) -> str:
    return judge.partition(":")[2]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines: the first column is aligned to the left, the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
