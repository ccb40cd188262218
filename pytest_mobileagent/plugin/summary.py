"""What a run says at its end, in the terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.lists import (
    cut_off,
    disagreements,
    failures,
    not_run,
    remarks,
    reviews,
    skips,
)
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.terminal import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig

UNDECIDED = "undecided.txt"
_COLOURS = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}
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
    *,
    budget: str,
    judged: Mapping[str, Any],
) -> None:
    """Show a run's table and what one has to know of it.

    `end` says where its report is, `budget` which budget has ended the run, if one has; `judged` is
    what its report says of a gate and of a comparison.
    """
    terminal.section(f"mobile agent {run.agent or '(none)'}")
    lines = table(summarise(results))
    if run.config.option.tbstyle == "no":  # failures are not shown anywhere else
        lines += failures(results)
    two_judge = len(run.judges.references) == 2
    lines += [*reviews(results, may_settle=two_judge), *disagreements(results)]
    lines += [*skips(results), *not_run(results)]
    if budget:
        lines += [cut_off(budget, results), _how_to_go_on(run, results, budget)]
    on_virtual_phones = bool(run.folder.about().get("virtual"))
    for line in [*lines, *remarks(results, on_virtual_phones=on_virtual_phones)]:
        terminal.line(line)
    _show_judged(terminal, judged)
    terminal.line(end)


def _show_judged(terminal: pytest.TerminalReporter, judged: Mapping[str, Any]) -> None:
    """Show how the run differs from its baseline, and what its gate says."""
    if comparison := judged.get("comparison"):
        from pytest_mobileagent.report import comparison_words  # noqa: PLC0415

        baseline = printable(str(comparison["baseline"]["id"]))
        for line in [
            f"against {baseline}: {comparison_words.line(comparison)}",
            *comparison_words.details(comparison),
        ]:
            terminal.line(line)
    if gate := judged.get("gate"):
        from pytest_mobileagent.report.gate.words import text  # noqa: PLC0415

        verdict, *bounds = text(gate)
        terminal.line(verdict, bold=True, **{_COLOURS[gate["verdict"]]: True})
        for line in bounds:
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
    near = path.relative_to(here) if path.is_relative_to(here) else path
    return how_to_go_on(run.config, run.models.budget, spent, near)


def _seen_from(folder: Path, run: RunConfig, nodeid: str) -> str:
    """Return a node id, which names a file from pytest's root folder, from another folder."""
    file, colons, rest = nodeid.partition("::")
    return f"{os.path.relpath(run.config.rootpath / file, folder)}{colons}{rest}"
