"""A table of numbers, before it is written in any format."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell: a text, or a number with so many digits; None for "n/a".

    - `percent`: whether a share is shown in percent: by "%", or in whole numbers if `digits` is 0.
    - `low`, `high`: its interval. `error`: its standard error.
    """

    value: float | str | None
    digits: int = 3
    percent: bool = False
    low: float | None = None
    high: float | None = None
    error: float | None = None

    def __str__(self) -> str:
        """Return it as people read it: 0.340, 0.340 (0.262-0.421), 87 ± 07 or n/a."""
        if self.value is None:
            return "n/a"
        if isinstance(self.value, str):
            return self.value
        text = self._number(self.value)
        if self.low is not None and self.high is not None:
            text += f" ({self._number(self.low)}-{self._number(self.high)})"
        if self.error is not None:
            text += f" ± {self._number(self.error)}"
        return text

    def _number(self, number: float) -> str:
        if not self.percent:
            return f"{number:.{self.digits}f}"
        return f"{100 * number:.{self.digits}f}%" if self.digits else f"{100 * number:02.0f}"


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `group` stands above several."""

    title: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, a row of cells for each run, and notes: what one has to know of the numbers."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
