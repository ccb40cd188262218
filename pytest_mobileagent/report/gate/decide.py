"""The verdict of a gate on a run, at an interim analysis or at the end, and in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import printable, to_wire
from pytest_mobileagent.report.gate.absolute import absolute, required
from pytest_mobileagent.report.gate.against_baseline import against
from pytest_mobileagent.report.gate.missing import lacking, selected_alike, unseen, without_app
from pytest_mobileagent.report.gate.rule import (
    FAIL,
    INCONCLUSIVE,
    PASS,
    Finding,
    InterimAnalyses,
    interim_analyses,
)
from pytest_mobileagent.report.gate.spec import check_names
from pytest_mobileagent.report.text.markdown import escape, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.gate.spec import Bound, Gate
    from pytest_mobileagent.report.recorded_run import RecordedRun
    from pytest_mobileagent.task.case import Case


_STATUS = {PASS: 0, FAIL: 1, INCONCLUSIVE: 8}
_BROKEN = 9  # infrastructure is the cause of most of what is missing
_MOST = 3  # findings in one line


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate says of a run: `findings` on all that it asks for, at an analysis."""

    findings: tuple[Finding, ...]
    analyses: InterimAnalyses
    look: int

    @property
    def verdict(self) -> str:
        """PASS if all findings pass, FAIL if any fails, else INCONCLUSIVE."""
        verdicts = {finding.verdict for finding in self.findings}
        return next((each for each in (FAIL, INCONCLUSIVE) if each in verdicts), PASS)

    @property
    def status(self) -> int:
        """The exit status: 0, 1 or 8, or 9 if infrastructure broke too much to tell."""
        if self.verdict == INCONCLUSIVE and any(finding.broken for finding in self.findings):
            return _BROKEN
        return _STATUS[self.verdict]

    @property
    def bounds(self) -> tuple[Finding, ...]:
        """The findings on the bounds."""
        return tuple(finding for finding in self.findings if finding.bound is not None)

    @property
    def epochs(self) -> int:
        """After how many epochs this was decided."""
        return self.analyses.epochs[self.look]

    @property
    def open(self) -> tuple[Bound, ...]:
        """The bounds that another analysis may decide; none once one has failed for good."""
        against_baseline = [f for f in self.bounds if f.bound is not None and f.bound.baseline]
        is_last = self.look + 1 == len(self.analyses.epochs)
        if is_last or any(finding.verdict == FAIL for finding in against_baseline):
            return ()
        return tuple(f.bound for f in against_baseline if f.may_change and f.bound is not None)

    def is_final(self, bound: Bound) -> bool:
        """Whether no later analysis can change the verdict on a bound."""
        return bound not in self.open

    def wants(self, task: Entry | Case) -> bool:
        """Return whether an open bound needs more epochs of a task: a result's entry, or a case."""
        if isinstance(task, Mapping):
            suite, tags = task["suite"], list(task["tags"])
        else:
            suite, tags = task.suite, list(task.task.tags)
        return any(bound.covers(suite, tags) for bound in self.open)

    @property
    def line(self) -> str:
        """The verdict and why, in a line."""
        why = list(dict.fromkeys(f.words for f in self.findings if f.verdict == self.verdict))
        more = f"; and {len(why) - _MOST} more" if len(why) > _MOST else ""
        return f"{self.verdict}: {'; '.join(why[:_MOST])}{more}"

    def to_wire(self) -> dict[str, Any]:
        """Return it as plain data: `gate` of report.json."""
        return dict(
            to_wire(
                {
                    "status": self.status,
                    "verdict": self.verdict,
                    "line": self.line,
                    "bounds": [finding.to_wire() for finding in self.findings],
                    "look": self.look + 1,
                    "looks": self.analyses.epochs,
                    "epochs": self.epochs,
                }
            )
        )


