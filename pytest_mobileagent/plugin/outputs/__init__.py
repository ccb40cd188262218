"""What a run says: on the terminal, in the files of its report, and in other plugins' reports.

pytest imports this module in every session.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.state import result_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from pytest_mobileagent.report.entry import Entry


def say(config: pytest.Config, line: str) -> None:
    """Write a line below whatever pytest has written, such as unfinished dots."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        sys.stderr.write(f"{line}\n")
        return
    if config.get_terminal_writer().width_of_current_line:
        terminal.line("")
    terminal.write_line(line)


_KINDS = ("error", "failed")  # the sections of pytest that show failures


class FailureGroups:
    """A plugin for the process that owns the run: of failures with the same cause, it shows one.

    pytest shows failures before it asks plugins for their parts of the summary, and counts them
    after that. So reports are withheld when the summary begins, and given back by `show_others`.
    """

    def __init__(self) -> None:
        self._whole: dict[str, list[Any]] = {}
        self._groups: list[list[Entry]] = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, None, None]:
        """Withhold the reports whose cause an earlier one has; with `-v`, none."""
        if terminalreporter.config.option.verbose <= 0:
            for kind in _KINDS:
                self._withhold(kind, terminalreporter.stats)
        try:
            return (yield)
        finally:
            self._give_back(terminalreporter.stats)

    def _withhold(self, kind: str, stats: dict[str, list[Any]]) -> None:
        groups: dict[str, list[Entry]] = defaultdict(list)
        shown = []
        for report in stats.get(kind, ()):
            result = result_of(report)
            cause = None if result is None else result.cause
            if cause is None or cause not in groups:
                shown.append(report)
            if result is not None and cause is not None:
                groups[cause].append(result)
        if len(shown) < len(stats.get(kind, ())):
            self._whole[kind], stats[kind] = stats[kind], shown
        self._groups += [group for group in groups.values() if len(group) > 1]

    def _give_back(self, stats: dict[str, list[Any]]) -> None:
        stats.update(self._whole)
        self._whole = {}

    def show_others(self, terminal: pytest.TerminalReporter) -> None:
        """Name the failures that were withheld, and let pytest count them."""
        self._give_back(terminal.stats)
        if not self._groups or terminal.config.option.tbstyle == "no":
            return
        from pytest_mobileagent.report.text.lists import same_causes

        terminal.section("failures of the same causes (-v shows them in full)", "-", red=True)
        for line in same_causes(self._groups):
            terminal.line(line)
