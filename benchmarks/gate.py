"""How often a gate errs: false fails of unchanged agents, and what of a drop it sees.

python benchmarks/gate.py [--runs N]

Agents are simulated (tests/report/gate/worlds.py), so the truth is known; 2,000 runs of each world
take three minutes, and their shares have a standard error of 0.3 points at 2 %, 1.1 at 50 %.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))

from pytest_mobileagent.report.gate.looks import Looks, looks
from tests.report.gate.worlds import MIDDLING, World, simulate

LOOKS = looks(3, 10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="of each world (default: 2000)")
    runs = parser.parse_args().runs
    one_look(runs)
    all_looks(runs)
    other_worlds(runs)
    bad_days(runs)


def one_look(runs: int) -> None:
    print("One look, no margin: FAIL in % of runs at a drop of 0, 5 and 10 points")
    print("| tasks | epochs | 0 | 5 | 10 |\n|---|---|---|---|---|")
    for tasks in (20, 50, 100, 200):
        for epochs in (3, 5, 10):
            worlds = (World(tasks, drop) for drop in (0, 0.05, 0.1))
            fails = (simulate(each, Looks((epochs,)), runs, margin=0).fail for each in worlds)
            row(tasks, epochs, *map(percent, fails))


def all_looks(runs: int) -> None:
    print("\nLooks after 3, 5 and 10 epochs")
    print("| tasks | drop | margin | FAIL % | PASS % | mean epochs |\n|---|---|---|---|---|---|")
    for margin in (0.0, 0.02):
        for tasks in (8, 20, 50, 100):
            for drop in (0, 0.02, 0.05, 0.1):
                found = simulate(World(tasks, drop), LOOKS, runs, margin)
                shares = percent(found.fail), percent(found.passing)
                row(tasks, f"{100 * drop:g}", margin, *shares, f"{found.epochs:.1f}")


def other_worlds(runs: int) -> None:
    print("\nUnchanged agents whose tasks are middling, or drift: FAIL %, all looks, margin 0")
    print("| tasks | middling | drift |\n|---|---|---|")
    for tasks in (8, 20, 50, 100):
        worlds = World(tasks, shape=MIDDLING), World(tasks, drift=1.0)
        row(tasks, *(percent(simulate(each, LOOKS, runs, margin=0).fail) for each in worlds))


def bad_days(runs: int) -> None:
    print("\nUnchanged agents with bad days (100 tasks, all looks): FAIL % by margin")
    print("| deviation of a day, logits | 0 | 0.02 |\n|---|---|---|")
    for day in (0.1, 0.2, 0.3):
        fails = (simulate(World(100, day=day), LOOKS, runs, margin).fail for margin in (0, 0.02))
        row(day, *map(percent, fails))


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def row(*cells: object) -> None:
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
