"""What a run lacks: episodes without a verdict, and tasks that were skipped or not selected."""

from __future__ import annotations

import shlex
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent._task.needs import DECLARED
from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.report.comparison.pairing import is_missing, tallies, total
from pytest_mobileagent.report.gate.rule import INCONCLUSIVE, MOST_MISSING, GateFinding
from pytest_mobileagent.report.text import label, shortener

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_mobileagent.report.comparison.pairing import Tally
    from pytest_mobileagent.report.entry import Entry


_REVIEW, _SUSPECT = "a person must decide", "an episode is suspect"
_NOT_RUN, _NONE = "not run", "no verdict was given"
_CAUSES = {
    "infrastructure": "infrastructure broke",
    "judge": "a judge broke",
    "budget": "a budget was spent",
    "task": "a task was broken",
}
# What to do; --mobile-resume runs only tasks without a final result (docs/resume-and-reuse.md).
_RESUME, _RESCORE = "fix it, then --mobile-resume", "fix it, then --mobile-rescore"
_DECIDE = "`python -m pytest_mobileagent review`, then `compare`"
_ADVICE = {
    _REVIEW: _DECIDE,
    _SUSPECT: _DECIDE,
    _NOT_RUN: "--mobile-resume runs them",
    _CAUSES["infrastructure"]: _RESUME,
    _CAUSES["budget"]: "raise it, then --mobile-resume",
    _CAUSES["judge"]: _RESCORE,
    _CAUSES["task"]: _RESCORE,
}


def too_many_missing(tasks: Sequence[Entry], analysis: int) -> list[GateFinding]:
    """Return a finding if more than 10 % of a run's episodes are missing, else an empty list."""
    counted = total(tallies(tasks).values())
    if not lacks_too_many(counted):
        return []
    words, broken = describe_missing(tasks), is_broken(counted)
    numbers = {"missing": counted.missing, "episodes": episodes(counted)}
    return [GateFinding(INCONCLUSIVE, words, numbers, analysis=analysis, broken=broken)]


def lacks_too_many(counted: Tally) -> bool:
    """Return whether more than 10 % of the episodes have no verdict."""
    return counted.missing > MOST_MISSING * episodes(counted)


def is_broken(counted: Tally) -> bool:
    """Return whether infrastructure failures caused most of the missing episodes."""
    return 2 * counted.broken > counted.missing


def episodes(counted: Tally) -> int:
    """Return the number of planned episodes, without the skipped ones."""
    return counted.decided + counted.missing


def filled(tasks: Iterable[Entry], *, passed: bool) -> list[Entry]:
    """Return the tasks with all missing verdicts set to passed, or to failed."""
    return [
        replace(task, success=passed) if is_missing(task) and task.outcome != "skipped" else task
        for task in tasks
    ]


def describe_missing(tasks: Iterable[Entry], whose: str = "the") -> str:
    """Describe the missing episodes: their share, the causes, and what to do."""
    tasks = list(tasks)
    counted = total(tallies(tasks).values())
    share = 100 * counted.missing / episodes(counted)
    gone = (task for task in tasks if is_missing(task) and task.outcome != "skipped")
    causes = Counter(map(_cause, gone)).most_common()
    advice = list(dict.fromkeys(_ADVICE[cause] for cause, _ in causes if cause in _ADVICE))
    # Several pieces of advice follow their causes, a single one ends the sentence.
    own = _ADVICE if len(advice) > 1 else {}
    why = ", ".join(
        f"{cause} {plural(count, 'time')}" + (f" ({own[cause]})" if cause in own else "")
        for cause, count in causes
    )
    said = f"{share:.{1 if share < 9.5 else 0}f} % of {whose} episodes are missing: {why}"
    return "; ".join([said, *([] if own else advice)])


def _cause(task: Entry) -> str:
    if task.suspect:
        return _SUSPECT
    if task.outcome == "review":
        return _REVIEW
    if task.outcome == "not run" and task.fault != "budget":
        return _NOT_RUN
    return _CAUSES.get(str(task.fault), _NONE)


_MOST = 5  # names in a line
_LACKS = {"app", "listener", *DECLARED}
_UNRECORDED = "record"  # the run that is scored again, or whose replies are played, lacks the task


def skipped_for_devices(tasks: Sequence[Entry], analysis: int) -> list[GateFinding]:
    """Return a finding if tasks were skipped because devices lack an app or another requirement.

    Otherwise a suite with half of its apps missing could pass on the other half alone.
    """
    skipped = [task for task in tasks if was_skipped_for_device(task)]
    if not skipped:
        return []
    by_app: dict[str, list[str]] = defaultdict(list)
    for task in skipped:
        name = label(task.id, task.environment)
        lacks = task.skipped_for
        named = by_app[printable(str((task.app or "an app") if lacks == "app" else lacks))]
        if name not in named:
            named.append(name)
    count = sum(map(len, by_app.values()))
    apps = [f"{app} ({listed(names)})" for app, names in by_app.items()]
    is_one = len(apps) == 1
    what, do = "an app" if is_one else "apps", f"install {'it' if is_one else 'them'}"
    if any(task.skipped_for != "app" for task in skipped):
        what, do = "what devices lack", "provide it, name it in --mobile-device-has"
    words = (
        f"{count} task{'s were' if count != 1 else ' was'} skipped for want of {what}: "
        f"{listed(apps)}; {do}, or set allow_skipped = true in the gate's file"
    )
    return [GateFinding(INCONCLUSIVE, words, {"skipped_for_app": count}, analysis=analysis)]


