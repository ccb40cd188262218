"""The decision of a gate on a run, at an interim analysis or at the end."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import printable, to_wire
from pytest_mobileagent.report.gate.absolute import absolute, required
from pytest_mobileagent.report.gate.against_baseline import against
from pytest_mobileagent.report.gate.missing import (
    describe_untried,
    is_same_selection,
    skipped_for_devices,
    skipped_for_records,
    too_many_missing,
    without_shards,
)
from pytest_mobileagent.report.gate.rule import (
    FAIL,
    INCONCLUSIVE,
    PASS,
    GateFinding,
    InterimAnalyses,
    interim_analyses,
)
from pytest_mobileagent.report.gate.spec import check_names, tags_of
from pytest_mobileagent.report.metrics.doubtful import unclear_as_failed
from pytest_mobileagent.report.text import escape_markdown, markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.gate.spec import Bound, Gate
    from pytest_mobileagent.report.recorded_run import RecordedRun


_STATUS = {PASS: 0, FAIL: 1, INCONCLUSIVE: 8}
_BROKEN = 9  # infrastructure failures caused most of the missing episodes
_MOST = 3  # findings in one line
# Metrics that are about unclear answers; all others, and tests, count these as failed.
_OF_UNCLEAR = {"unclear", "review", "success_rate_lower", "success_rate_upper"}


@dataclass(frozen=True, slots=True)
class GateDecision:
    """A gate's decision on a run: its `findings` on each condition.

    `analysis` is the number (from 0) of the interim analysis among the planned `analyses`.
    """

    findings: tuple[GateFinding, ...]
    analyses: InterimAnalyses
    analysis: int

    @property
    def verdict(self) -> str:
        """PASS if all findings pass, FAIL if any fails, else INCONCLUSIVE."""
        verdicts = {finding.verdict for finding in self.findings}
        return next((each for each in (FAIL, INCONCLUSIVE) if each in verdicts), PASS)

    @property
    def status(self) -> int:
        """The exit status: 0, 1 or 8; 9 if too many infrastructure failures prevent a verdict."""
        if self.verdict == INCONCLUSIVE and any(finding.broken for finding in self.findings):
            return _BROKEN
        return _STATUS[self.verdict]

    @property
    def bounds(self) -> tuple[GateFinding, ...]:
        """The findings on the bounds."""
        return tuple(finding for finding in self.findings if finding.bound is not None)

    @property
    def epochs(self) -> int:
        """The number of epochs after which the decision was made."""
        return self.analyses.epochs[self.analysis]

    @property
    def open(self) -> tuple[Bound, ...]:
        """The bounds that a later analysis may decide; empty once one has failed for good."""
        against_baseline = [f for f in self.bounds if f.bound is not None and f.bound.baseline]
        is_last = self.analysis + 1 == len(self.analyses.epochs)
        if is_last or any(finding.verdict == FAIL for finding in against_baseline):
            return ()
        return tuple(f.bound for f in against_baseline if f.may_change and f.bound is not None)

    @property
    def is_open(self) -> bool:
        """Whether a bound against the baseline is undecided, and none has failed."""
        verdicts = [f.verdict for f in self.bounds if f.bound is not None and f.bound.baseline]
        return INCONCLUSIVE in verdicts and FAIL not in verdicts

    def wants(self, task: Entry | Case) -> bool:
        """Return whether an open bound needs more epochs of a task: a result's entry, or a case."""
        return any(bound.covers(task.suite, tags_of(task)) for bound in self.open)

    @property
    def line(self) -> str:
        """The verdict and its reasons, in one line."""
        why = list(dict.fromkeys(f.words for f in self.findings if f.verdict == self.verdict))
        more = f"; and {len(why) - _MOST} more" if len(why) > _MOST else ""
        return f"{self.verdict}: {'; '.join(why[:_MOST])}{more}"

    def to_wire(self) -> dict[str, Any]:
        """Return the decision as plain data: `gate` of report.json."""
        decision = {
            "status": self.status,
            "verdict": self.verdict,
            "line": self.line,
            "bounds": [finding.to_wire() for finding in self.findings],
            "look": self.analysis + 1,
            "looks": self.analyses.epochs,
            "epochs": self.epochs,
        }
        return dict(to_wire(decision))


