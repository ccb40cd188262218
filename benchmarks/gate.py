"""Measures a gate's errors and its power: wrong PASSes, false FAILs, and detected drops.

python benchmarks/gate.py [--runs N]

Agents are simulated (tests/report/gate/worlds.py), so the truth is known; 4,000 runs of each world
take five minutes on an idle core. Their shares have a standard error of 0.35 points at 5 %, and of
0.2 at 1.5 %.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))

from pytest_mobileagent.report.gate.rule import InterimAnalyses, interim_analyses
from pytest_mobileagent.report.gate.spec import TASKS_LIKE_THESE
from tests.report.gate.worlds import SHAPES, Rates, World, simulate

ANALYSES = interim_analyses(3, 10)
SIZES = (5, 20, 50, 100)
EACH = (InterimAnalyses((1,)), InterimAnalyses((3,)), InterimAnalyses((10,)), ANALYSES)
MIXED = ("80 % at 1, 20 % at 0.5", "85 % at 1, 15 % at 0.7", "90 % at 1, 10 % at 0.5")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4000, help="of each world (default: 4000)")
    parser.add_argument("--only", default="", help="the name of one table: wrong_passes, …")
    given = parser.parse_args()
    tables = (wrong_passes, mixed, these_tasks, like_these, all_looks, one_look, bad_days)
    for table in tables:
        if given.only in {"", table.__name__}:
            table(given.runs)


def wrong_passes(runs: int) -> None:
    print("PASS in % of agents that are worse by `allow`: after 1, 3, 10, and 3, 5 and 10 epochs")
    head("success probabilities", *(f"{tasks} tasks" for tasks in SIZES))
    each = [(shape, drift, 0.0) for shape, drift in worlds() if shape not in MIXED]
    equal = ("all at 1", "all at 0.95", "all at 0.8", "u-shaped")
    each += [(shape, 0.0, share) for shape in equal for share in (0.5, 1.0)]
    for shape, drift, share in each:
        rates = [
            [
                # A PASS is the same in both scopes, and a FAIL about tasks like these costs less.
                simulate(
                    World(n, 0.05, shape, drift, equal=share), each, runs, scope=TASKS_LIKE_THESE
                ).passing
                for each in EACH
            ]
            for n in SIZES
        ]
        row(named(shape, drift, share), *(" / ".join(map(percent, each)) for each in rates))


def mixed(runs: int) -> None:
    print("\nPASS in %, mixed difficulties: worse by `allow` in the population / as drawn")
    head("success probabilities", "epochs", "16 tasks", "20 tasks", "50 tasks", "100 tasks")
    for shape in MIXED:
        for epochs in (3, 10):
            found = [
                [
                    simulate(
                        World(n, 0.05, shape), InterimAnalyses((epochs,)), runs,
                        scope=TASKS_LIKE_THESE, drawn=drawn,
                    ).passing
                    for drawn in (False, True)
                ]
                for n in (16, 20, 50, 100)
            ]  # fmt: skip
            row(shape, epochs, *(" / ".join(map(percent, each)) for each in found))


def these_tasks(runs: int) -> None:
    print(
        "\nFAIL in %, these tasks: unchanged without a margin (1, 3, 10, and 3, 5 and 10 epochs);"
        " then worse by the margin of 2 points"
    )
    head("success probabilities", *(f"{tasks} tasks" for tasks in SIZES))
    for shape, drift in worlds():
        found = [
            [
                simulate(World(n, drop, shape, drift), each, runs, drop, drawn=True).fail
                for drop in (0.0, 0.02)
                for each in EACH
            ]
            for n in SIZES
        ]
        cells = (f"{shares(rates[:4])}; {shares(rates[4:])}" for rates in found)
        row(named(shape, drift), *cells)


def shares(rates: list[float]) -> str:
    return " / ".join(map(percent, rates))


def like_these(runs: int) -> None:
    print("\nFAIL in % of unchanged agents without a margin, tasks like these")
    head("success probabilities", *(f"{tasks} tasks" for tasks in SIZES))
    each = [(*world, 0.0) for world in worlds()]
    each += [(s, 0.0, n) for s in ("all at 0.95", "all at 0.5", "u-shaped") for n in (0.5, 1.0)]
    for shape, drift, share in each:
        found = [
            [
                simulate(
                    World(n, 0.0, shape, drift, equal=share), each, runs, 0.0,
                    scope=TASKS_LIKE_THESE,
                ).fail
                for each in EACH
            ]
            for n in SIZES
        ]  # fmt: skip
        row(named(shape, drift, share), *map(shares, found))


def all_looks(runs: int) -> None:
    print("\nLooks after 3, 5 and 10 epochs: FAIL and PASS in %, and the mean number of epochs")
    head("tasks", "drop", "FAIL, no margin", "FAIL, margin 2", "PASS", "epochs", "PASS at 0.9")
    for tasks in SIZES:
        for drop in (0, 0.02, 0.05, 0.1):
            world = World(tasks, drop)
            found = simulate(world, ANALYSES, runs)
            strict = simulate(world, ANALYSES, runs, margin=0.0)
            good = simulate(World(tasks, drop, "all at 0.9"), ANALYSES, runs)
            shares = map(percent, (strict.fail, found.fail, found.passing))
            row(tasks, f"{100 * drop:g}", *shares, f"{found.epochs:.1f}", percent(good.passing))


def one_look(runs: int) -> None:
    print("\nOne look after 3, 5, 10 epochs: FAIL without margin at 0, 5, 10 points; PASS at 0")
    head("tasks", "drop 0", "drop 5", "drop 10", "PASS", "PASS, all at 1")
    for tasks in SIZES:
        once = [InterimAnalyses((epochs,)) for epochs in (3, 5, 10)]

        def rates(world: World, once: list[InterimAnalyses] = once) -> list[Rates]:
            return [simulate(world, each, runs, margin=0.0) for each in once]

        fails = [[each.fail for each in rates(World(tasks, drop))] for drop in (0, 0.05, 0.1)]
        passes = [
            [each.passing for each in rates(World(tasks, shape=shape))]
            for shape in ("u-shaped", "all at 1")
        ]
        row(tasks, *(" / ".join(map(percent, each)) for each in (*fails, *passes)))


def bad_days(runs: int) -> None:
    print("\nUnchanged agents with bad days (100 tasks, all analyses): FAIL % without margin, with")
    head("deviation, logits", "u-shaped abilities", "medium abilities")
    for day in (0.1, 0.2, 0.3):
        found = [
            [
                simulate(World(100, shape=shape, day=day), ANALYSES, runs, margin).fail
                for margin in (0, 0.02)
            ]
            for shape in ("u-shaped", "middling")
        ]
        row(day, *(" / ".join(map(percent, rates)) for rates in found))


def worlds() -> list[tuple[str, float]]:
    """Return the shapes, some of them also with tasks that drift independently."""
    return [(shape, 0.0) for shape in SHAPES] + [(n, 1.0) for n in ("u-shaped", "middling", "good")]


def named(shape: str, drift: float, equal: float = 0.0) -> str:
    what = f"{shape}, each drifts" if drift else shape
    return f"{what}, epochs correlated {equal:g}" if equal else what


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def head(*cells: str) -> None:
    row(*cells)
    print(f"|{'---|' * len(cells)}", flush=True)


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
