"""The ranking of several runs: which can be ranked together, and the places possible for each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs as recorded
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import digest
from pytest_mobileagent.report.comparison.pairing import common, difference, tallies, total
from pytest_mobileagent.report.gate.missing import episodes, lacks_too_many
from pytest_mobileagent.report.gate.rule import FEWEST_TASKS
from pytest_mobileagent.report.metrics.doubtful import unclear_as_failed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Key, Tally
    from pytest_mobileagent.report.recorded_run import RecordedRun

LEVEL = 0.05  # the probability that any place in a ranking is wrong, at most
# The fingerprints that must be equal in runs that are ranked together, with the words for readers.
# The version of the plugin may differ; the leaderboard shows it.
_SAME = {
    "apps": "other apps, or other versions of them",
    "device": "other devices",
    "environments": "other environments",
    "seeds": "other seeds",
    "limits": "other limits, another kind of path, or another user",
    "noise": "other noise, or none",
    "sees": "agents that see another part of the screen",
}
_CHECKS = "other checks"
_WORDS = "tasks in other words, with other parameters or golden steps"
_JUDGES = "other judges"
_UNKNOWN = "its record does not say with which tasks, seeds and limits it was run"


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of a run in a ranking.

    - `obstacles`: why it has no place, in words; empty if it has one, or nothing to be ranked with.
    - `places`: the best and the worst possible place, from 1; None if it has no place.
    - `peers`: the indices of the runs that cannot be distinguished from it.
    """

    obstacles: tuple[str, ...] = ()
    places: tuple[int, int] | None = None
    peers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Terms:
    """The conditions of a run that must be equal in all ranked runs."""

    tasks: Mapping[Key, Tally]
    wording: Mapping[Key, str]  # empty if the run has no run.json
    fingerprints: Mapping[str, Any]
    judges: tuple[str, ...]  # empty if checks and people decided everything

    @classmethod
    def of(cls, run: RecordedRun) -> _Terms:
        judged = any(
            task.verdict is not None and task.verdict["scorer"] in {"judge", "judges"}
            for task in run.tasks
        )
        judges = sorted(map(str, run.about.get("judges") or ())) if judged else ()
        prints = run.about.get("fingerprints")
        counted = tallies(unclear_as_failed(run.tasks))
        return cls(counted, _wording(run), dict(prints or {}), tuple(judges))

    @property
    def kind(self) -> tuple[Any, ...]:
        """A value that is equal for runs that can be ranked together."""
        words = frozenset(self.wording.items()) or self.fingerprints.get("tasks")
        prints = tuple(self.fingerprints.get(name) for name in (*_SAME, "checks"))
        return frozenset(self.tasks), words, prints, self.judges

    def differs_from(self, other: _Terms) -> list[str]:
        """Return how this run's conditions differ from the other's, in words."""
        if not self.fingerprints or not other.fingerprints:
            return [_UNKNOWN] if not self.fingerprints else []
        found = []
        more, fewer = self.tasks.keys() - other.tasks, other.tasks.keys() - self.tasks
        if more or fewer:
            found.append(f"other tasks: {len(fewer)} missing, {len(more)} more")
        elif self.fingerprints.get("checks") != other.fingerprints.get("checks"):
            found.append(_CHECKS)
        if self._is_worded_differently(other, bool(more or fewer)):
            found.append(_WORDS)
        mine, theirs = self.fingerprints, other.fingerprints
        found += [word for name, word in _SAME.items() if mine.get(name) != theirs.get(name)]
        return [*found, *([_JUDGES] if self.judges != other.judges else [])]

    def _is_worded_differently(self, other: _Terms, in_other_tasks: bool) -> bool:
        if self.wording and other.wording:
            both = self.wording.keys() & other.wording.keys()
            return any(self.wording[key] != other.wording[key] for key in both)
        unequal = self.fingerprints.get("tasks") != other.fingerprints.get("tasks")
        return unequal and not in_other_tasks


def _wording(run: RecordedRun) -> dict[Key, str]:
    """Return a digest of each task's description in run.json, from its first epoch."""
    try:
        cases = recorded.cases(run.folder)
    except RecordError:
        return {}
    first = [case for case in cases if case.epoch == 0]
    return {(case.id, case.environment): digest({**case.to_json(), "nodeid": ""}) for case in first}


def rank(runs: Sequence[RecordedRun]) -> list[Placement]:
    """Return the placement of each run.

    The basis is the largest group of runs with equal conditions (of equally large groups, the
    first). A run that differs from the basis, or has no verdict on more than 10 % of its episodes,
    has no place. If fewer than two runs remain, no run has a place.

    A run is placed behind the runs that are significantly better, and before those that are
    significantly worse, by paired t-tests over at least eight common tasks (see
    `pairing.difference`). All pairs are tested with Holm's method (Scandinavian Journal of
    Statistics 6, 1979), so all places together are right with 95 % confidence. On ranks from such
    tests, see Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies 91, 2024.
    """
    terms = [_Terms.of(run) for run in runs]
    kinds = [each.kind for each in terms]
    (most, _), *_ = Counter(kinds).most_common(1)  # the first of equally frequent ones
    basis = kinds.index(most)
    obstacles = [_obstacles(each, terms[basis]) for each in terms]
    ranked = [place for place, found in enumerate(obstacles) if not found]
    if len(ranked) < 2:
        return [Placement(tuple(found)) for found in obstacles]
    better = _better([terms[place].tasks for place in ranked])
    placements = []
    for place, found in enumerate(obstacles):
        if found:
            placements.append(Placement(tuple(found)))
            continue
        own = ranked.index(place)
        above = {winner for winner, loser in better if loser == own}
        below = {loser for winner, loser in better if winner == own}
        peers = tuple(p for n, p in enumerate(ranked) if n not in above | below | {own})
        placements.append(Placement((), (1 + len(above), len(ranked) - len(below)), peers))
    return placements


def _obstacles(terms: _Terms, basis: _Terms) -> list[str]:
    found = terms.differs_from(basis)
    counted = total(terms.tasks.values())
    if not counted.decided or lacks_too_many(counted):
        found.append(f"no verdict on {counted.missing} of {episodes(counted)} episodes")
    return found


def _better(runs: Sequence[Mapping[Key, Tally]]) -> set[tuple[int, int]]:
    """Return the pairs of runs, by index, of which the first is better than the second."""
    tested = []
    for one, other in combinations(range(len(runs)), 2):
        enough = len({key[0] for key in common(runs[one], runs[other])}) >= FEWEST_TASKS
        found = difference(runs[other], runs[one])
        p_value = found.p_value if enough else None
        pair = (one, other) if (found.value or 0) > 0 else (other, one)
        tested.append((1.0 if p_value is None else p_value, pair))
    better = set()
    for left, (p_value, pair) in zip(range(len(tested), 0, -1), sorted(tested), strict=True):
        if p_value > LEVEL / left:
            break
        better.add(pair)
    return better
