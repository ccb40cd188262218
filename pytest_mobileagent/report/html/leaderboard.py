"""The leaderboard: the places of several runs, and a self-contained page of them for publication.

The page contains numbers and the names of agents, models, suites and tasks. It contains nothing
from a screen or an agent's messages, and nothing that identifies the machine.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import runs as recorded
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import digest, plural
from pytest_mobileagent.llm.reference import public_name
from pytest_mobileagent.report.comparison.pairing import common, difference, tallies, total
from pytest_mobileagent.report.gate.missing import episodes, lacks_too_many
from pytest_mobileagent.report.gate.rule import FEWEST_TASKS
from pytest_mobileagent.report.html.page import pack, write
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.metrics.doubtful import is_unclear, unclear_as_failed
from pytest_mobileagent.report.metrics.epochs import by_task
from pytest_mobileagent.report.names import agent_name, models_of
from pytest_mobileagent.report.text.lists import VIRTUAL, cautions, differing
from pytest_mobileagent.statistics import mean_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.report.comparison.pairing import Key, Tallies
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun

VERSION = 1
_NUMBERS = (
    "tasks", "decided", "successes", "success_rate", "interval", "partial_credit",
    "mean_step_ratio", "mean_steps", "mean_tokens", "mean_cost_usd", "cost_usd", "unpriced_calls",
    "estimated", "seconds_per_step",
)  # fmt: skip
_UNDECIDED = {"errors": "by errors", "review": "for review", "not_run": "not run"}
_MOST = 8  # runs without a place that are listed above the table
_SUSPECT = "broke the phone in every attempt, where others did not (suspects)"


@dataclass(frozen=True, slots=True)
class Contender:
    """A run with its name on the page, its summary, and whether it is verified, if it is known."""

    run: RecordedRun
    name: str
    summary: Mapping[str, Any]
    verified: str = ""

    @classmethod
    def of(cls, run: RecordedRun, name: str) -> Contender:
        """Return a run with its summary, in which unclear answers count as failed.

        Raises:
            LookupError, TypeError, ValueError, AttributeError: if the run is damaged.
        """
        return cls(run, name, summarise(unclear_as_failed(run.tasks)))


def write_leaderboard(contenders: Sequence[Contender], page: Path) -> None:
    """Write the leaderboard of several runs.

    Raises:
        OSError: if the page cannot be written; an existing page is left unchanged.
    """
    tasks = (_tasks(unclear_as_failed(each.run.tasks)) for each in contenders)
    blocks: list[tuple[str, Any]] = [("index", leaderboard(contenders))]
    blocks += [(f"t:{place}", each) for place, each in enumerate(tasks)]
    write(page, "Leaderboard", ((name, pack(each)) for name, each in blocks), "leaderboard")


def leaderboard(contenders: Sequence[Contender]) -> dict[str, Any]:
    """Return the data that the page shows before a row is opened: the rows, and warnings."""
    placements = rank([each.run for each in contenders])
    rows = [_row(each, placement) for each, placement in zip(contenders, placements, strict=True)]
    return {
        "version": VERSION,
        "suites": sorted({name for row in rows for name in row["suites"]}),
        "warnings": _warnings(rows),
        "runs": rows,
    }


def _row(contender: Contender, placement: Placement) -> dict[str, Any]:
    run, summary, about = contender.run, contender.summary, contender.run.about
    versions = about.get("versions")
    return {
        "name": contender.name,
        "agent": agent_name(str(about.get("agent") or "")) or None,
        "id": about.get("id"),
        "models": models_of(about),
        "judges": list(map(public_name, about.get("judges") or ())),
        "started": about.get("started"),
        "verified": contender.verified or None,
        "ended": about.get("ended") if run.has_ended else None,
        "device": str(about.get("device") or "").partition(":")[0] or None,  # no serial, no host
        "virtual": about.get("virtual"),
        "plugin": versions.get("pytest-mobileagent") if isinstance(versions, dict) else None,
        "epochs": summary["epochs"]["number"],
        "different": len({(task.id, task.environment) for task in run.tasks}),
        "scorers": _scorers(run.tasks),
        "obstacles": list(placement.obstacles),
        "places": placement.places,
        "peers": list(placement.peers),
        "notes": _notes(run, summary),
        "judge_cost_usd": (summary["roles"].get("judge") or {}).get("cost_usd"),
        **_numbers(summary),
        "suites": {
            suite or "(no suite)": _numbers(each) for suite, each in summary["suites"].items()
        },
    }


def _numbers(summary: Mapping[str, Any]) -> dict[str, Any]:
    return {name: summary[name] for name in _NUMBERS}


def _scorers(tasks: Sequence[Entry]) -> dict[str, int]:
    """Return the numbers of episodes decided by checks, by judges and by people."""
    found = Counter(
        "judges" if task.is_judged else task.verdict["scorer"]
        for task in tasks
        if task.success is not None and task.verdict is not None
    )
    return dict(found)


def _notes(run: RecordedRun, summary: Mapping[str, Any]) -> list[str]:
    notes = [] if run.has_ended else ["it has not ended, or was cut off: this is what it has"]
    unclear = sum(map(is_unclear, run.tasks))
    counted = total(tallies(unclear_as_failed(run.tasks)).values())
    if counted.missing:
        why = [f"{summary[name]} {word}" for name, word in _UNDECIDED.items() if summary[name]]
        reasons = f": {', '.join(why)}" if why else ""
        missing = f"{counted.missing} of {episodes(counted)} episodes{reasons}"
        notes.append(f"no verdict on {missing}; the success rate leaves them out")
    lost, suspects = summary["infrastructure"], summary["suspects"]
    unreset, differ = summary["without_snapshot"], len(differing(run.tasks))
    return [
        *notes,
        *([f"its agent saw only the {summary['sees']} of each screen"] if summary["sees"] else []),
        *([f"{plural(unclear, 'unclear answer')} counted as failed"] if unclear else []),
        *([f"{plural(lost, 'attempt')} lost to infrastructure"] if lost else []),
        *([f"{plural(suspects, 'episode')} {_SUSPECT}"] if suspects else []),
        *([f"{plural(unreset, 'episode')} began without a snapshot"] if unreset else []),
        *([f"check and judges differ in {plural(differ, 'episode')}"] if differ else []),
        *cautions(run.tasks),
    ]


def _warnings(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the warnings for readers who compare rows, the most important first."""
    virtual = [row["name"] for row in rows if row["virtual"]]
    found = []
    if virtual:
        some = "" if len(virtual) == len(rows) else f" ({', '.join(virtual)})"
        found.append(f"{VIRTUAL}{some}")
    out = [row for row in rows if row["obstacles"]]
    if len(rows) - len(out) < 2:
        found.append("No run has a place: no two runs were made under the same conditions.")
    found += [f"{row['name']} has no place: {'; '.join(row['obstacles'])}." for row in out[:_MOST]]
    if len(out) > _MOST:
        found.append(f"{len(out) - _MOST} more runs have no place.")
    if len(versions := {row["plugin"] for row in rows}) > 1:
        named = ", ".join(sorted(str(each or "unknown") for each in versions))
        found.append(f"Different versions of pytest-mobileagent: {named}.")
    if len({tuple(row["judges"]) for row in rows if "judges" in row["scorers"]}) > 1:
        found.append("Different judges have decided, which may explain a difference.")
    if any(row["different"] < FEWEST_TASKS for row in rows):
        found.append(f"Fewer than {FEWEST_TASKS} tasks do not distinguish any two agents.")
    if any(row["epochs"] <= 1 for row in rows):
        found.append("Some runs tried each task once: repeat them with --mobile-epochs.")
    return found


