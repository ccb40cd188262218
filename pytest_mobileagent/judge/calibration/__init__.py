"""`python -m pytest_mobileagent calibrate`: measures how reliable judges are."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.arguments import Parser, positive, program_name, report_progress
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import cut, plural, printable, to_wire
from pytest_mobileagent.judge.calibration import judging
from pytest_mobileagent.judge.calibration.figures import summary
from pytest_mobileagent.judge.calibration.labels import read_labels
from pytest_mobileagent.judge.panel import reader
from pytest_mobileagent.judge.question import ACTIONS, EVIDENCE
from pytest_mobileagent.llm.budget import Budget, Limit, parse_limit
from pytest_mobileagent.llm.metered import EpisodeModels
from pytest_mobileagent.llm.models import cache_for, check_reference
from pytest_mobileagent.llm.prices import Prices, load_prices
from pytest_mobileagent.llm.reference import ModelReference, parse_references
from pytest_mobileagent.statistics import Estimate
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.judge.calibration.judging import JudgingOutcome
    from pytest_mobileagent.judge.calibration.labels import Labels
    from pytest_mobileagent.llm.models import CachingSettings


def main(arguments: Sequence[str], project: Callable[[], CachingSettings]) -> int:
    """Ask judges about labelled episodes, and print how reliable they are.

    `project` returns the settings of the project in the current folder.
    """
    given = _parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
            labels = read_labels(given.labels, suspects=given.suspects)
            plan = _plan(given, labels, project(), Path(folder) / "spent.jsonl")
            outcome = judging.judge_all(plan, partial(report_progress, what="episodes judged"))
            found = summary(plan, labels, outcome)
    except KeyboardInterrupt:  # a second Ctrl-C, or before any judge was asked
        return 130
    except (MobileAgentError, ValueError) as error:
        print(f"error: {printable(str(error))}", file=sys.stderr)
        return 2
    return _report(found, given, labels, outcome)


def _report(
    found: dict[str, Any], given: argparse.Namespace, labels: Labels, outcome: JudgingOutcome
) -> int:
    """Print the report, and return the exit status."""
    if given.format == "json":
        print(json.dumps(to_wire(found), ensure_ascii=False, indent=2))
    elif outcome.labels:
        print(as_text(found))
    if outcome.stopped:
        left = f"{outcome.labels} of {len(labels.each)} episodes were judged"
        print(f"{outcome.stopped}: {left}; the same command continues from there", file=sys.stderr)
        return 130 if outcome.stopped == judging.INTERRUPTED else 2
    return 0 if any(answer.passed is not None for answer in outcome.answers) else 1


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = Parser(
        prog=program_name("calibrate"),
        description="Ask judges about episodes that people have decided, and report how reliable "
        "the judges are.",
        epilog="Options that are left out are taken from the environment or pytest's "
        "configuration: MOBILE_JUDGES or mobile_judges, and so on. Replies are stored in pytest's "
        "cache: after Ctrl-C, or once --max-cost is spent, the same command continues where it "
        "stopped. The exit status is 0 on success, 1 if no judge answered, 2 for invalid arguments "
        "or if the command stopped before the end, and 130 after Ctrl-C.",
    )
    add = made.add_argument
    labels = "a file with a label in each line, a run's folder (with people's decisions from "
    labels += "`review`), or a known data set (docs/calibration.md)"
    add("--labels", type=Path, required=True, metavar="FILE", help=labels)
    add("--suspects", action="store_true", help="include labels that a data set itself doubts")
    add("--judges", metavar="MODEL,…", help="PROVIDER:NAME, with @URL for your own endpoint")
    add("--runs", type=positive, metavar="K", help="ask each judge K times; the majority counts")
    add("--actions", choices=ACTIONS, help="how judges see the agent's actions")
    add("--evidence", choices=EVIDENCE, help="whether judges see screenshots or view hierarchies")
    add("--reason", choices=("yes", "no"), help="whether judges give a reason before the result")
    add("--language", choices=("en", "zh"), help="the prompts' language (default: the task's)")
    modes = "compare SPA-Bench's six modes: actions none, text or image, with and without a reason"
    add("--modes", action="store_true", help=modes)
    no_coarse = "also ask about episodes that lack their key components, and report how useful key "
    no_coarse += "components are"
    add("--no-coarse", action="store_true", help=no_coarse)
    ocr = "the OCR engine that reads screenshots for key components"
    add("--ocr", choices=("rapidocr", "easyocr"), help=ocr)
    add("--prices", metavar="FILE", help="a TOML file with your own prices")
    add("--unpriced", choices=("stop", "allow"), help="whether to ask a model without a price")
    add("--max-cost", metavar="USD", help="stop asking once this many US dollars are spent")
    add("--cache", type=Path, metavar="DIR", help="a folder for replies (default: pytest's cache)")
    threads = "episodes judged at a time (default: 8)"
    add("--threads", type=positive, default=8, metavar="N", help=threads)
    add("--format", choices=("text", "json"), default="text", help="the format of the report")
    return made  # fmt: skip


T = TypeVar("T")


def _plan(
    given: argparse.Namespace, labels: Labels, settings: CachingSettings, ledger: Path
) -> judging.CalibrationPlan:
    """Return the plan by the command line, or else the project's options, or else the defaults.

    `ledger` is a new file for recording the spending.

    Raises:
        ValueError, HostError: if an option is invalid, or an extra is missing; it says why.
    """

    def option(flag: str, name: str, parse: Callable[[str, Path], T], default: T) -> T:
        """Return an option, given its ini key, and what parses its text, given its folder."""
        given_text = getattr(given, flag.replace("-", "_"))
        found = settings.get(name) if given_text is None else (str(given_text), Path())
        if found is None:
            return default
        try:
            return parse(*found)
        except (ValueError, argparse.ArgumentTypeError) as error:
            source = name if given_text is None else f"--{flag}"
            raise ValueError(f"{source}={redact_urls(found[0])}: {error}") from None

    def askable(text: str, folder: Path) -> tuple[ModelReference, ...]:
        """Return the judges, after checking that they can be asked."""
        found = _references(text, folder)
        allowed, limited = unpriced == "allow", cost.run is not None
        _check_askable(found, prices, unpriced=allowed, limited=limited)
        return found

    check_extra("models", "asking models")
    prices = option(
        "prices", "mobile_prices", lambda text, base: load_prices(base / Path(text).expanduser()),
        Prices(),
    )  # fmt: skip
    # The limit for each episode is ignored: that of the run is that of the whole calibration.
    cost = option(
        "max-cost", "mobile_max_cost", lambda text, _: Limit(parse_limit(text).run), Limit()
    )
    unpriced = option("unpriced", "mobile_unpriced", lambda text, _: text, "stop")
    references = option("judges", "mobile_judges", askable, tuple[ModelReference, ...]())
    if not references:
        raise ValueError("no judge is named: --judges=PROVIDER:NAME,…, as in openai:gpt-4o")
    cache = cache_for(references, given.cache, lambda: settings)
    return judging.CalibrationPlan(
        labels.each,
        references,
        EpisodeModels(prices=prices, budget=Budget(cost), ledger=ledger, cache=cache),
        reader(option("ocr", "mobile_ocr", lambda text, _: text, "rapidocr")),
        _modes(given),
        option("runs", "mobile_judge_runs", lambda text, _: positive(text), 1),
        uses_components=not given.no_coarse,
        threads=given.threads,
    )


def _check_askable(
    references: Sequence[ModelReference], prices: Prices, *, unpriced: bool, limited: bool
) -> None:
    for reference in references:
        try:
            check_reference(
                reference, prices, unpriced=unpriced, limited=limited, options="--",
                remark="Nothing was asked",
            )  # fmt: skip
        except ValueError as error:
            msg = str(error) if len(references) == 1 else f"{reference}: {error}"
            raise ValueError(msg) from None


def _references(text: str, folder: Path) -> tuple[ModelReference, ...]:
    """Return the judges; the paths of scripts are relative to the folder."""
    found = parse_references(text)
    if len({each.id for each in found}) < len(found):
        raise ValueError("two judges have the same name, so they could not be distinguished")
    return tuple(each.named_in(folder) for each in found)


def _modes(given: argparse.Namespace) -> tuple[judging.Mode, ...]:
    reason = None if given.reason is None else given.reason == "yes"
    base = judging.Mode(given.actions, given.evidence, reason, given.language or "")
    if not given.modes:
        return (base,)
    if given.actions is not None or given.reason is not None or given.evidence == "xml":
        raise ValueError("--modes sets --actions, --reason and --evidence itself: leave them out")
    return judging.six(replace(base, evidence="screens"))


_HEAD = ("accuracy", "F1", "kappa", "calls", "price")
_SHOWN = 5  # judge errors that are listed
_LONGEST = 200  # characters of a listed error


def as_text(found: Mapping[str, Any]) -> str:
    """Return the data of `summary` as text."""
    first = found["modes"][0]
    head = f"{plural(found['judged'], 'episode')}, {found['done']} labelled done"
    if len(found["modes"]) > 1:
        lines = [head, *_by_mode(found["modes"])]
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
    return (_estimate(score[name]) for name in ("accuracy", "f1", "kappa"))


def _pairs(mode: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines on how often pairs agree, and how often they are wrong when they agree."""
    for pair in mode["pairs"]:
        one, other = pair["judges"]
        agreement, between = _estimate(pair["agreement"]), _estimate(pair["kappa_between"])
        yield f"{_short(one)} and {_short(other)} agree on {agreement}, kappa {between}"
        wrong = pair["where_they_agree"]["false_positives"]
        wrong += pair["where_they_agree"]["false_negatives"]
        if pair["error_when_both_agree"]["value"] is None:
            continue
        line = f"  wrong although they agree: {_estimate(pair['error_when_both_agree'], '{:.3f}')}"
        line += f", {wrong} of {pair['where_they_agree']['answered']}, measured"
        product, apart = pair["product_of_error_rates"], pair["if_errors_were_independent"]
        if product is not None and apart is not None:
            line += f"; independent errors would make {apart:.3f} (their product: {product:.3f})"
        yield line


