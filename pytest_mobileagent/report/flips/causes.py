"""The causes of flips, inferred from the rerun episodes, and their shares.

If the same judges give a different verdict about the same episode, the cause is the judge. If not,
and the same replies of the agent's models lead to a different verdict on a fresh phone, the cause
is the environment. If neither happens, the agent's models made the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.text.table import percent
from pytest_mobileagent.statistics import proportion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.report.flips.plan import DecidedEpisode, Flip, FlipPlan

JUDGE, ENVIRONMENT, AGENT, UNKNOWN = "judge", "environment", "agent", "cannot be told"
CAUSES = (JUDGE, ENVIRONMENT, AGENT)
VERSION = 1
_MOST = 20  # tasks listed on a terminal


@dataclass(frozen=True, slots=True)
class RerunOutcome:
    """The outcome of an episode in a round: whether it succeeded, or why that is unknown."""

    success: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reruns:
    """The outcomes of an episode that was judged again and played again.

    `judged` has one outcome for each round of judging; `played` is None if it was not played.
    """

    judged: tuple[RerunOutcome, ...] = ()
    played: RerunOutcome | None = None


def report(plan: FlipPlan, reruns: Mapping[tuple[str, str], Reruns]) -> dict[str, Any]:
    """Return the causes of all flips, and their shares with Wilson's intervals at 95 %.

    `reruns` is by `DecidedEpisode.place`. Shares are relative to the tasks with a known cause.
    """
    tasks = [_task(flip, reruns) for flip in plan.flips]
    known = sum(task["cause"] != UNKNOWN for task in tasks)
    causes = {}
    for cause in CAUSES:
        count = sum(task["cause"] == cause for task in tasks)
        share = proportion(count, known)
        interval = None if share.low is None else [share.low, share.high]
        causes[cause] = {"tasks": count, "share": share.value, "interval": interval}
    runs = dict.fromkeys(trial.run.folder.name for trial in plan.trials)
    return {
        "schema_version": VERSION,
        "runs": list(runs),
        "times": plan.times,
        "told": known,
        "unknown": len(tasks) - known,
        "causes": causes,
        "tasks": tasks,
    }


def _task(flip: Flip, reruns: Mapping[tuple[str, str], Reruns]) -> dict[str, Any]:
    each = [(trial, reruns.get(trial.place, Reruns())) for trial in flip.trials]
    cause, why = _cause(each)
    return {
        "id": flip.id,
        "environment": flip.environment,
        "episodes": len(each),
        "successes": sum(bool(trial.entry.success) for trial, _ in each),
        "cause": cause,
        "why": why,
        "trials": [_as_plain(trial, rerun) for trial, rerun in each],
    }


def _as_plain(trial: DecidedEpisode, rerun: Reruns) -> dict[str, Any]:
    return {
        "run": trial.run.folder.name,
        "epoch": trial.entry.epoch,
        "episode": trial.entry.episode,
        "success": trial.entry.success,
        "judged": [each.success for each in rerun.judged],
        "played": None if rerun.played is None else rerun.played.success,
    }


def _cause(each: Sequence[tuple[DecidedEpisode, Reruns]]) -> tuple[str, str]:
    """Return the cause of a flip, and the evidence for it."""
    for trial, rerun in each:
        votes = [vote.success for vote in rerun.judged]
        if trial.is_judged and (not trial.entry.success) in votes:
            says = ", ".join(_word(vote) for vote in votes)
            return JUDGE, f"{_named(trial)}: {_word(trial.entry.success)}, judged again {says}"
    lacking = ""
    same = set()
    for trial, rerun in each:
        played = rerun.played
        if played is None or played.success is None:
            why = trial.why_not if played is None else played.reason
            lacking = lacking or f"{_named(trial)} was not played again: {why or 'no result'}"
        elif played.success is not trial.entry.success:
            was, now = _word(trial.entry.success), _word(played.success)
            return ENVIRONMENT, f"{_named(trial)}: {was}, with the same replies {now}"
        else:
            same.add(played.success)
        if trial.is_judged and all(vote.success is None for vote in rerun.judged):
            why = rerun.judged[0].reason if rerun.judged else "no result"
            lacking = lacking or f"{_named(trial)} was not judged again: {why}"
    if len(same) == 2:
        return AGENT, "the same replies end in the same verdicts"
    return UNKNOWN, lacking


def _named(trial: DecidedEpisode) -> str:
    return f"epoch {trial.entry.epoch} of {trial.run.folder.name}"


def _word(success: bool | None) -> str:
    return {True: "passed", False: "failed", None: "undecided"}[success]


def lines(found: Mapping[str, Any]) -> list[str]:
    """Return the table of shares, and the cause of each flip with the evidence, as lines."""
    rows = [
        f"{cause:<14}{each['tasks']:>6}{percent(each['share']):>9}   {_interval(each['interval'])}"
        for cause, each in found["causes"].items()
    ]
    head = f"{'flips with the':<14}{'tasks':>6}{'share':>9}   95 %"
    unknown = [f"{UNKNOWN:<14}{found['unknown']:>6}"] if found["unknown"] else []
    listed = [
        f"  {task['cause']:<14}  {printable(_name(task))}"
        f" ({task['successes']}/{task['episodes']}): {printable(task['why'])}"
        for task in found["tasks"][:_MOST]
    ]
    more = len(found["tasks"]) - _MOST
    return [head, *rows, *unknown, *listed, *([f"  and {more} more"] if more > 0 else [])]


def summary(found: Mapping[str, Any]) -> str:
    """Return the shares in one line."""
    shares = ", ".join(
        f"{percent(found['causes'][cause]['share'])} the {cause}" for cause in CAUSES
    )
    unknown = f"; {found['unknown']} cannot be told" if found["unknown"] else ""
    return f"flips of verdicts: {shares} (K={found['times']}, {found['told']} tasks{unknown})"


def _name(task: Mapping[str, Any]) -> str:
    return task["id"] if task["environment"] is None else f"{task['id']} in {task['environment']}"


def _interval(interval: Sequence[float] | None) -> str:
    return "n/a" if interval is None else f"{percent(interval[0])} to {percent(interval[1])}"
