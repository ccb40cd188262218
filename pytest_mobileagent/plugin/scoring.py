"""Turns the outcome of a test body into a verdict, and into the result that is reported."""

from __future__ import annotations

import linecache
import re
from contextlib import suppress
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.action.matching.graph_mobile_bench import graph
from pytest_mobileagent.check.body import SubGoalError, credit
from pytest_mobileagent.check.golden import OffPathError, check_path, collect_matches, compare
from pytest_mobileagent.episode import AGENTS_FAULT, Termination
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.episode.runs import append as add_to_index
from pytest_mobileagent.errors import (
    HostError,
    InfrastructureError,
    JudgeError,
    MobileAgentError,
    TaskError,
    UndecidedError,
    in_one_line,
)
from pytest_mobileagent.jsonable import printable, to_wire
from pytest_mobileagent.plugin.bodies import (
    STRICT,
    AgentFailedError,
    held_at_start,
    is_asked_on_the_way,
    on_the_way,
    progress,
)
from pytest_mobileagent.plugin.body_source import expected_and_actual
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.hookspecs import announce
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.judges import NoBudgetError, with_judges
from pytest_mobileagent.plugin.outputs.display import (
    add_to_others,
    properties,
    show_error,
    show_failure,
    show_review,
    show_wall,
)
from pytest_mobileagent.plugin.pytest_private import end_reruns
from pytest_mobileagent.plugin.state import RESULT, skipped_for, state_of
from pytest_mobileagent.plugin.walls import WallError
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.verdict import Verdict
from pytest_mobileagent.verdict import append as add_verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.check.episode import Episode
    from pytest_mobileagent.check.golden import Compared
    from pytest_mobileagent.report.entry import Entry

_LINES_BEFORE, _LINES_AFTER = 8, 3  # the lines of a body shown around the failed condition


