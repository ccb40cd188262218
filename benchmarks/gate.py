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
from tests.report.gate.worlds import SHAPES, Rates, World, simulate

ANALYSES = interim_analyses(3, 10)
SIZES = (8, 20, 50, 100, 200)
EACH = (
    InterimAnalyses((1,)),
    InterimAnalyses((3,)),
    InterimAnalyses((10,)),
    InterimAnalyses((1, 10)),
    ANALYSES,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=4000, help="of each world (default: 4000)")
    runs = parser.parse_args().runs
    wrong_passes(runs)
    false_fails(runs)
    all_looks(runs)
    one_look(runs)
    bad_days(runs)


def wrong_passes(runs: int) -> None:
    print("PASS in % of agents that are worse by `allow`: after 1, 3, 10, 1 and 10, 3, 5 and 10")
    head("success probabilities", *(f"{tasks} tasks" for tasks in SIZES))
    worst = []
    for shape, drift in worlds():
        found = [
            [simulate(World(n, 0.05, shape, drift), each, runs).passing for each in EACH]
            for n in SIZES
        ]
        worst += [rate for rates in found for rate in rates]
        row(named(shape, drift), *(" / ".join(map(percent, rates)) for rates in found))
    for allow, shape in ((0.02, "all at 1"), (0.1, "all at 1"), (0.1, "u-shaped")):
        rates = [
            [
                simulate(World(n, allow, shape), each, runs, 0.0, allow=allow).passing
                for each in EACH
            ]
            for n in SIZES
        ]
        worst += [rate for each in rates for rate in each]
        row(f"{shape}, allow {allow:g}", *(" / ".join(map(percent, each)) for each in rates))
    print(f"{len(worst)} cells, the largest {percent(max(worst))} %")


def false_fails(runs: int) -> None:
    print(
        "\nFAIL in % of unchanged agents without a margin: the same analyses; baselines of 1, 3, 10"
    )
    head(
        "success probabilities", *(f"{tasks} tasks" for tasks in SIZES), "baseline 1 / 3, 20 tasks"
    )
    worst = []
    for shape, drift in worlds():
        found = [
            [simulate(World(n, 0.0, shape, drift), each, runs, 0.0).fail for each in EACH]
            for n in SIZES
        ]
        world = World(20, 0.0, shape, drift)
        short = [
            simulate(world, InterimAnalyses((10,)), runs, 0.0, baseline=n).fail for n in (1, 3)
        ]
        worst += [rate for rates in (*found, short) for rate in rates]
        row(named(shape, drift), *(" / ".join(map(percent, rates)) for rates in (*found, short)))
    print(f"{len(worst)} cells, the largest {percent(max(worst))} %")


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


def named(shape: str, drift: float) -> str:
    return f"{shape}, each drifts" if drift else shape


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def head(*cells: str) -> None:
    row(*cells)
    print(f"|{'---|' * len(cells)}", flush=True)


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
