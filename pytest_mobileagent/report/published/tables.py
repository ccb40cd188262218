"""Published scores beside runs, as lines for a terminal and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.report.export.tables import Cell, Column, Table
from pytest_mobileagent.report.published.settings import in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Beside = Mapping[str, Any]  # see `published_beside`

_TITLES = (
    "Agent", "own score", "tasks", "epochs", "published", "with", "difference", "95 %",
    "explained by chance", "differs in",
)  # fmt: skip
_CHANCE = {
    True: "chance can explain the difference",
    False: "chance does not explain the difference: see what differs",
    None: "whether chance can explain the difference cannot be told: too few tasks are decided",
}
_EXACT = "with one epoch, the published score is taken as exact: --mobile-epochs=3 tells more"


def as_lines(name: str, scores: Sequence[Beside]) -> list[str]:
    """Return the lines for a run and the published scores of its agent, for a terminal."""
    return [printable(line) for each in scores for line in _lines(name, each)]


def _lines(name: str, beside: Beside) -> Iterator[str]:
    error = "" if beside["own_error"] is None else f" ± {_points(beside['own_error'])}"
    many = f"{_of(beside)}, {plural(beside['epochs'], 'epoch')}"
    model = f" with {beside['model']}" if beside["model"] else ""
    parts = [
        f"{name}  {_points(beside['own'])}{error} ({many})",
        f"published {_points(beside['score'])}{model}",
        f"difference {_points(beside['difference'])}{_between(beside['interval'])}",
    ]
    if "verified" in beside:
        parts.append(f"verified: {beside['verified']}")
    if beside["differs_in"]:
        parts.append(f"differs in: {', '.join(in_words(beside['differs_in']))}")
    yield "   ".join(parts)
    yield f"  {_CHANCE[beside['by_chance']]}"
    yield from (f"  {note}" for note in _notes(beside))


def _notes(beside: Beside) -> Iterator[str]:
    yield f"published in: {beside['source']}"
    if beside["decided"] < beside["tasks"]:
        yield f"the run has decided {_of(beside)}; the others may be easier or harder"
    if beside["only_reported"]:
        yield "only successes that the agent reported count, as in the original harness"
    if beside["standard_error"] is None and beside["epochs"] == 1:
        yield _EXACT


def as_table(names: Sequence[str], runs: Sequence[Sequence[Beside]]) -> Table:
    """Return a table with a row for each run and published score of its agent."""
    pairs = [(name, each) for name, own in zip(names, runs, strict=True) for each in own]
    rows = tuple(_row(name, each) for name, each in pairs)
    notes = tuple(f"{name}: {note}" for name, each in pairs for note in _notes(each))
    titles: tuple[str, ...] = _TITLES
    if any("verified" in each for _, each in pairs):
        titles = (*_TITLES, "verified")
        cells = (Cell(each.get("verified", "not a bundle")) for _, each in pairs)
        rows = tuple((*row, cell) for row, cell in zip(rows, cells, strict=True))
    return Table(tuple(map(Column, titles)), rows, notes)


def _row(name: str, beside: Beside) -> tuple[Cell, ...]:
    chance = {True: "yes", False: "no", None: None}[beside["by_chance"]]
    own = Cell(beside["own"], 1, percent=True, error=beside["own_error"])
    between = _between(beside["interval"]).strip(" ()") or None
    return (
        Cell(name),
        own,
        Cell(_of(beside).removesuffix(" tasks").removesuffix(" task")),
        Cell(beside["epochs"], 0),
        Cell(beside["score"], 1, percent=True),
        Cell(beside["model"]),
        Cell(_points(beside["difference"])),
        Cell(between),
        Cell(chance),
        Cell(", ".join(in_words(beside["differs_in"])) or "nothing"),
    )


def _of(beside: Beside) -> str:
    """Return how many of the published score's tasks are decided: "24 of 116 tasks"."""
    whole = plural(beside["tasks"], "task")
    return whole if beside["decided"] == beside["tasks"] else f"{beside['decided']} of {whole}"


def _between(interval: Sequence[float] | None) -> str:
    return "" if interval is None else f" ({' to '.join(map(_points, interval))})"


def _points(share: float | None) -> str:
    """Return a share, or a difference of shares, in points."""
    return "n/a" if share is None else f"{100 * share + 0.0:.1f}".replace("-0.0", "0.0")