def _saved(components: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    would = "saved" if found["uses_components"] else "would save"
    share = _estimate(components["saved"])
    of = "" if components["labels"] == found["judged"] else f" ({components['labels']} have any)"
    return f"key components {would} {share} of the calls{of}"


def _by_mode(modes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield lines with each mode's F1, with and without key components (SPA-Bench, Table 9)."""
    judges = {judge["judge"]: judge["languages"] for judge in modes[0]["judges"]}
    columns = [(judge, language) for judge, each in judges.items() for language in each]
    rows = [["F1", *(f"{_short(judge)}, {language}" for judge, language in columns)]]
    for mode in modes:
        found = {judge["judge"]: judge["languages"] for judge in mode["judges"]}
        cells = [_f1(found[judge].get(language)) for judge, language in columns]
        rows.append([mode["mode"], *cells])
    each = [judges[judge][language] for judge, language in columns]
    if any(about["with_key_components"] for about in each):
        rows.append(["saved by key components", *(_estimate(about["saved"]) for about in each)])
    yield from _aligned(rows)
    if any(_both_known(about) for each in judges.values() for about in each.values()):
        yield "in parentheses: how F1 changes if key components are not used"


def _both_known(about: Mapping[str, Any]) -> bool:
    return about["f1_without_key_components"] is not None and bool(about["saved"]["value"])


def _f1(about: Mapping[str, Any] | None) -> str:
    if about is None or about["f1"]["value"] is None:
        return "n/a"
    if not _both_known(about) or about["f1_without_key_components"]["value"] is None:
        return _estimate(about["f1"])
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


def _estimate(given: Mapping[str, float | None], form: str = "{:.2f}") -> str:
    return Estimate(**given).in_words(form)


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