def _tasks(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the data of each task in an opened row, with its epochs combined."""
    return [_task(each) for each in by_task(entries).values()]


def _task(epochs: Sequence[Entry]) -> dict[str, Any]:
    first, decided = epochs[0], [each for each in epochs if each.success is not None]
    return {
        "id": first.id,
        "environment": first.environment,
        "suite": first.suite or "(no suite)",
        "outcomes": [each.outcome for each in sorted(epochs, key=lambda each: each.epoch)],
        "passed": sum(bool(each.success) for each in decided),
        "decided": len(decided),
        "steps": mean_of(decided, lambda each: each.steps),
        "golden_steps": first.golden_steps,
        "cost_usd": mean_of(decided, lambda each: each.cost_usd),
        "endings": sorted({str(each.termination) for each in epochs if each.termination}),
    }


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

    tasks: Tallies
    wording: Mapping[Key, str]  # empty if the run has no run.json
    fingerprints: Mapping[str, Any]
    judges: tuple[str, ...]  # empty if checks and people decided everything

    @classmethod
    def of(cls, run: RecordedRun) -> _Terms:
        judged = any(task.is_judged for task in run.tasks)
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
            found.append("other checks")
        if self._is_worded_differently(other, bool(more or fewer)):
            found.append("tasks in other words, with other parameters or golden steps")
        mine, theirs = self.fingerprints, other.fingerprints
        found += [word for name, word in _SAME.items() if mine.get(name) != theirs.get(name)]
        return [*found, *(["other judges"] if self.judges != other.judges else [])]

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


def _better(runs: Sequence[Tallies]) -> set[tuple[int, int]]:
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
