"""`python -m pytest_mobileagent calibrate`: measures how reliable judges are."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.arguments import Parser, positive, program_name, report_progress
from pytest_mobileagent.errors import MobileAgentError
from pytest_mobileagent.extras import check_extra
from pytest_mobileagent.jsonable import printable, to_wire
from pytest_mobileagent.judge.calibration.judging import (
    INTERRUPTED,
    CalibrationPlan,
    Mode,
    judge_all,
    six,
)
from pytest_mobileagent.judge.calibration.labels import read_labels
from pytest_mobileagent.judge.calibration.report import as_text, summary
from pytest_mobileagent.judge.panel import reader
from pytest_mobileagent.judge.question import ACTIONS, EVIDENCE
from pytest_mobileagent.llm.asking import cache_for
from pytest_mobileagent.llm.budget import Budget, Limit, parse_limit
from pytest_mobileagent.llm.models import ModelSettings, check_reference
from pytest_mobileagent.llm.prices import Prices, load_prices
from pytest_mobileagent.llm.reference import ModelReference, parse_references
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.judge.calibration.judging import JudgingOutcome
    from pytest_mobileagent.judge.calibration.labels import Labels
    from pytest_mobileagent.llm.asking import CachingSettings


def main(arguments: Sequence[str], project: Callable[[], CachingSettings]) -> int:
    """Ask judges about labelled episodes, and print how reliable they are (see `parser`).

    `project` returns the settings of the project in the current folder.
    """
    given = parser().parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="mobileagent-") as folder:
            labels = read_labels(given.labels, suspects=given.suspects)
            options = read_options(given, project(), Path(folder) / "spent.jsonl")
            plan = CalibrationPlan(
                labels.each,
                options.judges,
                options.settings,
                reader(options.ocr),
                options.modes,
                options.runs,
                uses_components=not given.no_coarse,
                threads=given.threads,
            )
            outcome = judge_all(plan, partial(report_progress, what="episodes judged"))
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
        return 130 if outcome.stopped == INTERRUPTED else 2
    return 0 if any(answer.passed is not None for answer in outcome.answers) else 1


_OCR = ("rapidocr", "easyocr")


def parser() -> argparse.ArgumentParser:
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
    add("--ocr", choices=_OCR, help="the OCR engine that reads screenshots for key components")
    add("--prices", metavar="FILE", help="a TOML file with your own prices")
    add("--unpriced", choices=("stop", "allow"), help="whether to ask a model without a price")
    add("--max-cost", metavar="USD", help="stop asking once this many US dollars are spent")
    add("--cache", type=Path, metavar="DIR", help="a folder for replies (default: pytest's cache)")
    threads = "episodes judged at a time (default: 8)"
    add("--threads", type=positive, default=8, metavar="N", help=threads)
    add("--format", choices=("text", "json"), default="text", help="the format of the report")
    return made  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """The options, checked as far as possible without asking a model."""

    judges: tuple[ModelReference, ...]
    settings: ModelSettings
    modes: tuple[Mode, ...]
    runs: int
    ocr: str


@dataclass(frozen=True, slots=True)
class _Setting:
    """The text of an option, its source, and the folder that its paths are relative to."""

    text: str
    source: str
    base: Path

    def wrong(self, why: object) -> ValueError:
        return ValueError(f"{self.source}={redact_urls(self.text)}: {why}")

    @property
    def path(self) -> Path:
        return self.base / Path(self.text).expanduser()


def read_options(given: argparse.Namespace, settings: CachingSettings, ledger: Path) -> Options:
    """Return the options from the command line, or else from the project, or else the defaults.

    `ledger` is a new file for recording the spending.

    Raises:
        ValueError, HostError: if an option is invalid, or an extra is missing; the message says
            why.
    """

    def setting(flag: str, name: str) -> _Setting | None:
        text = getattr(given, flag.replace("-", "_"))
        if text is not None:
            return _Setting(str(text), f"--{flag}", Path())
        found = settings.get(name)
        return None if found is None else _Setting(found[0], name, found[1])

    check_extra("models", "asking models")
    judges = setting("judges", "mobile_judges")
    if judges is None:
        raise ValueError("no judge is named: --judges=PROVIDER:NAME,…, as in openai:gpt-4o")
    prices = _parsed(setting("prices", "mobile_prices"), lambda at: load_prices(at.path), Prices())
    cost = _parsed(setting("max-cost", "mobile_max_cost"), _limit, Limit())
    unpriced = setting("unpriced", "mobile_unpriced")
    allowed = unpriced is not None and unpriced.text == "allow"
    references: tuple[ModelReference, ...] = _parsed(judges, _references, ())
    for reference in references:
        try:
            check_reference(
                reference, prices, unpriced=allowed, limited=cost.run is not None, options="--",
                remark="Nothing was asked",
            )  # fmt: skip
        except ValueError as error:
            raise judges.wrong(error if len(references) == 1 else f"{reference}: {error}") from None
    cache = cache_for(references, given.cache, lambda: settings)
    runs = setting("runs", "mobile_judge_runs")
    ocr = setting("ocr", "mobile_ocr")
    return Options(
        references,
        ModelSettings(prices=prices, budget=Budget(cost), ledger=ledger, cache=cache),
        _modes(given),
        _parsed(runs, lambda at: positive(at.text), 1),
        "rapidocr" if ocr is None else ocr.text,
    )


T = TypeVar("T")


def _parsed(setting: _Setting | None, parse: Callable[[_Setting], T], default: T) -> T:
    """Return the value of a setting, or the default."""
    if setting is None:
        return default
    try:
        return parse(setting)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise setting.wrong(error) from None


def _limit(setting: _Setting) -> Limit:
    """Return the limit of the whole calibration; the limit for each episode is ignored."""
    return Limit(parse_limit(setting.text).run)


def _references(setting: _Setting) -> tuple[ModelReference, ...]:
    """Return the judges; scripts get absolute paths, resolved against the setting's folder."""
    found = parse_references(setting.text)
    if len({each.id for each in found}) < len(found):
        raise ValueError("two judges have the same name, so they could not be distinguished")
    return tuple(each.named_in(setting.base) for each in found)


def _modes(given: argparse.Namespace) -> tuple[Mode, ...]:
    reason = None if given.reason is None else given.reason == "yes"
    base = Mode(given.actions, given.evidence, reason, given.language or "")
    if not given.modes:
        return (base,)
    if given.actions is not None or given.reason is not None or given.evidence == "xml":
        raise ValueError("--modes sets --actions, --reason and --evidence itself: leave them out")
    return six(replace(base, evidence="screens"))