def decide(
    gate: Gate,
    tasks: Sequence[Entry],
    baseline: Sequence[Entry] | None,
    analyses: InterimAnalyses,
    look: int,
    *,
    before: Decision | None = None,
    alike: bool = False,
) -> Decision:
    """Return what a gate says of a run.

    `tasks` are the entries of report.json of all that the run has done so far, what is missing
    included, and `baseline` those of the run that it is compared with. Once the analysis `before`
    has given a bound against the baseline PASS or FAIL, that stays; all else is decided anew.
    `alike` says that both runs selected the same tests, so that tasks which only the baseline has
    no longer exist.

    Raises:
        ValueError: the gate names tasks, suites or tags that are in neither run, or asks for a
            baseline without there being one.
    """
    check_names(gate, tasks, baseline)
    settled = {f.bound: f for f in before.bounds if f.verdict != INCONCLUSIVE} if before else {}
    count = sum(bound.baseline for bound in gate.bounds)
    findings = lacking(tasks, look)
    findings += [] if gate.allow_skipped else without_app(tasks, look)
    findings += required(gate.must_pass, tasks, look)
    for bound in gate.bounds:
        if not bound.baseline:
            findings.append(absolute(bound, tasks, look))
        elif bound in settled:
            findings.append(settled[bound])
        else:
            here, there = (
                [task for task in run if bound.covers(task["suite"], task["tags"])]
                for run in (tasks, baseline or ())
            )
            left_out = unseen(here, there, alike=alike, allow_skipped=gate.allow_skipped)
            found = against(bound, here, there, analyses, look, count=count)
            findings.append(_without(left_out, found))
    return Decision(tuple(findings), analyses, look)


def _without(left_out: str | None, found: Finding) -> Finding:
    """Turn a finding on the present tasks into one on all: a FAIL stands, a PASS does not."""
    if left_out is None or found.verdict == FAIL:
        return found
    return replace(found, verdict=INCONCLUSIVE, words=f"{left_out}; of the others: {found.words}")


_RANGE = re.compile(r"\s*(\d+)\s*\.\.\s*(\d+)\s*", re.ASCII)


def decide_finished(gate: Gate, run: RecordedRun, baseline: RecordedRun | None) -> Decision:
    """Return what a gate says of a run that has ended.

    A run with `--mobile-epochs=A..B` is analysed at the same epochs as while it went on, as far as
    it came; any other run is analysed once.

    Raises:
        ValueError: see `decide`.
    """
    before = None if baseline is None else baseline.tasks
    alike = baseline is not None and selected_alike(run.about, baseline.about)
    planned = _planned(run)
    if planned is None:
        once = InterimAnalyses((_count(run.tasks),))
        return decide(gate, run.tasks, before, once, 0, alike=alike)
    decided = [task for task in run.tasks if task["success"] is not None]
    done = _count(decided)
    decision = None
    tasks: list[Entry] = []
    starts = (0, *planned.epochs)
    for look, (first, epochs) in enumerate(zip(starts, planned.epochs, strict=False)):
        if decision is not None and not (decision.open and epochs <= done):
            break
        new = [task for task in run.tasks if first <= task["epoch"] < epochs]
        tasks += [task for task in new if _is_wanted(task, decision)]
        decision = decide(gate, tasks, before, planned, look, before=decision, alike=alike)
    assert decision is not None
    return decision


def _is_wanted(task: Entry, decision: Decision | None) -> bool:
    """Whether a task was to be run after an analysis; a run that was cut off lists others too."""
    return decision is None or task["outcome"] != "not run" or decision.wants(task)


def _planned(run: RecordedRun) -> InterimAnalyses | None:
    """Return the planned interim analyses; None if the run had a plain number of epochs."""
    option = (run.about.get("options") or {}).get("mobile-epochs") or {}
    found = _RANGE.fullmatch(str(option.get("value") or ""))
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        return None
    return interim_analyses(int(found[1]), int(found[2]))


def _count(tasks: Sequence[Entry]) -> int:
    return max((task["epoch"] + 1 for task in tasks), default=1)


_SIGNS = {PASS: "✅", FAIL: "❌", INCONCLUSIVE: "❔"}


def decision_lines(gate: Mapping[str, Any]) -> list[str]:
    """Return lines on a decision, as `Decision.to_wire` gives it: the verdict, then each bound."""
    lines = [f"gate {printable(gate['line'])}"]
    if len(gate["bounds"]) > 1:
        lines += [f"  {each['verdict']:<12} {printable(each['words'])}" for each in gate["bounds"]]
    return lines


def decision_markdown(gate: Mapping[str, Any]) -> list[str]:
    """Return lines of Markdown on a decision, as `Decision.to_wire` gives it."""
    rows = [
        (f"{_SIGNS[each['verdict']]} {each['verdict']}", each["words"]) for each in gate["bounds"]
    ]
    title = f"## {_SIGNS[gate['verdict']]} Gate: {gate['verdict']}"
    lines = [title, "", escape(gate["line"]), ""]
    return [*lines, *table(("verdict", "what was asked, and what was found"), rows), ""]
