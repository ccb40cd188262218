"""Interim analyses, on which further epochs depend: they are run if needed, and else dropped.

With `--mobile-epochs=A..B` all B epochs of a task are tests. All but the first A wait until the
gate has been asked about the results so far. Tasks that are covered by a bound that it leaves
undecided go on; the other tests count as deselected.
"""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.engine.deferring import run_before_pause
from pytest_mobileagent.plugin.items import case_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from pytest_mobileagent.plugin.config import RunConfig
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.gate.decide import Decision
    from pytest_mobileagent.task.case import Case


class InterimAnalyses:
    """A plugin of the process that owns a run with a gate or a baseline.

    Without workers it also orders the tests; with workers the scheduler asks it. `results` are
    those of the run so far, by node id; `dropped` are the tests that are not needed.
    """

    def __init__(self, run: RunConfig, results: Mapping[str, Entry]) -> None:
        self.dropped: set[str] = set()
        self._run = run
        self._results = results
        self._ends = run.gate.analyses.epochs  # after which epochs there is an analysis
        self._cases: Mapping[str, Case] = {}
        self._stages: Mapping[str, int] = {}  # for how many analyses a test waits
        self._stage = 0  # the next analysis; tests of the epochs before it may run
        self._session: pytest.Session | None = None
        self._items: Mapping[str, pytest.Item] = {}  # empty if workers have them
        self._decision: Decision | None = None
        self._is_analysed = False  # all that is done so far

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Receive the tests of a run without workers, before run.json lists them."""
        self._items = {item.nodeid: item for item in session.items}
        cases = ((item.nodeid, case_of(item)) for item in session.items)
        self._take({nodeid: case for nodeid, case in cases if case is not None})

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Receive the tests that the first worker has collected."""
        if not self._cases:
            from pytest_mobileagent.episode.runs import cases

            self._take({case.nodeid: case for case in cases(self._run.folder.path)})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Put the tests that wait last, if tests are run in this process."""
        self._session = session
        session.items.sort(key=lambda item: self._stage_of(item.nodeid))
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Make an analysis after the last test that waits for none."""
        session = item.session
        if not isinstance(nextitem, pytest.Item) or not self.held([nextitem.nodeid]):
            return None
        run_before_pause(item)
        if not (session.shouldfail or session.shouldstop):
            dropped = self.analyse(self.held(each.nodeid for each in session.items))
            session.items[:] = [each for each in session.items if each.nodeid not in dropped]
        return True

    def held(self, tests: Iterable[str]) -> set[str]:
        """Return those tests, by node id, that wait for an analysis."""
        return {test for test in tests if self._stage_of(test) > self._stage}

    def analyse(self, tests: Iterable[str]) -> set[str]:
        """Ask the gate about what is done, and return which of the waiting tests are not needed.

        The others of the next epochs may run now. `tests` are all those that wait.
        """
        waiting = set(tests)
        self._decision = decision = self._decide()
        self._is_analysed = True
        dropped = {
            test for test in waiting if decision is None or not decision.wants(self._cases[test])
        }
        self._drop(dropped)
        if rest := waiting - dropped:
            self._stage = min(map(self._stage_of, rest))
            self._is_analysed = False
        return dropped

    def end(self, whole: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the report says of the gate and the baseline once the run has ended."""
        if not self._is_analysed:
            self._decision = self._decide()
        gate = {} if self._decision is None else {"gate": self._decision.to_wire()}
        try:
            comparison = self._run.gate.compare(whole["run"], whole["tasks"], in_full=True)
        except ValueError:  # all tasks that both runs have were skipped
            comparison = None
        return gate if comparison is None else {**gate, "comparison": comparison}

    def _drop(self, tests: set[str]) -> None:
        """Count tests as deselected."""
        self.dropped |= tests
        config = self._run.config
        if self._session is not None:
            self._session.testscollected -= len(tests)  # pytest displays the share that is done
        if items := [item for test, item in self._items.items() if test in tests]:
            config.hook.pytest_deselected(items=items)
        elif tests and (terminal := config.pluginmanager.get_plugin("terminalreporter")):
            # Other plugins, such as Hypothesis's, read the node ids of all that is listed there.
            named = [SimpleNamespace(nodeid=test) for test in sorted(tests)]
            terminal.stats.setdefault("deselected", []).extend(named)

    def _take(self, cases: Mapping[str, Case]) -> None:
        self._cases = cases
        self._stages = _stages(cases, self._ends)
        self._run.gate.check_cases(list(cases.values()))

    def _stage_of(self, test: str) -> int:
        return self._stages.get(test, 0)  # a test that is not a task waits for nothing

    def _decide(self) -> Decision | None:
        """Return the gate's decision on all tests that may have run so far.

        A result of these that is missing will not come any more: it was lost.
        """
        from pytest_mobileagent.report.result import Result

        results, dropped = self._results, self.dropped
        tasks = [result for test, result in results.items() if self._stage_of(test) <= self._stage]
        tasks += [
            Result(case, fault="infrastructure", reason="its result was lost").to_wire()
            for test, case in self._cases.items()
            if test not in results and test not in dropped and self._stage_of(test) <= self._stage
        ]
        return self._run.gate.decide(tasks, self._stage, self._decision)


def _stages(cases: Mapping[str, Case], ends: Sequence[int]) -> dict[str, int]:
    """Return for how many analyses each test waits, given after which epochs there are some.

    An epoch counts only if it is a test of this run: others may have been deselected.
    """
    by_task = defaultdict(list)
    for test, case in cases.items():
        by_task[case.id, case.environment].append((case.epoch, test))
    return {
        test: sum(before >= end for end in ends)
        for epochs in by_task.values()
        for before, (_, test) in enumerate(sorted(epochs))
    }
