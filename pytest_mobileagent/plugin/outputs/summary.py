"""Prints a run's summary on the terminal: its table, its gate, and the command to continue."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.llm.budget import amount_text
from pytest_mobileagent.llm.model import Usage
from pytest_mobileagent.llm.prices import text_tokens
from pytest_mobileagent.plugin.settings import near
from pytest_mobileagent.report.gate.missing import mostly_skipped
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.metrics.doubtful import is_unclear
from pytest_mobileagent.report.names import run_name
from pytest_mobileagent.report.recorded_run import REPORT, is_final, newest_run
from pytest_mobileagent.report.text import table, thousands
from pytest_mobileagent.report.text.lists import (
    FEW,
    LINE,
    cut_off,
    disagreements,
    epochs,
    failures,
    official_differences,
    passes,
    reasons,
    remarks,
    reviews,
)
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.urls import redact_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.report.entry import Entry


_COLOURS = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}
_MOST = 10  # node ids that are listed


def show_missing(terminal: pytest.TerminalReporter, nodeids: Sequence[str]) -> None:
    """Print the selected tests without a result, in a run that pytest counts as successful."""
    if nodeids:
        terminal.section("tests without a result", red=True)
        for nodeid in nodeids[:_MOST]:
            terminal.line(nodeid)
        if len(nodeids) > _MOST:
            terminal.line(f"… and {len(nodeids) - _MOST} more")


def show_run(
    terminal: pytest.TerminalReporter,
    run: RunConfig,
    results: Sequence[Entry],
    *,
    budget: str,
    earlier: Sequence[str],
) -> None:
    """Print a run's table, and remarks on its results.

    `budget` names the budget that ended the run, if any; `earlier` are lines on an earlier run from
    which results were taken.
    """
    about = run.folder.about()
    terminal.section(printable(f"mobile agent {run_name(about)}"))
    summary = summarise(results)
    lines = [*table(summary), *epochs(summary), *earlier]
    if run.config.option.tbstyle == "no":  # pytest itself does not display failures
        in_full = run.config.option.verbose > 0
        columns = min(LINE, run.config.get_terminal_writer().fullwidth) if terminal.isatty else LINE
        lines += passes(results, columns) if in_full else []
        lines += failures(results, len(results) if in_full else FEW, columns)
    two_judge = len(run.judges.references) == 2
    lines += [*reviews(results, may_settle=two_judge), *_judging(run, results)]
    lines += [*disagreements(results), *official_differences(results)]
    lines += reasons("skipped", results)
    lines += [cut_off(budget, results)] if budget else reasons("not run", results)
    ends = [result for result in results if not is_final(result)]
    if run.earlier.makes_episodes and any(budget or each.fault != "budget" for each in ends):
        lines.append(_how_to_go_on(run, budget))
    lines += _cannot_ask(run, results)
    last = mostly_skipped(results, _doctor(run))
    for line in [*lines, *remarks(results, about), *last]:
        terminal.line(painted(line, run.config.get_terminal_writer().markup))


def _doctor(run: RunConfig) -> list[str]:
    """Return the command that lists which of the selected tasks can run on the run's devices."""
    config, here = run.config, str(run.config.invocation_params.dir)
    words = ["python", "-m", "pytest_mobileagent", "doctor", "--tasks"]
    words += ["." if word == here else redact_urls(word) for word in config.args]
    words += [f"-k={config.option.keyword}"] if config.option.keyword else []
    words += [f"-m={config.option.markexpr}"] if config.option.markexpr else []
    given = {name: run.settings[f"mobile-{name}"] for name in ("device", "driver", "device-has")}
    return words + [f"--{name}={each.text}" for name, each in given.items() if each.is_given]


_RATE = re.compile(r"\d+\.\d% \((\d+)/(\d+)\)")
_TITLES = {
    "suite ": {"bold": True}, "failed (": {"red": True}, "for review (": {"yellow": True},
    "suspects:": {"yellow": True}, "not run ": {"yellow": True}, "budget:": {"yellow": True},
    "continue with: ": {"bold": True}, "decide it: ": {"bold": True},
    "most tasks ": {"yellow": True},
}  # fmt: skip


def painted(line: str, paint: Callable[..., str]) -> str:
    """Return a line of the summary with its rates and titles in colour.

    `paint` is that of pytest's terminal writer, which leaves texts as they are without colours.
    """

    def rate(found: re.Match[str]) -> str:
        passed, decided = int(found[1]), int(found[2])
        colour = "green" if passed == decided else "yellow" if passed else "red"
        return paint(found[0], **{colour: True, "bold": True})

    for title, colours in _TITLES.items():
        if line.startswith(title):
            return paint(line, **colours)
    return _RATE.sub(rate, line)


