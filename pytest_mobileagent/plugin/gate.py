"""The gate of a run, and the earlier run that is its baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.plugin.settings import (
    as_usage_error,
    base_of,
    leaves_distribution,
    usage_error,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent.plugin.context import RunContext
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.gate.decide import GateDecision
    from pytest_mobileagent.report.gate.rule import InterimAnalyses
    from pytest_mobileagent.report.gate.spec import Gate
    from pytest_mobileagent.report.recorded_run import RecordedRun

GATE, BASELINE, EPOCHS = "mobile-gate", "mobile-baseline", "mobile-epochs"


class RunGate:
    """The gate and the baseline of a run, if it has any, and when the gate is evaluated."""

    def __init__(self, context: RunContext) -> None:
        self._run = context
        self._config, self._settings = context.config, context.settings
        self.gate: Gate | None = None
        self.baseline: RecordedRun | None = None

    @property
    def is_asked(self) -> bool:
        """Whether the run has a gate, a baseline or both; valid once `check` has read them."""
        return self.gate is not None or self.baseline is not None

    @property
    def has_analyses(self) -> bool:
        """Whether interim analyses decide on further epochs; False if episodes are not made."""
        epochs = self._settings[EPOCHS].value
        return epochs.least < epochs.most and self._run.earlier.makes_episodes

    @property
    def analyses(self) -> InterimAnalyses:
        """The numbers of epochs after which the gate is evaluated."""
        from pytest_mobileagent.report.gate.rule import interim_analyses

        epochs = self._settings[EPOCHS].value
        return interim_analyses(epochs.least if self.has_analyses else epochs.most, epochs.most)

    def check(self) -> None:
        """Read the gate and the baseline, before anything is started.

        Raises:
            pytest.UsageError: if one of them cannot be read, or they do not fit together.
        """
        if self._settings[GATE].is_given:
            self.gate = self._read_gate()
        if self._settings[BASELINE].is_given:
            self.baseline = self._read_baseline()
        if self.gate is not None and self.gate.needs_baseline and self.baseline is None:
            what = ": it has a bound against the baseline; name that run by --mobile-baseline=RUN"
            raise usage_error(self._settings[GATE], what)
        if self.has_analyses:
            self._check_analyses()

    def check_cases(self, cases: Sequence[Case]) -> None:
        """Check that the gate and the baseline apply to the cases of this run.

        Raises:
            pytest.UsageError: if the gate names a task, a suite or a tag that neither run has, or
                the two runs have no task in common.
        """
        if not cases:
            return
        from pytest_mobileagent.report.comparison.compare import check_cases as check_overlap
        from pytest_mobileagent.report.gate.spec import check_names

        if self.gate is not None:
            before = None if self.baseline is None else self.baseline.tasks
            with as_usage_error(ValueError, self._settings[GATE]):
                check_names(self.gate, cases, before)
        if self.baseline is not None:
            with as_usage_error(ValueError, self._settings[BASELINE]):
                check_overlap(self.baseline, self._run.folder.path, cases)

    def decide(
        self, tasks: Sequence[Entry], analysis: int, before: GateDecision | None
    ) -> GateDecision | None:
        """Return the gate's decision on the entries of a report; None without a gate.

        `analysis` is the number of the interim analysis, from 0; `before` is the previous decision.
        """
        if self.gate is None:
            return None
        from pytest_mobileagent.report.gate.decide import decide
        from pytest_mobileagent.report.gate.missing import is_same_selection

        baseline, same_selection = None, False
        if self.baseline is not None:
            baseline = self.baseline.tasks
            same_selection = is_same_selection(self._run.folder.about(), self.baseline.about)
        given = self.gate, tasks, baseline, self.analyses, analysis
        return decide(*given, before=before, same_selection=same_selection)

    def compare(self, about: Mapping[str, Any], tasks: Sequence[Entry]) -> dict[str, Any] | None:
        """Return how the run's report differs from the baseline; None without a baseline.

        It also says where the episodes of lost and gained tasks diverge.

        Raises:
            ValueError: if the runs have no task in common.
        """
        if self.baseline is None:
            return None
        from pytest_mobileagent.report.comparison.compare import compare
        from pytest_mobileagent.report.comparison.episode_pairs import with_episode_pairs
        from pytest_mobileagent.report.recorded_run import RecordedRun

        this = RecordedRun(self._run.folder.path, about, tasks, has_ended=True)
        return with_episode_pairs(compare(self.baseline, this), self.baseline, this)

    def _read_gate(self) -> Gate:
        from pytest_mobileagent.report.gate.spec import read_gate

        setting = self._settings[GATE]
        with as_usage_error(ValueError, setting):
            return read_gate(setting.value, base_of(self._config, setting))

    def _read_baseline(self) -> RecordedRun:
        from pytest_mobileagent.report.recorded_run import find_run, recorded_run

        setting = self._settings[BASELINE]
        with as_usage_error((RecordError, OSError, ValueError), setting):
            baseline = recorded_run(find_run(self._run.path_of(setting)))
        if baseline.folder == self._run.folder.path.resolve():
            what = f": {baseline.folder} is the run that is resumed; name another one"
            raise usage_error(setting, what)
        if not baseline.tasks:
            raise usage_error(setting, f": {baseline.folder} has no task to compare with")
        return baseline

    def _check_analyses(self) -> None:
        setting = self._settings[EPOCHS]
        what, dist = "", getattr(self._config.option, "dist", "no")
        if self._settings["mobile-shard"].is_given:
            what = " cannot be combined with --mobile-shard, which runs only a part of the tasks: "
            what += "give a number, then `merge` the shards, and `compare --gate` the whole"
        elif self.gate is None or not self.gate.needs_baseline:
            what = " runs epochs until a bound against the baseline is decided, and there is none: "
            if self._settings["mobile-resume"].is_given:
                what += "give the --mobile-gate and --mobile-baseline that the run was begun with"
            else:
                what += 'give --mobile-gate="success_rate >= baseline" and --mobile-baseline=RUN, '
                what += "or a number"
        elif dist != "no" and not leaves_distribution(self._config):
            what = " decides between epochs which tests continue, but --dist leaves that to "
            what += "pytest-xdist: leave out --dist, or give a number"
        if what:
            raise usage_error(setting, what)
