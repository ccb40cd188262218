"""Doubtful results: unclear answers, and suspects.

An answer is unclear if it contains the expected value among other things (docs/answers.md). Until a
judge or a person decides, its task is undecided, and may have failed or passed. Whatever compares
runs counts it as failed, so that vagueness never raises a score.

A suspect is a case that breaks its phone or worker in every attempt while other cases do not.
Infrastructure errors do not count in the success rate, so an agent that kills its phone whenever it
fails would hide its failures. Comparing all attempts of a run shows what is to blame.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_mobileagent.episode.runs import Attempt, End
from pytest_mobileagent.jsonable import mapping, plural, read_as
from pytest_mobileagent.statistics import ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry


def with_doubtful(results: Sequence[Entry]) -> dict[str, Any]:
    """Return the numbers of suspects and of unclear answers, and the success rates with them.

    `success_rate_with_suspects` counts suspects as failures. `success_rate_lower` counts unclear
    answers as failures, and `success_rate_upper` as successes.
    """
    decided = [result for result in results if result.success is not None]
    successes = sum(bool(result.success) for result in decided)
    suspects = [result for result in results if result.suspect]
    undecided = sum(result.success is None for result in suspects)
    unclear = sum(map(is_unclear, results))
    return {
        "suspects": len(suspects),
        "success_rate_with_suspects": ratio(successes, len(decided) + undecided),
        "unclear": unclear,
        "success_rate_lower": ratio(successes, len(decided) + unclear),
        "success_rate_upper": ratio(successes + unclear, len(decided) + unclear),
    }


def is_unclear(result: Entry) -> bool:
    """Return whether a task is undecided because its answer is unclear."""
    return bool(result.unclear) and result.success is None


def unclear_as_failed(results: Iterable[Entry]) -> list[Entry]:
    """Return the results with unclear answers counted as wrong, as in gates and leaderboards."""
    return [
        replace(each, outcome="failed", success=False, fault="agent") if is_unclear(each) else each
        for each in results
    ]


ERROR, FAIL = "error", "fail"  # the values of mobile_suspects: how a suspect counts
_BREAKING = {End.DEVICE, End.WORKER, End.AGENT, End.CUT_OFF}
_BY_CHANCE = 0.05  # a case whose breaks are likelier than this on its devices is not a suspect
_DEAD = 3  # a device on which at least this many cases in a row break, up to the end, is dead
_AT_ONCE = 2.0  # seconds within which attempts that break have the same cause
_COUNTED = "counted as failed (mobile_suspects=fail)"


class _Tried(NamedTuple):
    """An attempt, with the number of its case, and its place: the run and the device."""

    case: int
    place: tuple[str, str]
    attempt: Attempt

    @property
    def breaks(self) -> bool:
        return self.attempt.end in _BREAKING


def marked(tasks: Sequence[Entry], how: str) -> list[Entry]:
    """Return the entries of a report with the suspects marked as `suspect`.

    `how` is `ERROR` or `FAIL`: whether a suspect remains an error or counts as failed. Earlier
    marks are reconsidered, unless a person has decided the case since.

    A case is a suspect if all its attempts broke the phone or the worker while the agent was using
    it, and attempts of other cases did not: at the rate at which those broke on the same devices,
    that many breaks would have a probability of at most 5 %. Attempts that were lost at the same
    moment say nothing about their cases. No case is a suspect if no other case ran well there, or
    if three or more broke in a row and none ran well afterwards.
    """
    plain = [unmarked(task) for task in tasks]
    suspects = _suspects(plain)
    return [
        _mark(task, how)
        if number in suspects
        else replace(task, suspect=task.as_run is not None and task.suspect)
        for number, task in enumerate(plain)
    ]


def unmarked(task: Entry) -> Entry:
    """Return an entry as it was before it was counted as failed, with its mark unchanged."""
    reason = str(task.reason or "")
    if task.as_run is not None or not task.suspect or not reason.startswith(_COUNTED):
        return task
    reason = reason.split(": ", 2)[-1]
    return replace(task, outcome="error", success=None, fault="infrastructure", reason=reason)


def broke(task: Entry) -> str:
    """Return what a suspect broke and how often: "broke its phone in 2 of 2 attempts"."""
    tried = [each.attempt for each in _informative(_tried([task]))]
    ends = {attempt.end for attempt in tried}
    names = [(End.DEVICE, "phone"), (End.AGENT, "agent's process")]
    found = [name for end, name in names if end in ends]
    if ends - {End.DEVICE, End.AGENT}:
        found.append("worker")
    what = " or ".join(found)
    count = len(tried)
    return f"broke its {what} in {count} of {plural(count, 'attempt')}"


def policy(run: Mapping[str, Any]) -> str:
    """Return how suspects count in a run; `run` is its description in run.json or report.json."""
    resumed = run.get("resumed")
    sessions = resumed if isinstance(resumed, list) else []
    choices = [each.get("suspects") for each in (run, *map(mapping, sessions))]
    return FAIL if [each for each in choices if each is not None][-1:] == [FAIL] else ERROR


def _mark(task: Entry, how: str) -> Entry:
    if how != FAIL:
        return replace(task, suspect=True)
    why = f"{_COUNTED}: {broke(task)}: {task.reason}"
    return replace(task, outcome="failed", success=False, fault="agent", reason=why, suspect=True)


def _suspects(tasks: Sequence[Entry]) -> set[int]:
    tried = _informative(_tried(tasks))
    by_case: dict[int, list[_Tried]] = {}
    for each in tried:
        by_case.setdefault(each.case, []).append(each)
    may_be = {
        number
        for number, each in by_case.items()
        if tasks[number].success is None
        and (tasks[number].outcome, tasks[number].fault) == ("error", "infrastructure")
        and all(one.breaks and one.attempt.began for one in each)
        # A single cut-off may have another cause.
        and (len(each) > 1 or each[0].attempt.end is not End.CUT_OFF)
    }
    others = [each for each in tried if each.case not in may_be]
    found = {n for n in may_be if _chance(by_case[n], others) <= _BY_CHANCE}
    return found - _of_dead_machines([each for n in found for each in by_case[n]], others)


def _tried(tasks: Sequence[Entry]) -> list[_Tried]:
    found = []
    for number, task in enumerate(tasks):
        for given in task.attempts or ():
            try:
                attempt = read_as(Attempt, given, "attempt")
            except (LookupError, TypeError, ValueError):  # of a newer version
                continue
            found.append(_Tried(number, (str(given.get("run")), attempt.place), attempt))
    return found


def _informative(tried: Sequence[_Tried]) -> list[_Tried]:
    """Return the attempts that tell something about their case: no other was lost with them."""
    ends = sorted(
        (each.attempt.ended, each.case, each.place[0])
        for each in tried
        if each.breaks and each.attempt.ended is not None
    )
    cut_off = [each for each in tried if each.attempt.end is End.CUT_OFF]

    def is_joint(one: _Tried) -> bool:
        attempt, run = one.attempt, one.place[0]
        if attempt.end is End.CUT_OFF:  # a run is cut off once; later ones need it to be resumed
            return any(
                each.case != one.case
                and each.place[0] == run
                and each.attempt.worker != attempt.worker  # else it was cut off earlier
                for each in cut_off
            )
        ended = attempt.ended or 0.0
        near = (e for e in ends if abs(e[0] - ended) <= _AT_ONCE)
        if attempt.alone:
            return False
        return attempt.together or any(case != one.case and r == run for _, case, r in near)

    return [
        each
        for each in tried
        if each.attempt.end is not End.OTHER and not (each.breaks and is_joint(each))
    ]


def _chance(own: Sequence[_Tried], others: Sequence[_Tried]) -> float:
    """Return the probability that all these attempts break, given how often others break there."""
    places = {each.place for each in own}
    there = [each for each in others if each.place in places]
    if not any(each.attempt.end is End.PLAYED for each in there):
        return 1.0
    return (sum(each.breaks for each in there) / len(there)) ** len(own)


def _of_dead_machines(broken: Sequence[_Tried], others: Sequence[_Tried]) -> set[int]:
    """Return the cases that broke on a dead device: where no case ran well afterwards."""
    dead: set[int] = set()
    for place in {each.place for each in broken}:
        well = [e for e in others if e.place == place and e.attempt.end is End.PLAYED]
        last = max((each.attempt.started for each in well), default=0.0)
        since = {e.case for e in broken if e.place == place and e.attempt.started > last}
        dead |= since if len(since) >= _DEAD else set()
    return dead