def decide(
    gate: Gate,
    tasks: Sequence[Entry],
    baseline: Sequence[Entry] | None,
    analyses: InterimAnalyses,
    analysis: int,
    *,
    before: GateDecision | None = None,
    same_selection: bool = False,
) -> GateDecision:
    """Return a gate's decision on a run.

    - `tasks` are the entries of report.json of everything that the run has done so far, including
      what is missing; `baseline` are those of the run that it is compared with.
    - `analysis` is the number (from 0) of this analysis among `analyses`. What the one `before` has
      decided about a bound against the baseline stands; everything else is decided again.
    - `same_selection`: both runs selected the same tests; tasks only in the baseline were removed.

    Raises:
        ValueError: if the gate names a task, suite or tag in neither run, or lacks its baseline.
    """
    check_names(gate, tasks, baseline)
    recorded, tasks = tasks, unclear_as_failed(tasks)
    baseline = unclear_as_failed(baseline or ())
    settled = {f.bound: f for f in before.bounds if f.verdict != INCONCLUSIVE} if before else {}
    count = sum(bound.baseline + (bound.max_lost is not None) for bound in gate.bounds)
    findings = too_many_missing(tasks, analysis)
    findings += [] if gate.allow_skipped else skipped_for_devices(tasks, analysis)
    findings += skipped_for_records(tasks, analysis)
    findings += required(gate.must_pass, tasks, analysis)
    for bound in gate.bounds:
        if not bound.baseline:
            of_unclear = bound.metric in _OF_UNCLEAR
            findings.append(absolute(bound, recorded if of_unclear else tasks, analysis))
        elif bound in settled:
            findings.append(settled[bound])
        else:
            here = [task for task in tasks if bound.covers(task.suite, task.tags)]
            there = [task for task in baseline if bound.covers(task.suite, task.tags)]
            left_out = describe_untried(
                here, there, same_selection=same_selection, allow_skipped=gate.allow_skipped
            )
            found = against(bound, here, there, analyses, analysis, count=count)
            if left_out is not None and found.verdict != FAIL:  # a FAIL stands, a PASS does not
                words = f"{left_out}; of the others: {found.words}"
                found = replace(found, verdict=INCONCLUSIVE, words=words)
            findings.append(found)
    return GateDecision(tuple(findings), analyses, analysis)


_RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d+)\s*", re.ASCII)


def decide_finished(gate: Gate, run: RecordedRun, baseline: RecordedRun | None) -> GateDecision:
    """Return a gate's decision on a run that has ended.

    A run with `--mobile-epochs=A..B` is analysed as it was while it ran; other runs once.

    Raises:
        ValueError: see `decide`.
    """
    before = None if baseline is None else baseline.tasks
    same_selection = baseline is not None and is_same_selection(run.about, baseline.about)
    planned = _planned(run)
    if planned is None:
        once = InterimAnalyses((_count(run.tasks),))
        return _of_run(run, decide(gate, run.tasks, before, once, 0, same_selection=same_selection))
    done = _count([task for task in unclear_as_failed(run.tasks) if task.success is not None])
    decision = None
    tasks: list[Entry] = []
    starts = (0, *planned.epochs)
    for analysis, (first, epochs) in enumerate(zip(starts, planned.epochs, strict=False)):
        if decision is not None and not (decision.is_open and epochs <= done):
            break
        # An interrupted run also lists tasks that the analysis before had made unnecessary.
        tasks += [
            task
            for task in run.tasks
            if first <= task.epoch < epochs
            and (decision is None or task.outcome != "not run" or decision.wants(task))
        ]
        decision = decide(
            gate, tasks, before, planned, analysis, before=decision, same_selection=same_selection
        )
    assert decision is not None
    return _of_run(run, decision)


def _of_run(run: RecordedRun, decision: GateDecision) -> GateDecision:
    """Extend a decision by what the run lacks as a whole."""
    lacks = without_shards(run.about, decision.analysis)
    return replace(decision, findings=(*lacks, *decision.findings))


def _planned(run: RecordedRun) -> InterimAnalyses | None:
    """Return the planned interim analyses; None if the run had a fixed number of epochs."""
    option = (run.about.get("options") or {}).get("mobile-epochs") or {}
    found = _RANGE.fullmatch(str(option.get("value") or ""))
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        return None
    return interim_analyses(int(found[1]), int(found[2]))


def _count(tasks: Sequence[Entry]) -> int:
    return max((task.epoch + 1 for task in tasks), default=1)


_LINE = 120  # characters
_SIGNS = {PASS: "✅", FAIL: "❌", INCONCLUSIVE: "❔"}


def decision_lines(gate: Mapping[str, Any]) -> list[str]:
    """Return a decision (see `GateDecision.to_wire`) as lines: what decided it, then other bounds.

    Nothing is said twice, although several bounds may lack the same episodes.
    """
    findings = sorted(gate["bounds"], key=lambda each: each["verdict"] != gate["verdict"])
    said: set[str] = set()
    lines: list[str] = []
    for finding in findings:
        parts = [part for part in finding["words"].split("; ") if part not in said]
        said.update(parts)
        begin = f"  {finding['verdict']:<12} " if lines else f"gate {finding['verdict']}: "
        indent = " " * (len(begin) if lines else 4)
        words = printable("; ".join(parts))
        lines += wrap(words, _LINE, initial_indent=begin, subsequent_indent=indent)
    return lines or [f"gate {printable(gate['line'])}"]


def decision_markdown(gate: Mapping[str, Any]) -> list[str]:
    """Return a decision (see `GateDecision.to_wire`) as lines of Markdown."""
    signed = {verdict: f"{sign} {verdict}" for verdict, sign in _SIGNS.items()}
    rows = [(signed[each["verdict"]], each["words"]) for each in gate["bounds"]]
    title = f"## {_SIGNS[gate['verdict']]} Gate: {gate['verdict']}"
    lines = [title, "", escape_markdown(gate["line"]), ""]
    return [*lines, *markdown_table(("verdict", "what was asked, and what was found"), rows), ""]
