"""What a run says at its end, in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.lists import failures, not_run, remarks, reviews, skips
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.terminal import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from pytest_mobileagent.plugin.config import RunConfig

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
    terminal: pytest.TerminalReporter, run: RunConfig, results: Sequence[dict[str, Any]], end: str
) -> None:
    """Show a run's table and what one has to know of it; `end` says where its report is."""
    terminal.section(f"mobile agent {run.agent or '(none)'}")
    lines = table(summarise(results))
    if run.config.option.tbstyle == "no":  # failures are not shown anywhere else
        lines += failures(results)
    lines += [*reviews(results), *skips(results), *not_run(results)]
    on_virtual_phones = bool(run.folder.about().get("virtual"))
    for line in [*lines, *remarks(results, on_virtual_phones=on_virtual_phones), end]:
        terminal.line(line)
