"""Finds counts of episodes that match the cells of a paper's table, and makes runs with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Case, Step, Tap, Task, Termination
from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.observation import DeviceInfo
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.screen.screen import Screen
from pytest_mobileagent.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.report.entry import Entry

NOTHING = {"-", "N/A"}
REPORTED, LIMITED = Termination.SELF_REPORTED, Termination.STEP_LIMIT
SCREEN = Screen("<hierarchy/>", b"")
DEVICE = DeviceInfo("emulator-5554", "Pixel", "15", 35, (100, 200), 160)


@dataclass(frozen=True)
class Ending:
    """How an episode ended: its termination, success, and number of superfluous steps."""

    termination: Termination
    success: bool
    late: bool = False


@dataclass(frozen=True)
class Cost:
    """The seconds and dollars of a step, and the estimated tokens of an episode."""

    seconds: float = 0.0
    dollars: float | None = None
    tokens: int = 0


def fits(cell: str, value: float | None, digits: int) -> bool:
    """Return whether a number is printed as a table cell; None matches an empty cell."""
    if cell in NOTHING or value is None:
        return cell in NOTHING and value is None
    return f"{value:.{digits}f}" == f"{float(cell):.{digits}f}"


def shares(cell: str, whole: int, digits: int) -> Iterator[int]:
    """Yield the counts out of a total whose share is printed as a cell; 0 if the total is 0."""
    if not whole:
        yield from [0] if cell in {*NOTHING, "0"} else []
        return
    yield from (part for part in range(whole + 1) if fits(cell, part / whole, digits))


def steps(cell: str, count: int, most: Callable[[int], int]) -> tuple[int, list[int]] | None:
    """Return golden steps, and the steps of the successes, whose mean ratio is printed as a cell.

    All tasks have the same golden steps, and no success takes more than `most` steps. The result is
    None if there are no such numbers.
    """
    for golden in range(2, 40):
        for taken in range(count, most(golden) * count + 1) if count else ():
            if fits(cell, taken / (golden * count), 2):
                each, more = divmod(taken, count)
                return golden, [each + (number < more) for number in range(count)]
    return None


def results(
    endings: list[Ending],
    ratio: tuple[int, list[int]] | None,
    cost: Cost,
    about: Callable[[int], dict[str, Any]] = lambda number: {},
) -> list[Entry]:
    """Return the tasks of a report.json with the given endings; `about` returns a task's fields."""
    golden, taken = ratio or (4, [])
    left = iter(taken)
    each = []
    for number, ending in enumerate(endings):
        count = next(left, golden) if ending.success else golden
        task = Task(f"Do {number}.", golden_steps=golden, **about(number))
        episode = _episode(Case(task, f"t{number}", nodeid=f"t{number}"), ending, count, cost)
        first = count if ending.success else None
        verdict = Verdict(ending.success, first_step=first)
        outcome = "passed" if ending.success else "failed"
        each.append(Result(episode.case, outcome, episode=episode, verdict=verdict).entry())
    return each


def _episode(case: Case, ending: Ending, count: int, cost: Cost) -> EpisodeRecord:
    calls = () if cost.dollars is None else (ModelCall("m", price_usd=cost.dollars),)
    half = cost.seconds / 2
    step = Step(SCREEN, (Tap(1, 1),), calls=calls, seconds_thinking=half, seconds_acting=half)
    count += ending.late
    estimate = ModelCall("e", estimated_input_tokens=cost.tokens, estimated_output_tokens=0)
    return EpisodeRecord(
        case,
        case.task.goal,
        "agent",
        DEVICE,
        SCREEN,
        (step,) * count,
        termination=ending.termination,
        seconds=cost.seconds * count,
        unused=(estimate,) if cost.tokens else (),
    )


def spread(total: int, count: int) -> list[int]:
    """Return whole numbers that differ by at most 1 and add up to a total."""
    each, more = divmod(total, count)
    return [each + (number < more) for number in range(count)]
