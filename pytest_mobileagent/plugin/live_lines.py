"""Live lines below pytest's progress on a terminal: one for each device, and one for the run."""

from __future__ import annotations

import contextlib
import io
import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pytest_mobileagent.episode.running import RunningEpisodes
from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.plugin.pytest_private import current_line, file_of, use_file
from pytest_mobileagent.report.text import price
from pytest_mobileagent.report.text.lists import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.episode.running import Running
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.report.entry import Entry


_EVERY = 0.25  # seconds between two updates
_NARROWEST, _LOWEST = 40, 6  # minimum columns and rows of a terminal for live lines


class LiveLines:
    """A plugin for the process that owns the run: it shows what the workers are recording.

    An error only ends the live lines, not the run.
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

    def pytest_enter_pdb(self) -> None:
        self._stop()

    def pytest_leave_pdb(self, config: pytest.Config) -> None:
        with contextlib.suppress(Exception):
            self._start(config)

    def _start(self, config: pytest.Config) -> None:
        assert self._terminal is not None
        self._below = Below(config.get_terminal_writer(), self._terminal)
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
        if self._name_of is None and running:  # now run.json lists the tests
            self._name_of = names_of(self._run.folder.path)
        colors = bool(self._run.config.get_terminal_writer().hasmarkup)
        progress = self._progress([each.cost_usd for each in running])
        return render(running, progress, self._name_of or str, columns, rows, colors=colors)

    def _progress(self, costs: Sequence[float | None]) -> Progress:
        results: list[Entry] = list(self._collector.results.values())
        spent = [cost for cost in (*costs, *map(_cost, results)) if cost is not None]
        return Progress(
            done=len(self._collector.finished),
            all=len(self._collector.selected),
            passed=sum(result.success is True for result in results),
            failed=sum(result.success is False for result in results),
            errors=sum(result.outcome == "error" for result in results),
            cost_usd=sum(spent) if spent else None,
            seconds=time.monotonic() - self._began,
            waits_for=self._waits_for(),
        )

    def _waits_for(self) -> str:
        if not self._collector.selected:
            return "the tests to be collected"
        if self._episodes is None or not self._episodes.waiting:
            return "the first task to begin"
        return f"{plural(self._episodes.waiting, 'device')} ({self._run.devices.source.shown})"


class _Ticker(threading.Thread):
    """Draws the lines at intervals, until it is stopped or an error occurs."""

    def __init__(self, below: Below, lines: Callable[[int, int], Sequence[str]]) -> None:
        super().__init__(name="live-lines", daemon=True)
        self._below, self._lines, self._ended = below, lines, threading.Event()

    def run(self) -> None:
        try:
            while not self._ended.wait(_EVERY):
                columns, rows = self._below.size
                lines = self._lines(columns, rows)  # before `draw`, which makes pytest wait
                self._below.draw(lines)
        except Exception:  # noqa: BLE001 - no error here may end the run
            with contextlib.suppress(Exception):
                self._below.stop()

    def stop(self) -> None:
        self._ended.set()
        self.join(timeout=2)


def _way_to_terminal(config: pytest.Config) -> TextIO:
    """Open the terminal again, because pytest's own file is redirected while output is captured."""
    file = file_of(config.get_terminal_writer())
    descriptor = os.dup(file.fileno())
    return open(descriptor, "w", encoding=file.encoding, errors="replace")  # noqa: PTH123


def _cost(result: Entry) -> float | None:
    each = [role.cost_usd for role in (result.roles or {}).values()]
    known = [cost for cost in each if cost is not None]
    return sum(known) if known else result.cost_usd