def score(item: pytest.Function, report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    """Add the result to a report that decides the case; record the verdict beside the episode.

    An error in here only makes this case an error, and the run continues. So does an outcome, such
    as the failure that pytest-timeout raises wherever the test happens to be.
    """
    case = case_of(item)
    if case is None or not state_of(item).is_complete:
        return
    try:
        result = _result(case, item, report, call)
        entry = result.entry().redacted()
        _record(result, entry, item)
    except (KeyboardInterrupt, SystemExit, pytest.exit.Exception):
        raise
    except BaseException as error:  # noqa: BLE001 - one guarded place; outcomes are no Exceptions
        what = f"the result of {item.nodeid} cannot be computed: {in_one_line(error)}"
        report.outcome, report.longrepr = "failed", what
        entry = Result(case, fault="infrastructure", reason=what).entry()
    setattr(report, RESULT, to_wire(entry))
    if entry.success is not None:
        # Only failures would be repeated, so the rate would be that of the best of several tries.
        end_reruns(item)
    item.user_properties.extend(properties(entry))
    add_to_others(item, report, entry, state_of(item).playing.episode)


def _result(
    case: Case, item: pytest.Function, report: pytest.TestReport, call: pytest.CallInfo[None]
) -> Result:
    state = state_of(item)
    episode = state.playing.episode
    broke = list(state.failures)
    raised = call.excinfo.value if call.excinfo is not None else None
    if isinstance(raised, InfrastructureError):
        broke.append(str(raised))
    outcome, success = _outcome(report, raised, state.body.failed_subtests)
    if state.playing.is_over_budget:
        outcome = "not run"
    official = None if state.body.official is None else state.body.official()
    verdict = compared = None
    if episode is not None and (success is not None or outcome == "review"):
        own = _verdict(item, episode, report, call, success)
        verdict, compared = with_judges(item, own), own.evidence.get("matches")
    if isinstance(raised, JudgeError | NoBudgetError):
        report.longrepr = printable(redacted(str(raised)))
    elif outcome == "review":
        show_review(report, str(raised))
    elif success is False and report.failed and verdict is not None and episode is not None:
        show_failure(item, report, episode, verdict, on_the_way=is_asked_on_the_way(item, episode))
    elif isinstance(raised, WallError) and episode is not None:
        show_wall(item, report, episode, str(raised))
    elif outcome == "error" and episode is not None:
        show_error(item, report, episode, state.body.misses)
    return Result(
        case,
        outcome=outcome,
        skipped_for=skipped_for(raised) if outcome == "skipped" else None,
        fault=_fault(outcome, report, raised, broke, episode),
        reason=verdict.reason if verdict is not None else _reason(report, call),
        infrastructure=tuple(broke),
        episode=episode,
        folder=_folder(item, episode),
        verdict=verdict,
        beside=state.judging.beside,
        official=official,
        judge_calls=tuple(state.judging.calls),
        compared=compared,
    )


def _outcome(
    report: pytest.TestReport, raised: BaseException | None, subtests: int
) -> tuple[str, bool | None]:
    """Return the outcome of a case, and whether its goal was met, from pytest's report.

    `subtests` is the number of failed subtests. Any exception in a body other than an
    AssertionError is the task's fault, and does not decide the case; nor does a body that
    pytest-timeout has interrupted.
    """
    if isinstance(raised, UndecidedError):
        return "review", None
    if hasattr(report, "wasxfail"):
        return ("xpassed", True) if report.passed else ("xfailed", False)
    if report.skipped or report.when != "call":
        return ("skipped" if report.skipped else "error"), None
    if report.passed and not subtests:
        return "passed", True
    if raised is None:  # another plugin failed it, or a strict xfail passed
        return "failed", str(report.longrepr).startswith(STRICT)
    decides = isinstance(raised, AssertionError | pytest.fail.Exception)
    decides &= "from pytest-timeout" not in str(raised)
    return ("failed", False) if decides else ("error", None)


def _fault(
    outcome: str,
    report: pytest.TestReport,
    raised: BaseException | None,
    broke: Sequence[str],
    episode: Episode | None,
) -> str | None:
    if outcome == "failed":
        return "agent"
    if outcome == "not run" or (episode and episode.termination is Termination.BUDGET):
        return "budget"
    if outcome != "error":
        return None
    if isinstance(raised, MobileAgentError) and raised.fault != "task":
        return raised.fault
    return "infrastructure" if broke and report.when != "call" else "task"


def _verdict(
    item: pytest.Function,
    episode: Episode,
    report: pytest.TestReport,
    call: pytest.CallInfo[None],
    success: bool | None,
) -> Verdict:
    body = state_of(item).body
    held = body.check_held
    whole = success or held if success is not None else None
    reason = "" if success else _reason(report, call)
    about = {
        "closest": body.misses,
        "unclear": [each.evidence(right) for each, right in body.unclear.items()],
        "wall": "" if body.wall is None else str(body.wall),
    }
    evidence: dict[str, Any] = {name: value for name, value in about.items() if value}
    if held:
        evidence["check_held"] = True
        if not success:
            reason = f"{reason} (although the check held)"
    elif success is False and episode.termination in AGENTS_FAULT:
        reason = f"{episode.error}; {reason}"
    if success is False and call.excinfo is not None:
        evidence |= _sought(item, call.excinfo)
    way = on_the_way(item, episode, whole=whole)
    if success is not None:
        evidence["held"] = list(way.held)  # empty if the body was only run at the end
    if (at_start := held_at_start(item, episode)) is not None:
        evidence["held_at_start"] = at_start
    if subgoals := progress(item, way, episode):
        evidence["subgoals"] = subgoals
    if (compared := _compared(item, episode)) is not None:
        evidence["matches"] = compared.to_json()
    partial = credit([(each["weight"], each["held"]) for each in subgoals])
    return Verdict(success, "check", reason, evidence, way.first_step, partial)


def _compared(item: pytest.Function, episode: Episode) -> Compared | None:
    """Return how steps match golden actions; None without a comparison or golden actions.

    If the body has compared nothing, the rule of graphs does: on a single path, and on many paths
    if the task has golden actions.
    """
    compared, case = state_of(item).body.compared, case_of(item)
    golden = case.task.golden if case else ()
    if (episode.is_on_path or golden) and (compared is None or compared.steps is None):
        with collect_matches() as compared, suppress(OffPathError, TaskError):
            if episode.is_on_path:
                check_path(episode)
            else:
                compare(graph, episode, golden)
    return None if compared is None or compared.steps is None else compared


def _sought(item: pytest.Function, excinfo: pytest.ExceptionInfo[BaseException]) -> dict[str, Any]:
    """Return the source of the failed condition, its location, and the lines around it.

    The lines are from the condition's function, starting at line `first`, counted from 1.
    """
    nowhere = {"sought": "", "where": ""}
    if isinstance(excinfo.value, AgentFailedError):
        return nowhere
    if isinstance(excinfo.value, OffPathError):
        return {**nowhere, "sought": str(excinfo.value)}
    if isinstance(excinfo.value, SubGoalError) and (cause := excinfo.value.__cause__) is not None:
        excinfo = pytest.ExceptionInfo.from_exception(cause)
    entries = [entry for entry in excinfo.traceback if str(entry.path) == str(item.path)]
    if not entries:
        return nowhere
    entry, line = entries[-1], entries[-1].lineno + 1
    try:
        words = str(entry.statement).strip()
    except Exception:  # noqa: BLE001 - sources may be anything
        words = linecache.getline(str(entry.path), line).strip()
    first = max(entry.frame.code.firstlineno + 1, line - _LINES_BEFORE)
    lines = linecache.getlines(str(entry.path))[first - 1 : line + _LINES_AFTER]
    condition = words.removeprefix("assert").strip()
    is_compared = str(excinfo.value).startswith("assert ")  # not explained by the task's author
    values = expected_and_actual(item.config, condition) if is_compared else {}
    return {
        **values,
        "sought": condition,
        "where": f"{item.location[0]}:{line}",
        "source": {"first": first, "line": line, "text": dedent("".join(lines)).rstrip()},
    }


def _folder(item: pytest.Function, episode: Episode | None) -> str | None:
    folder = item.config.stash[RUN].folder
    if episode is None or episode.folder is None:
        return None
    inside = episode.folder.is_relative_to(folder.path)
    return folder.relative(episode.folder) if inside else str(episode.folder)


def _record(result: Result, entry: Entry, item: pytest.Function) -> None:
    """Record the verdict beside the episode, and the attempt in the run's index; call the hook.

    If an episode is scored again, the verdict is also recorded beside its original.
    """
    run, episode = item.config.stash[RUN], result.episode
    if episode is None or episode.folder is None:
        return
    original = None if run.earlier.makes_episodes else run.earlier.plan_for(result.case).episode
    outranked = state_of(item).judging.outranked
    for verdict in (*outranked, result.beside, result.official, result.verdict):
        if verdict is not None:
            add_verdict(episode.folder, verdict)
            if original is not None and original != episode.folder:
                with suppress(HostError):  # not writable, as the summary says
                    add_verdict(original, verdict)
    if result.folder is not None and episode.folder.is_relative_to(run.folder.path):
        add_to_index(run.folder.path, entry.index_line)
    if result.verdict is not None:
        announce(item, "pytest_mobileagent_verdict", episode=episode, verdict=result.verdict)


def _reason(report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    if report.passed:
        return ""
    if call.excinfo is not None and isinstance(call.excinfo.value, BaseExceptionGroup):
        return in_one_line(call.excinfo.value)
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    words = str(crash.message if crash is not None else report.longrepr).strip()
    words = re.sub(r"^pytest_mobileagent\.[\w.]*\.(?=\w+: )", "", words)  # our exceptions' modules
    return words.removeprefix("UndecidedError: ")
