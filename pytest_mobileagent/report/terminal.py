"""The summary of a run as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.metrics import without_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_COLUMNS: tuple[tuple[str, Callable[[Mapping[str, Any]], str]], ...] = (
    ("tasks", lambda t: str(t["tasks"])),
    ("success rate", lambda t: f"{_percent(t['success_rate'])} ({t['successes']}/{t['decided']})"),
    ("ratio", lambda t: _number(t["mean_step_ratio"])),
    ("premature", lambda t: f"{_percent(t['premature_rate'])} ({t['premature']})"),
    ("overdue", lambda t: f"{_percent(t['overdue_rate'])} ({t['overdue']})"),
    ("steps", lambda t: _number(t["mean_steps"], 1)),
    ("s/step", lambda t: _number(t["seconds_per_step"])),
    ("errors", lambda t: str(t["errors"])),
    ("infra", lambda t: str(t["infrastructure"])),
    ("skips", lambda t: str(t["skipped"])),
)


def table(summary: Mapping[str, Any]) -> list[str]:
    """Return the lines of a table: one row a suite, one for all, and one an environment."""
    suites = [(name or "(no suite)", totals) for name, totals in summary["suites"].items()]
    rows = [["suite", *(title for title, _ in _COLUMNS)]]
    rows += [[name, *(show(totals) for _, show in _COLUMNS)] for name, totals in suites]
    if len(suites) != 1:
        rows.append(["all", *(show(summary) for _, show in _COLUMNS)])
    environments = summary["environments"].items()
    rows += [
        [f"env {name}", *(show(totals) for _, show in _COLUMNS)] for name, totals in environments
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(_justified(row, widths)).rstrip() for row in rows]


def remarks(results: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return lines on what one has to know of the numbers: tasks that began without a snapshot."""
    resets = [result["reset"] for result in results if without_snapshot(result)]
    reasons = "; ".join(dict.fromkeys(reset["reason"] for reset in resets))
    count = f"{len(resets)} task{'s' * (len(resets) > 1)} began"
    kept = "only their own apps were cleared, all else stayed as it was"
    return [f"{count} without a snapshot ({reasons}): {kept}"] if resets else []


def _justified(row: list[str], widths: list[int]) -> list[str]:
    first, *rest = (cell for cell in row)
    return [first.ljust(widths[0])] + [
        cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)
    ]


def _percent(rate: float | None) -> str:
    return "n/a" if rate is None else f"{100 * rate:.1f}%"


def _number(value: float | None, digits: int = 2) -> str:
    return "n/a" if value is None else f"{value:.{digits}f}"
