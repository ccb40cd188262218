"""How a run ends: its exit status, and why it ended before all was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

TOO_MUCH_BROKE = 9  # the exit status of a run that --mobile-max-infra ended
NOTHING_DECIDED = pytest.ExitCode.NO_TESTS_COLLECTED  # 5
_DECIDED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
_AS_THEY_ARE = (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)


@dataclass(frozen=True, slots=True)
class Ending:
    """What decides on the exit status, besides pytest.

    - `too_much_broke`: whether `--mobile-max-infra` ended the run.
    - `budget_is_spent`: whether `--mobile-max-cost` or `--mobile-max-tokens` ended it.
    - `is_incomplete`: whether a selected test has no result.
    - `only_decided_failures`: whether all that failed are tasks that were decided, and
      `--mobile-exit=run` lets them pass.
    - `only_skips`: whether the run was of tasks only, and each was skipped.
    - `gate`: the status that the gate gives; None without a gate.
    - `others_failed`: whether a test failed, or has no result, that is no task.
    """

    too_much_broke: bool = False
    budget_is_spent: bool = False
    is_incomplete: bool = False
    only_decided_failures: bool = False
    only_skips: bool = False
    gate: int | None = None
    others_failed: bool = False

    def status(self, given: int) -> int:
        """Return the exit status of a run for which pytest gives another, or the same."""
        if given in _AS_THEY_ARE:
            return given
        if self.too_much_broke:
            return TOO_MUCH_BROKE
        if self.budget_is_spent:
            return pytest.ExitCode.INTERRUPTED
        if self.gate is not None and given in _DECIDED:
            return self.gate or int(self.others_failed)
        return self._of_tests(given)

    def _of_tests(self, given: int) -> int:
        if given == pytest.ExitCode.TESTS_FAILED and self.only_decided_failures:
            given = pytest.ExitCode.OK
        if given == pytest.ExitCode.OK and self.is_incomplete:
            return pytest.ExitCode.TESTS_FAILED
        if given == pytest.ExitCode.OK and self.only_skips:
            return NOTHING_DECIDED
        return given


def why_it_ended(session: pytest.Session, status: int) -> str:
    """Return why a run ended before all of its tests were done, in words."""
    distribution = session.config.pluginmanager.get_plugin("dsession")
    told: Sequence[Any] = (
        session.shouldstop,
        session.shouldfail,
        getattr(distribution, "shouldstop", ""),
        getattr(distribution, "_summary_report", ""),  # too many workers crashed
    )
    for why in told:
        if isinstance(why, str) and why:
            return why
    if status == pytest.ExitCode.INTERRUPTED:
        return "the run was interrupted"
    return "its result was lost"
