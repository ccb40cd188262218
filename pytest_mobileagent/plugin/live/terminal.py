"""The live lines of a run on a terminal, below pytest's own dots."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING, Any, TextIO

import pytest

from pytest_mobileagent.episode.running import RunningEpisodes
from pytest_mobileagent.plugin.live.below import Below
from pytest_mobileagent.plugin.live.lines import Progress, render
from pytest_mobileagent.plugin.state import RESULT
from pytest_mobileagent.report.text.lists import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.task.case import Case

_EVERY = 0.25  # seconds between two looks
_NARROWEST, _LOWEST = 40, 6  # columns and rows of a terminal that has room for them


class LiveLines:
    """A plugin of the process that owns the run, which reads what the workers record.

    Whatever goes wrong ends the lines, and nothing else.
    """

    def __init__(self, run: RunConfig) -> None:
        self._run = run
        self._collector: Any = run.config.pluginmanager.get_plugin("mobileagent-collector")
        self._terminal: TextIO | None = None
        self._below: Below | None = None
        self._ticker: _Ticker | None = None
        self._episodes: RunningEpisodes | None = None
        self._name_of: Callable[[Case], str] | None = None
        self._began = 0.0
        self._entries: dict[str, dict[str, Any]] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        with contextlib.suppress(Exception):
            self._episodes = RunningEpisodes(self._run.folder.path)
            self._began = time.monotonic()
            self._terminal = _way_to_terminal(session.config)
            self._start(session.config)
        try:
            return (yield)
        finally:
            self._stop()
            if self._terminal is not None:
                self._terminal.close()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        result = getattr(report, RESULT, None)
        if result is not None:
            self._entries[report.nodeid] = result

    def pytest_enter_pdb(self) -> None:
        self._stop()

    def pytest_leave_pdb(self, config: pytest.Config) -> None:
        with contextlib.suppress(Exception):
            self._start(config)

    def _start(self, config: pytest.Config) -> None:
        assert self._terminal is not None
        self._below = Below(_writer(config), self._terminal)
        self._below.start()
        self._ticker = _Ticker(self._below, self._lines)
        self._ticker.start()

    def _stop(self) -> None:
        if self._ticker is not None:
            self._ticker.stop()
        if self._below is not None:
            with contextlib.suppress(Exception):
                self._below.stop()
        self._ticker = self._below = None

    def _lines(self, columns: int, rows: int) -> Sequence[str]:
        if columns < _NARROWEST or rows < _LOWEST or self._episodes is None:
            return []
        running = self._episodes.look(set(self._collector.finished))
        if self._name_of is None and running:  # so what is to be run is known
            self._name_of = names_of(self._run.folder.path)
        colors = os.environ.get("NO_COLOR", "") == "" and self._run.config.option.color != "no"
        progress = self._progress([each.cost_usd for each in running])
        return render(running, progress, self._name_of or str, columns, rows, colors=colors)

    def _progress(self, costs: Sequence[float | None]) -> Progress:
        results = list(self._entries.values())
        spent = [cost for cost in (*costs, *map(_cost, results)) if cost is not None]
        return Progress(
            done=len(self._collector.finished),
            all=len(self._collector.selected),
            successes=sum(result["success"] is True for result in results),
            decided=sum(result["success"] is not None for result in results),
            cost_usd=sum(spent) if spent else None,
            seconds=time.monotonic() - self._began,
        )


class _Ticker(threading.Thread):
    """Draws the lines now and then, until it is stopped or anything goes wrong."""

    def __init__(self, below: Below, lines: Callable[[int, int], Sequence[str]]) -> None:
        super().__init__(name="live-lines", daemon=True)
        self._below, self._lines, self._ended = below, lines, threading.Event()

    def run(self) -> None:
        try:
            while not self._ended.wait(_EVERY):
                columns, rows = self._below.size
                lines = self._lines(columns, rows)  # before pytest would have to wait for it
                self._below.draw(lines)
        except Exception:  # noqa: BLE001 - the run is worth more than its lines
            with contextlib.suppress(Exception):
                self._below.stop()

    def stop(self) -> None:
        self._ended.set()
        self.join(timeout=2)


def _writer(config: pytest.Config) -> Any:
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    return reporter._tw  # noqa: SLF001 - as many plugins do


def _way_to_terminal(config: pytest.Config) -> TextIO:
    """Open the terminal again: pytest's own file is turned elsewhere while tests are captured."""
    file = _writer(config)._file  # noqa: SLF001
    descriptor = os.dup(file.fileno())
    return open(descriptor, "w", encoding=file.encoding, errors="replace")  # noqa: PTH123


def _cost(result: dict[str, Any]) -> float | None:
    each = [role.get("cost_usd") for role in (result.get("roles") or {}).values()]
    known = [cost for cost in each if cost is not None]
    return sum(known) if known else result.get("cost_usd")