_TOKENS = (400, 60)  # of a judge's instructions and reply, when it compares two answers


def _judging(run: RunConfig, results: Sequence[Entry]) -> list[str]:
    """Return a line on what it would cost to let a judge decide the unclear answers, if any."""
    evidence = [each.verdict["evidence"] for each in results if is_unclear(each) and each.verdict]
    asked = [each for found in evidence for each in found["unclear"]]
    if not asked:
        return []
    said = sum(text_tokens(each["expected"] + each["answer"]) for each in asked)
    read, written = said + _TOKENS[0] * len(asked), _TOKENS[1] * len(asked)
    judges = run.settings["mobile-judges"].value or ()
    price = run.models.prices.price(judges[0], "", Usage(read, written)) if judges else None
    cost = f", ${price:.4f}" if price is not None else ""
    models = "" if judges else " --mobile-judges=PROVIDER:NAME"
    again = f"--mobile-rescore={near(run.config, run.folder.path)} --llm-judge=single{models}"
    tokens = f"about {thousands(read)} tokens{cost}"
    return [f"or let a judge decide the unclear answers ({len(asked)}; {tokens}): {again}"]


def _cannot_ask(run: RunConfig, results: Sequence[Entry]) -> list[str]:
    """Return a line about an agent that cannot ask the users of its tasks; else no line."""
    users = sum(result.user == "asked" for result in results)
    if run.agents.asks or not users:
        return []
    tasks = f"{users} task{'s have' if users != 1 else ' has'} a user who answers"
    agent = printable(str(run.agent_name))
    return [f"{tasks}, and {agent} cannot ask: --mobile-user=told gives it the answers"]


def show_judged(terminal: pytest.TerminalReporter, judged: Mapping[str, Any]) -> None:
    """Print how the run differs from its baseline, and its gate's decision."""
    if comparison := judged.get("comparison"):
        from pytest_mobileagent.report.text.comparison import (
            comparison_details,
            comparison_line,
            title_of,
        )

        against = title_of(comparison["baseline"])
        terminal.line(f"against {against}: {comparison_line(comparison)}")
        for line in comparison_details(comparison):
            terminal.line(line)
    if gate := judged.get("gate"):
        from pytest_mobileagent.report.gate.decide import decision_lines

        verdict, *bounds = decision_lines(gate)
        terminal.line(verdict, bold=True, **{_COLOURS[gate["verdict"]]: True})
        for line in bounds:
            terminal.line(line)


def where_the_report_is(run: RunConfig, *, links: bool = False) -> str:
    """Return a line with the location of a run's report and the command that opens it.

    With `links`, the page's address is a terminal hyperlink (OSC 8).
    """
    page = run.folder.path / PAGE
    if not page.is_file():
        return f"report: {near(run.config, run.folder.path / REPORT)}"
    words = ["python", "-m", "pytest_mobileagent", "show"]
    if run.settings["mobile-runs"].is_typed or run.earlier.goes_on:  # alone, it opens another run
        words.append(str(near(run.config, run.folder.path)))
    address = page.absolute().as_uri()
    link = f"\x1b]8;;{address}\x1b\\{address}\x1b]8;;\x1b\\" if links else address
    return f"report: {link}   (open it: {shlex.join(words)})"


def _how_to_go_on(run: RunConfig, over: str) -> str:
    """Return a line with the command that runs the tests without a final result.

    `over` names the budget that was spent, such as `--mobile-max-cost=1`, or is empty. The command
    doubles that budget until it exceeds what was spent.
    """
    path, models = run.folder.path, run.models
    runs = near(run.config, path.parent if newest_run(path.parent) == path else path)
    flag = over.partition("=")[0]
    left_out = {flag, "--mobile-resume", "--mobile-reuse", "--mobile-rescore", "--mobile-replies"}
    words: list[str] = []
    is_value = False
    for word in map(str, run.config.invocation_params.args):
        is_replaced = word.partition("=")[0] in left_out
        if not (is_replaced or is_value):
            words.append(redact_urls(word))
        is_value = is_replaced and "=" not in word
    words.append(f"--mobile-resume={runs}")
    if over:
        is_cost, spent = flag == "--mobile-max-cost", models.ledger().spent()
        limit = models.budget.cost if is_cost else models.budget.tokens
        each = "" if limit.task is None else f",task={amount_text(limit.task)}"
        more = 2 * (limit.run or 1)
        while more <= (spent.usd if is_cost else spent.tokens):
            more *= 2
        words.append(f"{flag}={amount_text(more)}{each}")
    return f"continue with: {shlex.join(['pytest', *words])}"
