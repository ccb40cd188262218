"""The lists below the table of a run: notable tasks, and remarks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import AGENTS_FAULT
from pytest_mobileagent.episode.runs import cases
from pytest_mobileagent.jsonable import cut, mapping, plural, printable
from pytest_mobileagent.report.gate.missing import sample_of
from pytest_mobileagent.report.metrics import check_raised, without_snapshot
from pytest_mobileagent.report.metrics.behaviour import met_at_start
from pytest_mobileagent.report.metrics.doubtful import broke, with_doubtful
from pytest_mobileagent.report.metrics.epochs import FLAKY
from pytest_mobileagent.report.text import label, percent, shortener
from pytest_mobileagent.report.text.narration import missed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.report.entry import Entry, Judged

    Entries = Sequence[Entry]
    Say = Callable[[Entry], str]


FEW = 5  # tasks in a list by default; the others are in the report
LINE = 120  # characters of a line; reasons deserve more room than numbers
_MOST_CHANGES = 25
_WORDS = {5: "five"}
_LONGEST_NAME = 32
_SHORTEST_PART = 12  # characters to which a part of a line is cut, at least
_RECORDED = "Recorded pages show only the ways through an app that were recorded."
VIRTUAL = "Virtual phones test the harness; do not publish these numbers as an agent's."


def epochs(summary: Mapping[str, Any]) -> list[str]:
    """Return lines on repeated tasks: the numbers of stable tasks, and the flaky ones."""
    if not summary["repeated"]:
        return []
    flaky = [task for task in summary["repeated"] if task["class"] == FLAKY]
    counts = f"stable pass {summary['stable_passes']}, flaky {summary['flaky']}"
    counts += f", stable fail {summary['stable_fails']}"
    short = shortener(task["id"] for task in summary["repeated"])
    shown = [
        f"  {label(short(task['id']), task['environment'])} {task['successes']}/{task['decided']}"
        for task in flaky[:FEW]
    ]
    more = [f"  … and {len(flaky) - FEW} more"] if len(flaky) > FEW else []
    return [f"over their epochs: {counts}{':' * bool(flaky)}", *shown, *more]


def same_causes(groups: Sequence[Sequence[Entry]]) -> list[str]:
    """Return lines on failures of the same cause, of which the first is displayed in full."""
    name_of = _names([each for group in groups for each in group])
    lines = []
    for first, *others in groups:
        names = [cut(name_of(each), _LONGEST_NAME) for each in others[:FEW]]
        more = [f"{len(others) - FEW} more"] if len(others) > FEW else []
        lines.append(f"{len(others)} more like {cut(name_of(first), _LONGEST_NAME)}: {first.cause}")
        lines.append(f"  {', '.join([*names, *more])}")
    return [printable(line) for line in lines]


def passes(results: Sequence[Entry], columns: int = LINE) -> list[str]:
    """Return a line for each passed task, with its number of steps."""

    def steps(result: Entry) -> str:
        count = "" if result.steps is None else plural(result.steps, "step")
        return f"{count} (golden steps {result.golden_steps})" if result.golden_steps else count

    return _list("passed", results, steps, most=len(results), columns=columns)


def failures(results: Sequence[Entry], most: int = FEW, columns: int = LINE) -> list[str]:
    """Return lines on the failed tasks: how each ended, and what its check missed."""
    return _list("failed", results, _failure, most=most, columns=columns)


def reviews(results: Sequence[Entry], *, may_settle: bool = False) -> list[str]:
    """Return lines on the tasks that a person must decide, with the reasons.

    `may_settle` says that two judges were asked, so a third one would settle disagreements.
    """
    lines = _list("review", results, lambda result: result.reason, title="for review")
    third = "        (or name a third model in --mobile-judges, which then decides)"
    decide = f"decide it: python -m pytest_mobileagent review{third if may_settle else ''}"
    return [*lines, decide] if lines else []


def disagreements(results: Sequence[Entry]) -> list[str]:
    """Return lines on the tasks with a check that judges decided differently, or did not decide."""
    judged = [each for each in results if each.judged is not None]
    undecided = [each for each in judged if each.judged and each.judged["passed"] is None]
    differ = differing(results)
    title = f"check and judge differ ({len(differ)} of {len(judged) - len(undecided)})"
    lines = _lines(
        title, differ, results, lambda each: f"check: {_done(each)}   {_reason(each.judged)}"
    )
    title = f"not decided by judges ({len(undecided)})"
    lines += _lines(title, undecided, results, lambda each: _reason(each.judged))
    more = "  the others: those in report.json whose `judged` has `passed` null"
    return [*lines, *([more] if len(undecided) > FEW else [])]


def official_differences(results: Sequence[Entry]) -> list[str]:
    """Return lines on the tasks that official evaluations decided differently or broke on."""
    lines = []
    scored = [(each, each.official) for each in results if each.official]
    for scorer in sorted({official["scorer"] for _, official in scored}):
        own = [(task, theirs["passed"]) for task, theirs in scored if theirs["scorer"] == scorer]
        both = [(task, passed) for task, passed in own if None not in (passed, task.success)]
        differ = [task for task, passed in both if passed is not task.success]
        same = f"{printable(scorer)} agrees on {len(both) - len(differ)} of {len(both)}"
        if differ:
            lines += _lines(
                f"{same}, and differs on",
                differ,
                results,
                lambda each: f"ours: {_done(each)}   {_reason(each.official)}",
            )
        elif both:
            lines.append(same)
        broke = [task for task, passed in own if passed is None]
        title = f"{printable(scorer)} broke ({len(broke)})"
        lines += _lines(title, broke, results, lambda each: _reason(each.official))
    return lines


def _done(result: Entry) -> str:
    return "done" if result.success else "not done"


def _reason(opinion: Judged | None) -> str:
    return opinion["reason"] if opinion else ""


def differing(results: Sequence[Entry]) -> list[Entry]:
    """Return the tasks with a check that judges decided differently."""
    return [
        each
        for each in results
        if (judged := each.judged) is not None
        and None not in (judged["passed"], each.success)
        and judged["passed"] is not each.success
    ]


def undone(results: Sequence[Entry], outcomes: Sequence[str]) -> list[tuple[str, str]]:
    """Return the name and the reason of each task with one of these outcomes."""
    name_of = _names(results)
    return [
        (name_of(result), _failure(result) if result.outcome == "failed" else result.reason)
        for result in results
        if result.outcome in outcomes
    ]


def reasons(outcome: str, results: Sequence[Entry]) -> list[str]:
    """Return a line for each reason why tasks have an outcome: "skipped" or "not run"."""
    found = Counter(result.reason for result in results if result.outcome == outcome)
    lines = [
        f"{outcome} ({count}): {printable(' '.join(reason.split()))}"
        for reason, count in found.most_common(FEW)
    ]
    if (more := len(found) - FEW) > 0:
        lines.append(f"{outcome} for {plural(more, 'more reason')}: see report.json")
    return lines


def cut_off(budget: str, results: Sequence[Entry]) -> str:
    """Return a line on how far a run got before its budget was spent."""
    decided = sum(result.success is not None for result in results)
    cut_short = sum(result.termination == "budget" for result in results)
    rest = sum(result.outcome == "not run" for result in results)
    tasks = plural(decided, "task")
    return f"budget: {budget}: {tasks} decided, {cut_short} cut off, {rest} not run"


def changes(before: Mapping[str, Entry], results: Sequence[Entry]) -> list[str]:
    """Return lines on tasks whose outcome changed; `before` are earlier results by case keys."""
    changed = [
        result
        for result in results
        if (was := before.get(result.key)) is not None and was.outcome != result.outcome
    ]
    if not changed:
        return ["no verdict changed"]
    count = f"{plural(len(changed), 'verdict')} changed"

    def words(result: Entry) -> str:
        return f"{_decided(before[result.key])} → {_decided(result)}"

    lines = _lines(count, changed, results, words, most=_MOST_CHANGES)
    return [line.replace(" → ", "  →  ") for line in lines]


def _decided(result: Entry) -> str:
    """Return an outcome with who decided it; if nobody did, with the reason."""
    verdict = result.verdict
    if verdict is None:
        return _with_reason(result)
    judges = verdict["evidence"].get("judges") or ()
    models = [str(judge["model"]).partition(":")[2] or str(judge["model"]) for judge in judges]
    match verdict["scorer"]:
        case "judge" | "judges" if not models:
            who = "no picture shows it"  # decided by the coarse stage
        case "judge":
            who = f"single: {models[0]}"
        case "judges" if verdict["passed"] is None:
            who = "cross: they disagree"
        case "judges":
            who = f"cross: {', '.join(models)}"
        case "check" if verdict["passed"] is not None:
            who = "check"
        case _:
            return _with_reason(result)
    return f"{result.outcome} ({who})"


def _with_reason(result: Entry) -> str:
    why = cut(printable(" ".join(result.reason.split())), _LONGEST_NAME)
    return f"{result.outcome} ({why})" if why else result.outcome


def remarks(results: Sequence[Entry], about: Mapping[str, Any]) -> list[str]:
    """Return the remarks needed to interpret the numbers; `about` is "run" in report.json."""
    resets = [each for result in results if (each := without_snapshot(result))]
    reasons = "; ".join(dict.fromkeys(reset["reason"] for reset in resets))
    effect = "only their own apps were cleared, everything else was left as it was"
    tasks = plural(len(resets), "task")
    unreset = f"{tasks} began without a snapshot ({printable(reasons)}): {effect}"
    return [
        *_suspects(results),
        *early_goals(results),
        *cautions(results),
        *sample_of(mapping(mapping(about.get("selection")).get("sample"))),
        *([unreset] if resets else []),
        *notices(about),
    ]


def notices(about: Mapping[str, Any]) -> list[str]:
    """Return what the devices of a run mean for its numbers; an empty list for real phones."""
    found = {"virtual": VIRTUAL, "recorded_pages": _RECORDED}
    return [notice for name, notice in found.items() if about.get(name)]


def cautions(results: Sequence[Entry]) -> list[str]:
    """Return the remarks that contain only numbers and names of models."""
    lines = []
    if raised := sum(map(check_raised, results)):
        tasks = f"{plural(raised, 'task')} whose check raised, which is a fault of the task"
        lines.append(f"left out of the success rate: {tasks} (docs/checks.md)")
    lines += _own_judges(results)
    if count := sum(result.metered is False for result in results):
        unknown = f"{'its' if count == 1 else 'their'} tokens and price are unknown"
        seen = f"{plural(count, 'task')} acted without a model call that was seen"
        lines.append(f"unmetered: {seen}; {unknown} (docs/programs.md)")
    return lines


def early_goals(results: Sequence[Entry]) -> list[str]:
    """Return a line that names the tasks whose goal was met before the agent began."""
    name_of = _names(results)
    found = [cut(name_of(each), _LONGEST_NAME) for each in results if met_at_start(each)]
    if not found:
        return []
    more = f" and {len(found) - FEW} more" if len(found) > FEW else ""
    goals = "1 goal was" if len(found) == 1 else f"{len(found)} goals were"
    return [f"{goals} met before the agent began: {', '.join(found[:FEW])}{more}"]


def _suspects(results: Sequence[Entry]) -> list[str]:
    """Return lines on the tasks that broke their phone or worker in every attempt."""
    found = [result for result in results if result.suspect]
    if not found:
        return []
    name_of = _names(results)
    title = f"suspects: {plural(len(found), 'task')} broke phone or worker in every attempt"
    lines = [f"{title}, where others did not:"]
    lines += [
        f"  {cut(name_of(each), _LONGEST_NAME)}   {broke(each)}: the agent?" for each in found[:FEW]
    ]
    if len(found) > FEW:
        lines.append(f"  … and {len(found) - FEW} more: see report.json")
    if undecided := sum(each.success is None for each in found):
        decided = [each.success for each in results if each.success is not None]
        rate = percent(with_doubtful(results)["success_rate_with_suspects"])
        rate += f" ({sum(decided)}/{len(decided) + undecided})"
        them = "it" if len(found) == 1 else "them"
        lines.append(f"  with {them} as failures: success rate {rate}: mobile_suspects=fail")
    return lines


def _own_judges(results: Sequence[Entry]) -> list[str]:
    """Return a line for each judge that is also a model of the agent."""
    judges = Counter(
        model
        for result in results
        if result.verdict is not None
        for model in result.verdict["evidence"].get("own_models", ())
    )
    return [
        f"{model} judged {plural(count, 'task')} in which it was the agent's own model"
        for model, count in sorted(judges.items())
    ]


def _failure(result: Entry) -> str:
    steps = result.steps
    after = "" if steps is None else f" after {plural(steps, 'step')}"
    why = _why(result) or result.reason.partition("\n")[0]  # the rest may be a traceback
    return f"{result.termination}{after}: {why}"


def _why(result: Entry) -> str:
    """Return what the check of a failed task missed; empty if the reason says more."""
    verdict = result.verdict
    if verdict is None or result.termination in AGENTS_FAULT:
        return ""
    return missed(verdict) or verdict["evidence"].get("sought") or ""


def _list(outcome: str, results: Entries, say: Say, *, title: str = "", **limits: int) -> list[str]:
    """Return lines on the tasks with an outcome; `limits` are those of `_lines`."""
    found = [result for result in results if result.outcome == outcome]
    return _lines(f"{title or outcome} ({len(found)})", found, results, say, **limits)


def _lines(
    title: str, found: Entries, results: Entries, say: Say, *, most: int = FEW, columns: int = LINE
) -> list[str]:
    """Return a title and a line on each of the first `most` tasks that were found, if any."""
    if not found:
        return []
    name_of = _names(results)
    names = [cut(name_of(result), _LONGEST_NAME) for result in found[:most]]
    width = max(map(len, names))
    few = f", the first {_WORDS.get(most, most)}" if len(found) > most else ""
    lines = [f"{title}{few}:"]
    for name, result in zip(names, found, strict=False):
        lines.append(f"  {name:<{width}}   {_fitting(say(result), columns - width - 5)}".rstrip())
    return lines


def _fitting(words: str, most: int) -> str:
    """Return words on one line of at most `most` characters; its longest parts are cut first."""
    parts = [printable(" ".join(part.split())) for part in words.split("   ") if part.strip()]
    while len("   ".join(parts)) > most and (longest := max(map(len, parts))) > _SHORTEST_PART:
        parts = [cut(part, longest - 1) for part in parts]
    return cut("   ".join(parts), most)


def names_of(run: Path) -> Callable[[Case], str]:
    """Return a function that returns the short name of a case of the run in a folder."""
    return _names(cases(run))


def _names(results: Sequence[Entry | Case]) -> Callable[[Entry | Case], str]:
    """Return a function that returns a task's short name, without the folders common to all."""
    short = shortener(result.id for result in results)
    has_epochs = any(result.epoch for result in results)

    def name(result: Entry | Case) -> str:
        marks = [f"env{result.environment}"] if result.environment else []
        marks += [f"epoch{result.epoch}"] if has_epochs else []
        return printable(short(result.id) + "".join(f"[{mark}]" for mark in marks))

    return name