_SHORTEST_BAR, _LONGEST_BAR = 8, 20  # columns
_FEWEST_DONE = 3  # finished tests that are needed to estimate the remaining time


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run: `done` of `all` tests after `seconds`; costs are in US dollars.

    `waits_for` says what must happen before the first episode begins.
    """

    done: int
    all: int
    passed: int
    failed: int
    errors: int
    cost_usd: float | None
    seconds: float
    waits_for: str = ""


def seconds_left(done: int, all_: int, seconds: float) -> float | None:
    """Return the estimated time for the rest of `all_` tests; None before enough are done."""
    return None if done < _FEWEST_DONE else seconds / done * (all_ - done)


def render(
    running: Sequence[Running],
    progress: Progress,
    name_of: Callable[[Case], str],
    columns: int,
    rows: int,
    *,
    colors: bool,
) -> list[str]:
    """Return the lines for a terminal of this size; they take up at most half of its rows."""
    room = max(0, rows // 2 - 1)
    listed = running[:room]
    grid = Table.grid(padding=(0, 2))
    for _ in range(4):
        grid.add_column(no_wrap=True, overflow="ellipsis")
    for each in listed:
        grid.add_row(
            Text(_one_line(each.place), style="cyan"),
            Text(_one_line(name_of(each.case))),
            f"step {each.steps}" + ("" if each.step_limit is None else f"/{each.step_limit}"),
            "" if each.cost_usd is None else price(each.cost_usd, 0),
        )
    console = Console(
        file=io.StringIO(),
        width=columns - 1,  # a line that fills the last column would wrap on some terminals
        height=rows,
        force_terminal=True,
        color_system="standard" if colors else None,
        legacy_windows=False,
        _environ={},  # the environment must not override the size and the colours
    )
    with console.capture() as capture:
        if listed:
            console.print(grid)
        whole = _whole(progress, len(running), len(running) - len(listed), columns)
        console.print(whole, no_wrap=True, crop=True)
    return [line.rstrip() for line in capture.get().splitlines()]


def _one_line(name: str) -> str:
    return printable(" ".join(name.split()))


def _whole(progress: Progress, running: int, hidden: int, columns: int) -> Text:
    elapsed = duration(progress.seconds)
    if not running and not progress.done:
        return Text(f"waiting for {_one_line(progress.waits_for)}  {elapsed}")
    words = Text(f"  {progress.done}/{progress.all}")
    if hidden:
        words.append(f"  {running} running, {hidden} not shown")
    for count, what, colour in (
        (progress.passed, "passed", "green"),
        (progress.failed, "failed", "red"),
        (progress.errors, "error" if progress.errors == 1 else "errors", "red"),
    ):
        if count:
            words.append("  ").append(f"{count} {what}", colour)
    if progress.cost_usd:
        words.append(f"  {price(progress.cost_usd, 0)}")
    left = seconds_left(progress.done, progress.all, progress.seconds)
    words.append(f"  {elapsed}" + (f", {duration(left)} left" if left else ""))
    room = max(_SHORTEST_BAR, min(_LONGEST_BAR, columns - 1 - words.cell_len))
    done = room * progress.done // max(1, progress.all)
    return Text.assemble(("━" * done, "green"), ("─" * (room - done), "bright_black"), words)


def duration(seconds: float) -> str:
    """Return a time in at most two units: 48 s, 12 min 5 s, 3 h 20 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


_ERASE = "\x1b[J"  # erase from the cursor, where pytest stopped writing, to the end of the screen
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"  # hide and show the cursor, which would jump visibly


class Below:
    """Draws lines below the place where pytest stopped writing, and moves the cursor back there.

    It replaces the file of pytest's terminal writer, so the lines are erased before pytest writes
    anything. `terminal` is the same terminal, opened again, because pytest's own file is redirected
    to the captured output while a test runs.
    """

    def __init__(self, writer: Any, terminal: TextIO) -> None:
        self._writer, self._terminal = writer, terminal
        self._file = file_of(writer)
        self._lock = threading.RLock()
        self._is_drawn = False

    def start(self) -> None:
        """Start intercepting pytest's output to the terminal."""
        use_file(self._writer, self)

    def stop(self) -> None:
        """Erase the lines, and stop drawing."""
        with self._lock:
            if file_of(self._writer) is self:
                use_file(self._writer, self._file)
            self._erase()

    def write(self, text: str) -> int:
        """Write pytest's output, after erasing the lines."""
        with self._lock:
            self._erase()
            written = int(self._file.write(text))
            self._file.flush()  # so the lines come after it
            return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    @property
    def size(self) -> os.terminal_size:
        """The columns and rows of the terminal."""
        return os.get_terminal_size(self._terminal.fileno())

    def draw(self, lines: Sequence[str]) -> None:
        """Replace the lines; none may be wider than the terminal."""
        with self._lock:
            if file_of(self._writer) is not self:
                return
            at = cell_len(current_line(self._writer)) % max(1, self.size.columns)
            block = "".join(f"\r\n{line}" for line in lines)
            back = f"\x1b[{len(lines)}A\r" + (f"\x1b[{at}C" if at else "") if lines else ""
            begin = _ERASE if self._is_drawn else ""
            self._terminal.write(f"{_HIDE}{begin}{block}{back}{_SHOW}")
            self._terminal.flush()
            self._is_drawn = bool(lines)

    def _erase(self) -> None:
        if self._is_drawn:
            self._terminal.write(_ERASE)
            self._terminal.flush()
            self._is_drawn = False
