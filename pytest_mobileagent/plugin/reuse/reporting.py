"""Reports reused results as if their tests had just been run.

pytest imports this module in every session, so everything else is imported late.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pytest

from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.jsonable import printable, to_wire
from pytest_mobileagent.plugin.config import RUN
from pytest_mobileagent.plugin.items import case_of
from pytest_mobileagent.plugin.pytest_private import torn_down
from pytest_mobileagent.plugin.state import IS_REUSED, RESULT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.report.entry import Entry


_AS_CALLED = {"passed": "passed", "xpassed": "passed", "failed": "failed", "review": "skipped"}
_AS_CALLED |= {"xfailed": "skipped"}


def report_reused(item: pytest.Item, nextitem: pytest.Item | None) -> bool:
    """Report a test from its record instead of running it; return whether it has a record.

    No fixtures are set up, and no device is leased.
    """
    case = case_of(item)
    entry = None if case is None else item.config.stash[RUN].earlier.plan_for(case).entry
    if case is None or entry is None:
        return False
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports(item, nextitem, _with_episode(item.config.stash[RUN], case, entry)):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _with_episode(run: RunConfig, case: Case, entry: Entry) -> Entry:
    """Copy the episode of a result into this run's folder, and return the updated entry."""
    episode = entry.episode
    if run.earlier.source is None or not episode:
        return entry
    from pytest_mobileagent.episode.runs import IndexLine, append

    try:
        folder = run.earlier.take_over(episode, run.folder, run.relay)
        if folder is None:
            return replace(entry, episode=None)
        name = run.folder.relative(folder)
        append(run.folder.path, IndexLine(case.key, entry.attempt or 0, name, entry.outcome))
    except HostError as error:
        return replace(
            entry,
            outcome="error",
            success=None,
            fault="infrastructure",
            verdict=None,
            reason=f"infrastructure: {error}",
            episode=None,
        )
    return replace(entry, episode=name)


def _reports(
    item: pytest.Item, nextitem: pytest.Item | None, entry: Entry
) -> Iterator[pytest.TestReport]:
    from pytest_mobileagent.plugin.outputs.reporters import properties

    item.user_properties.extend(properties(entry))
    called = _AS_CALLED.get(entry.outcome)
    if called is not None:
        yield _report(item, "setup", "passed")
    decides = _report(item, "setup" if called is None else "call", called or _at_setup(entry))
    decides.duration = entry.seconds or 0.0
    decides.longrepr = _longrepr(item, decides, entry)
    if entry.outcome in {"xfailed", "xpassed"}:
        decides.wasxfail = _expected_to_fail(item) or entry.reason
    setattr(decides, RESULT, to_wire(entry))
    yield decides
    report = torn_down(item, nextitem)
    setattr(report, IS_REUSED, True)
    yield report


def _at_setup(entry: Entry) -> Literal["failed", "skipped"]:
    return "failed" if entry.outcome == "error" else "skipped"


def _report(item: pytest.Item, when: Any, outcome: Any) -> pytest.TestReport:
    report = pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords=dict.fromkeys(item.keywords, 1),
        outcome=outcome,
        longrepr=None,
        when=when,
        user_properties=item.user_properties,
    )
    setattr(report, IS_REUSED, True)
    return report


def _longrepr(item: pytest.Item, report: pytest.TestReport, entry: Entry) -> Any:
    """Return what pytest displays about a reused result, in the words of the earlier run."""
    reason, outcome = printable(entry.reason or ""), entry.outcome
    if report.outcome == "skipped":
        words = {"review": f"review: {reason}", "xfailed": reason}.get(
            outcome, f"Skipped: {reason}"
        )
        return (str(item.path), (item.location[1] or 0) + 1, words)
    if report.outcome == "passed":
        return None
    if entry.success:  # a strict xfail that passed, which counts as failed
        from pytest_mobileagent.plugin.bodies import STRICT

        return f"{STRICT} {_expected_to_fail(item)}"
    if outcome == "failed" and entry.episode:
        _show_failure(item, report, entry)
    return report.longrepr or reason or "the record gives no reason"


def _expected_to_fail(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xfail")
    return "" if marker is None else str(marker.kwargs.get("reason", ""))


def _show_failure(item: pytest.Item, report: pytest.TestReport, entry: Entry) -> None:
    from pytest_mobileagent.check.episode import load
    from pytest_mobileagent.plugin.bodies import is_pure
    from pytest_mobileagent.plugin.outputs.reporters import show_failure
    from pytest_mobileagent.verdict import Verdict

    try:
        episode = load(item.config.stash[RUN].folder.path / (entry.episode or ""))
        verdict = Verdict.from_json(entry.verdict or {})
    except (RecordError, HostError, LookupError, TypeError, ValueError):
        return  # only the reason is displayed
    pure = isinstance(item, pytest.Function) and is_pure(item)
    show_failure(item, report, episode, verdict, on_the_way=pure)
