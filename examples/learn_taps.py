"""A learner for a CPU: a table of preferences for what to tap, learned from groups of rollouts.

    python examples/learn_taps.py tasks/messages tasks/contacts -k test_open

It opens the app of a task, taps one or two elements, and reports. Each screen of each task has a
row in the table, with a preference for each label; the chance of an element is the softmax of the
preferences. A group of phones begins the same episode, and what did better than the mean of its
group is preferred from then on (REINFORCE with the group's mean as baseline, as in GRPO).
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_mobileagent import Finish, Open, Tap, Wait
from pytest_mobileagent.rollout import MobileVectorEnv, load_tasks, phones

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.rollout import RolloutPhone, RolloutTask

    Key = tuple[str, tuple[str, ...]]


def choices(screen: Any) -> dict[str, Any]:
    """Return a tap for each label of an element that can be tapped, and that of doing nothing."""
    elements = screen.find_all(clickable=True, enabled=True)
    taps = {each.label: Tap(*each.bounds.center) for each in elements if each.label}
    return {"": Wait(0), **taps}


def learn(
    tasks: Sequence[RolloutTask],
    fleet: Sequence[RolloutPhone],
    *,
    group: int = 4,
    taps: int = 1,
    rate: float = 2.0,
    seed: int = 0,
) -> Iterator[float]:
    """Yield the mean return of each round of episodes, in which each phone plays one."""
    dice = np.random.default_rng(seed)
    table: dict[Key, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    apps = {task.id: task.apps[0] for task in tasks}
    env = MobileVectorEnv(tasks, fleet, group=group, sees="hierarchy")
    try:
        while True:
            _, info = env.reset(seed=int(dice.integers(2**31)))
            names = list(info["task"])
            _, total, _, _, info = env.step([Open(apps[name]) for name in names])
            made: list[list[tuple[Key, str]]] = [[] for _ in names]
            for _ in range(taps):
                actions = []
                for name, screen, path in zip(names, info["screen"], made, strict=True):
                    given = choices(screen)
                    key = (name, tuple(given))
                    path.append((key, chosen(table[key], list(given), dice)))
                    actions.append(given[path[-1][1]])
                _, reward, _, _, info = env.step(actions)
                total = total + reward
            _, reward, _, _, info = env.step([Finish()] * len(names))
            total = total + reward
            broken = info.get("broken", np.zeros(len(names), bool)).astype(bool)
            better = advantages(total, broken, group)
            for path, advantage in zip(made, better, strict=True):
                for key, label in path:
                    chances = softmax(table[key], list(key[1]))
                    for each, chance in zip(key[1], chances, strict=True):
                        table[key][each] += rate * advantage * ((each == label) - chance)
            yield float(total[~broken].mean()) if not broken.all() else 0.0
    finally:
        env.close()


def softmax(row: dict[str, float], labels: list[str]) -> np.ndarray[Any, Any]:
    """Return the chances of labels."""
    values = np.array([row[label] for label in labels])
    exponents = np.exp(values - values.max())
    return np.asarray(exponents / exponents.sum())


def chosen(row: dict[str, float], labels: list[str], dice: np.random.Generator) -> str:
    """Draw a label by its chances."""
    return labels[int(dice.choice(len(labels), p=softmax(row, labels)))]


def advantages(
    total: np.ndarray[Any, Any], broken: np.ndarray[Any, Any], group: int
) -> np.ndarray[Any, Any]:
    """Return how much better than its group's mean each return is; 0 for broken episodes."""
    whole = np.where(broken, np.nan, total).reshape(-1, group)
    mean = np.nan_to_num(np.nanmean(whole, axis=1, keepdims=True))
    return np.asarray(np.nan_to_num(whole - mean)).ravel()


def main() -> None:
    """Learn for a while, and print the mean return of each round."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("-k", default="", help="which tasks, as pytest selects them")
    parser.add_argument("--phones", type=int, default=8)
    parser.add_argument("--group", type=int, default=4)
    parser.add_argument("--taps", type=int, default=1, help="in each episode")
    parser.add_argument("--seconds", type=float, default=120)
    given = parser.parse_args()
    tasks = load_tasks(*given.paths, options=["-k", given.k] if given.k else [])
    with phones(given.phones) as fleet:
        end = time.monotonic() + given.seconds
        returns = learn(tasks, fleet, group=given.group, taps=given.taps)
        for number, value in enumerate(returns, 1):
            print(f"round {number:3}  return {value:.2f}  {'#' * round(40 * value)}", flush=True)
            if time.monotonic() > end:
                break


if __name__ == "__main__":
    main()
