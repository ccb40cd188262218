"""What a run says at its end, in the terminal."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plugin.paths import near
from pytest_mobileagent.report.lists import (
    FEW,
    LINE,
    cut_off,
    disagreements,
    failures,
    not_run,
    passes,
    remarks,
    reviews,
    skips,
)
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.reading import REPORT
from pytest_mobileagent.report.terminal import table
from pytest_mobileagent.report.words import PAGE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig

UNDECIDED = "undecided.txt"
_MOST = 10  # node ids that are listed


def show_missing(terminal: pytest.TerminalReporter, nodeids: Sequence[str]) -> None:
    """Show which tests were selected and have no result, in a run that looks well otherwise."""
    if nodeids:
        terminal.section("tests without a result", red=True)
        for nodeid in nodeids[:_MOST]:
            terminal.line(nodeid)
        if len(nodeids) > _MOST:
            terminal.line(f"… and {len(nodeids) - _MOST} more")


def show_run(
    terminal: pytest.TerminalReporter,
    run: RunConfig,
    results: Sequence[dict[str, Any]],
    end: str,
    budget: str,
) -> None:
    """Show a run's table and what one has to know of it.

    `end` says where its report is, `budget` which budget has ended the run, if one has.
    """
    terminal.section(f"mobile agent {run.agent or '(none)'}")
    lines = table(summarise(results))
    if run.config.option.tbstyle == "no":  # failures are not shown anywhere else
        in_full = run.config.option.verbose > 0
        columns = min(LINE, terminal._tw.fullwidth) if terminal.isatty else LINE  # noqa: SLF001
        lines += passes(results, columns) if in_full else []
        lines += failures(results, len(results) if in_full else FEW, columns)
    two_judge = len(run.judges.references) == 2
    lines += [*reviews(results, may_settle=two_judge), *disagreements(results)]
    lines += [*skips(results), *not_run(results)]
    if budget:
        lines += [cut_off(budget, results), _how_to_go_on(run, results, budget)]
    on_virtual_phones = bool(run.folder.about().get("virtual"))
    for line in [*lines, *remarks(results, on_virtual_phones=on_virtual_phones), end]:
        terminal.line(line)


def _how_to_go_on(run: RunConfig, results: Sequence[dict[str, Any]], spent: str) -> str:
    """Write a file of the tests that are not decided, and return the command that runs them."""
    from pytest_mobileagent.plugin.models import how_to_go_on  # noqa: PLC0415

    path, here = run.folder.path / UNDECIDED, run.config.invocation_params.dir
    left = [result["nodeid"] for result in results if result["success"] is None]
    try:
        path.write_text("".join(f"{_seen_from(here, run, each)}\n" for each in left), "utf-8")
    except OSError as error:
        return f"which tests are left could not be written: {error}"
    return how_to_go_on(run.config, run.models.budget, spent, near(run.config, path))


def where_the_report_is(run: RunConfig) -> str:
    """Return where a run's report is, and the command that opens it."""
    page = run.folder.path / PAGE
    if not page.is_file():
        return f"report: {near(run.config, run.folder.path / REPORT)}"
    words = ["python", "-m", "pytest_mobileagent", "show"]
    if run.settings["mobile-runs"].source.startswith("--"):  # `show` does not know of it
        words.append(str(near(run.config, run.folder.path)))
    return f"report: {near(run.config, page)}   (open it: {shlex.join(words)})"


def _seen_from(folder: Path, run: RunConfig, nodeid: str) -> str:
    """Return a node id, which names a file from pytest's root folder, from another folder."""
    file, colons, rest = nodeid.partition("::")
    return f"{os.path.relpath(run.config.rootpath / file, folder)}{colons}{rest}"
