"""One line for each device, and one for the run: what a terminal shows while it goes on."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pytest_mobileagent.plain import printable
from pytest_mobileagent.report.text.table import percent, price

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.episode.running import Running
    from pytest_mobileagent.task.case import Case

_FEWEST_DONE = 3  # before the time that is left is estimated


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: `done` tests of `all`, after `seconds`; prices in US dollars."""

    done: int
    all: int
    successes: int
    decided: int
    cost_usd: float | None
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes, if it goes on like this; None where too little is known."""
        if self.done < _FEWEST_DONE:
            return None
        return self.seconds / self.done * (self.all - self.done)


def render(
    running: Sequence[Running],
    progress: Progress,
    name_of: Callable[[Case], str],
    columns: int,
    rows: int,
    *,
    colors: bool,
) -> list[str]:
    """Return the lines for a terminal of so many columns and rows, which leave most of it free."""
    room = max(0, rows // 2 - 1)
    shown = running[:room]
    grid = Table.grid(padding=(0, 2))
    for _ in range(4):
        grid.add_column(no_wrap=True, overflow="ellipsis")
    for each in shown:
        grid.add_row(
            Text(_plain(each.serial), style="cyan"),
            Text(_plain(name_of(each.case))),
            _step(each),
            "" if each.cost_usd is None else price(each.cost_usd, 0),
        )
    console = Console(
        file=io.StringIO(),
        width=columns - 1,  # a line that fills the last column would wrap on some terminals
        height=rows,
        force_terminal=True,
        color_system="standard" if colors else None,
        legacy_windows=False,
        _environ={},  # its size and colours are ours to say
    )
    with console.capture() as capture:
        if shown:
            console.print(grid)
        console.print(Text(_whole(progress, len(running) - len(shown))), no_wrap=True, crop=True)
    return [line.rstrip() for line in capture.get().splitlines()]


def _plain(name: str) -> str:
    return printable(" ".join(name.split()))


def _step(running: Running) -> str:
    of = "" if running.step_limit is None else f"/{running.step_limit}"
    return f"step {running.steps}{of}"


def _whole(progress: Progress, hidden: int) -> str:
    words = [f"{progress.done}/{progress.all} done"]
    if hidden:
        words.insert(0, f"… and {hidden} more")
    if progress.decided:
        rate = percent(progress.successes / progress.decided)
        words.append(f"{rate} ({progress.successes}/{progress.decided})")
    if progress.cost_usd:
        words.append(price(progress.cost_usd, 0))
    if (left := progress.seconds_left) is not None:
        words.append(f"about {duration(left)} left")
    return "  ".join(words)


def duration(seconds: float) -> str:
    """Return a time in its two largest units: 48 s, 12 min 5 s, 3 h 20 min."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