def skipped_for_records(tasks: Sequence[Entry], analysis: int) -> list[GateFinding]:
    """Return a finding if tasks were skipped because the earlier run has no episode of them.

    Otherwise, a run that was cut off and is scored again could pass on the tasks that it reached.
    """
    keys = dict.fromkeys(
        (task.id, task.environment)
        for task in tasks
        if task.outcome == "skipped" and task.skipped_for == _UNRECORDED
    )
    if not keys:
        return []
    words = (
        f"{len(keys)} task{'s have' if len(keys) > 1 else ' has'} no recorded episode: "
        f"{listed([label(*key) for key in keys])}; finish that run with --mobile-resume first"
    )
    return [GateFinding(INCONCLUSIVE, words, {"skipped_for_record": len(keys)}, analysis=analysis)]


def describe_untried(
    tasks: Sequence[Entry], baseline: Sequence[Entry], *, same_selection: bool, allow_skipped: bool
) -> str | None:
    """Describe the tasks that the baseline decided and this run has not tried.

    None if there are no such tasks, or if the runs have no task in common. With `same_selection`,
    tasks that are not in this run were removed from the project and do not count; skipped tasks
    do. With `allow_skipped`, tasks skipped for want of an app do not count.
    """
    before, after = tallies(baseline), tallies(tasks)
    gone = {key for key, tally in before.items() if tally.decided and key not in after}
    skipped = {(task.id, task.environment) for task in tasks} & gone
    if allow_skipped:
        gone -= {(t.id, t.environment) for t in tasks if was_skipped_for_device(t)}
    if same_selection:
        gone &= skipped
    if not gone or not before.keys() & after.keys():
        return None
    counts = {"skipped": len(gone & skipped), "not selected": len(gone - skipped)}
    why = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    short = shortener(key[0] for key in before)
    names = listed([label(short(key[0]), key[1]) for key in before if key in gone])
    decided = sum(tally.decided > 0 for tally in before.values())
    return (
        f"{len(gone)} of the baseline's {decided} tasks {'are' if len(gone) > 1 else 'is'} missing "
        f"({why}: {names}): run them, or take a baseline of the same selection"
    )


def without_shards(run: Mapping[str, Any], analysis: int) -> list[GateFinding]:
    """Return a finding if a run was merged without some of its shards, else an empty list."""
    lines = describe_missing_shards(run.get("missing_shards") or ())
    if not lines:
        return []
    words = f"{', '.join(lines)}: merge the whole run"
    return [GateFinding(INCONCLUSIVE, words, {"missing_shards": len(lines)}, analysis=analysis)]


def describe_missing_shards(shards: Iterable[str]) -> list[str]:
    """Return a sentence on the shards, such as "2/4", that are missing, by the number of parts."""
    numbers: dict[str, list[str]] = defaultdict(list)
    for shard in shards:
        number, _, count = str(shard).partition("/")
        numbers[count].append(number)
    return [
        f"shard{'s' * (len(each) > 1)} {', '.join(each)} of {count} "
        f"{'are' if len(each) > 1 else 'is'} missing"
        for count, each in numbers.items()
    ]


# Their tests differ from run to run, although the flags are the same.
_VARYING = {"--last-failed", "--stepwise", "--mobile-sample"}


def is_same_selection(run: Mapping[str, Any], baseline: Mapping[str, Any]) -> bool:
    """Return whether two runs selected the same tests, according to their run.json.

    Older versions did not record the selection; the result is then False. A merged run equals
    another one with the same number of parts, unless some are missing.
    """
    if run.get("missing_shards"):
        return False
    first, second = (
        (about.get("selection"), about.get("shard"), len(about.get("merged_from") or ()))
        for about in (run, baseline)
    )
    return first[0] is not None and first == second and not _VARYING & set(first[0])


def was_skipped_for_device(task: Entry) -> bool:
    """Return whether a task was skipped because devices lack its app or another requirement."""
    return task.outcome == "skipped" and task.skipped_for in _LACKS


def sample_of(counts: Mapping[str, Any]) -> list[str]:
    """Return a line on a sample, unless all tasks from which it was drawn can run.

    `counts` is `selection.sample` in run.json.
    """
    tasks, selected, able, stuck = (
        counts.get(name) or 0 for name in ("tasks", "selected", "can_run", "will_be_skipped")
    )
    if able >= selected:
        return []
    known = "as far as is known before a phone is used"
    if not stuck:
        return [f"sample: drawn from the {able} of {selected} tasks that can run here, {known}"]
    why = f"{f'only {able}' if able else 'none'} of {plural(selected, 'selected task')} can"
    return [f"sample: {stuck} of its {plural(tasks, 'task')} cannot run here: {why}, {known}"]


def mostly_skipped(results: Sequence[Entry], doctor: Sequence[str]) -> list[str]:
    """Return a line if more than half of a run's tasks were skipped, and how to learn why.

    `doctor` is the command that lists what the devices lack.
    """
    tasks = {result.id for result in results}
    skipped = tasks - {result.id for result in results if result.outcome != "skipped"}
    if 2 * len(skipped) <= len(tasks):
        return []
    line = f"most tasks were skipped: {len(skipped)} of {len(tasks)}"
    if any(was_skipped_for_device(result) for result in results if result.id in skipped):
        line += f"; what the devices lack: {printable(shlex.join(doctor))}"
    return [line]


def listed(names: Sequence[str]) -> str:
    """Return the first few names, and the number of the others."""
    more = len(names) - _MOST
    return ", ".join([*names[:_MOST], *([f"and {more} more"] if more > 0 else [])])
