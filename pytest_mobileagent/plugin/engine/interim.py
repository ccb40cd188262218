"""Epochs that depend on those before: they wait for a look, and are dropped if nobody needs them.

With `--mobile-epochs=A..B` all B epochs of a task are tests. All but the first A wait until the
gate has looked at what came of those; only tasks that one of its open bounds covers go on. The
other tests count as deselected.
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

    Where there are no workers it keeps the order of tests, too; else the scheduler asks it.
    `results` are those of the run so far, by node id; `dropped` are the tests that are not needed.
    """

    def __init__(self, run: RunConfig, results: Mapping[str, Entry]) -> None:
        self.dropped: set[str] = set()
        self._run = run
        self._results = results
        self._ends = run.gate.looks.epochs  # after which epochs there is a look
        self._cases: Mapping[str, Case] = {}
        self._stages: Mapping[str, int] = {}  # for how many looks a test waits
        self._stage = 0  # the look that comes next; tests of epochs before it may run
        self._session: pytest.Session | None = None
        self._items: Mapping[str, pytest.Item] = {}  # none where workers have them
        self._decision: Decision | None = None
        self._has_looked = False  # at all that is done so far

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take in the tests of a run without workers, before it writes down what it will do."""
        self._items = {item.nodeid: item for item in session.items}
        cases = ((item.nodeid, case_of(item)) for item in session.items)
        self._take({nodeid: case for nodeid, case in cases if case is not None})

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self) -> None:
        """Take in the tests that the first worker has collected."""
        if not self._cases:
            from pytest_mobileagent.episode.runs import cases

            self._take({case.nodeid: case for case in cases(self._run.folder.path)})

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        """Let the tests that wait come last, where the tests run here."""
        self._session = session
        session.items.sort(key=lambda item: self._stage_of(item.nodeid))
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | pytest.Session | None
    ) -> bool | None:
        """Look when the last test has run that needs no look."""
        session = item.session
        if not isinstance(nextitem, pytest.Item) or not self.held([nextitem.nodeid]):
            return None
        run_before_pause(item)
        if not (session.shouldfail or session.shouldstop):
            dropped = self.look(self.held(each.nodeid for each in session.items))
            session.items[:] = [each for each in session.items if each.nodeid not in dropped]
        return True

    def held(self, tests: Iterable[str]) -> set[str]:
        """Return those tests, by node id, that wait for a look."""
        return {test for test in tests if self._stage_of(test) > self._stage}

    def look(self, tests: Iterable[str]) -> set[str]:
        """Look at what is done, and return which of the tests that wait are not needed.

        The others of the next epochs may run now. `tests` are all that wait.
        """
        waiting = set(tests)
        self._decision = decision = self._decide()
        self._has_looked = True
        dropped = {
            test for test in waiting if decision is None or not decision.wants(self._cases[test])
        }
        self._drop(dropped)
        if rest := waiting - dropped:
            self._stage = min(map(self._stage_of, rest))
            self._has_looked = False
        return dropped

    def end(self, whole: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a report of the run, which has ended, says of the gate and the baseline."""
        if not self._has_looked:
            self._decision = self._decide()
        said = {} if self._decision is None else {"gate": self._decision.to_wire()}
        try:
            comparison = self._run.gate.compare(whole["run"], whole["tasks"])
        except ValueError:  # all that both have was skipped
            comparison = None
        return said if comparison is None else {**said, "comparison": comparison}

    @property
    def decision(self) -> Decision | None:
        """What the gate said at the last look; None if there is no gate, or no look was due."""
        return self._decision

    def _drop(self, tests: set[str]) -> None:
        """Let tests count as deselected."""
        self.dropped |= tests
        config = self._run.config
        if self._session is not None:
            self._session.testscollected -= len(tests)  # of which pytest shows how many are done
        if items := [item for test, item in self._items.items() if test in tests]:
            config.hook.pytest_deselected(items=items)
        elif tests and (terminal := config.pluginmanager.get_plugin("terminalreporter")):
            # Other plugins look at all that is in there, as Hypothesis's does, and expect objects.
            named = [SimpleNamespace(nodeid=test) for test in sorted(tests)]
            terminal.stats.setdefault("deselected", []).extend(named)

    def _take(self, cases: Mapping[str, Case]) -> None:
        self._cases = cases
        self._stages = _stages(cases, self._ends)
        self._run.gate.check_cases(list(cases.values()))

    def _stage_of(self, test: str) -> int:
        return self._stages.get(test, 0)  # what is no task waits for nothing

    def _decide(self) -> Decision | None:
        """Return what the gate says of all that may have run so far.

        A result that is missing there cannot come any more.
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
    """Return how many looks each test waits for, where there are looks after some epochs.

    What counts is how many epochs of its task come before that are tests of this run, too: others
    may have been deselected.
    """
    by_task = defaultdict(list)
    for test, case in cases.items():
        by_task[case.id, case.environment].append((case.epoch, test))
    return {
        test: sum(before >= end for end in ends)
        for epochs in by_task.values()
        for before, (_, test) in enumerate(sorted(epochs))
    }
