"""Summarises the matches of recorded episodes by the data sets' metrics.

An episode is given as the matches of its golden steps, in order (see `matches`). Steps that a rule
excludes do not count. A metric over nothing is None. Shares are from 0 to 1 unless in percent.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.action.matching import Match

    Matches = Sequence[Match]


def step_accuracy(episodes: Iterable[Matches]) -> float | None:
    """Return the share of all steps that are exact: "exact match", "step accuracy", Step.Acc."""
    return _mean([match.exact for steps in episodes for match in counted(steps)])


def type_accuracy(episodes: Iterable[Matches]) -> float | None:
    """Return the share of all steps whose type is correct: "type match", TYPE."""
    return _mean([match.type for steps in episodes for match in counted(steps)])


def success_rate(episodes: Iterable[Matches]) -> float | None:
    """Return the share of episodes whose steps are all exact: SR; AITW's "complete match"."""
    return _mean([all(match.exact for match in steps) for steps in _nonempty(episodes)])


def partial_match(episodes: Iterable[Matches]) -> float | None:
    """Return the mean share of exact steps per episode: AITW's partial match."""
    return _mean([sum(match.exact for match in s) / len(s) for s in _nonempty(episodes)])


def hit_rate(predicted: Iterable[Action | None]) -> float | None:
    """Return the share of readable predictions, i.e. those that are not None: AITZ's."""
    return _mean([action is not None for action in predicted])


def goal_progress(episodes: Iterable[Matches]) -> float | None:
    """Return the mean share of steps before the first wrong one, over episodes: AITZ's."""
    return _mean([len(list(takewhile(bool, s))) / len(s) for s in _nonempty(episodes)])


def grounding_accuracy(taps: Iterable[Match]) -> float | None:
    """Return the share of correct taps among those of the correct type, for golden taps."""
    return _mean([match.exact for match in taps if match.counts and match.type])


def ams_over_steps(episodes: Iterable[Matches]) -> float | None:
    """Return GUI-Odyssey's action matching score over all steps, in percent.

    The released code calls this average "macro", and uses it for the splits by app, device and
    task; elsewhere this is called "micro".
    """
    return _percent(step_accuracy(episodes))


def ams_over_categories(categories: Mapping[str, Iterable[Matches]]) -> float | None:
    """Return the mean of the action matching scores of GUI-Odyssey's categories, in percent.

    The released code calls this average "micro", and uses it for the random split, whose six
    categories it requires; elsewhere this is called "macro". The scores of categories are first
    rounded to two places, as in that code.
    """
    return _over(categories, step_accuracy)


def sr_over_categories(categories: Mapping[str, Iterable[Matches]]) -> float | None:
    """Return the mean of the success rates of GUI-Odyssey's categories, in percent."""
    return _over(categories, success_rate)


def _over(
    categories: Mapping[str, Iterable[Matches]], metric: Callable[[Iterable[Matches]], float | None]
) -> float | None:
    scores = [_percent(metric(episodes)) for episodes in categories.values()]
    mean = _mean([score for score in scores if score is not None])
    return None if mean is None else round(mean * 100) / 100  # NumPy's way of rounding


def _percent(share: float | None) -> float | None:
    return None if share is None else round(share * 100, 2)


def step_efficiency(steps: Sequence[tuple[int, int]]) -> float | None:
    """Return the number of steps taken per step needed: Mobile-Bench-v2's SE.

    `steps` are pairs of the steps that an episode took and the minimum that its task needs. The
    paper defines a quotient for one task; this is its mean over tasks.
    """
    return _mean([taken / least for taken, least in steps])


def counted(steps: Matches) -> list[Match]:
    """Return the matches of the steps that the rule does not exclude."""
    return [match for match in steps if match.counts]


def _nonempty(episodes: Iterable[Matches]) -> list[list[Match]]:
    return [steps for steps in map(counted, episodes) if steps]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
