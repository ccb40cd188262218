"""Checks: predicates over recorded episodes, which test bodies use to decide a task.

Public names such as `check.aitw` are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent.action.matching import Golden, Match
    from pytest_mobileagent.action.matching.agentcpm import cagui
    from pytest_mobileagent.action.matching.aitw_aitz import aitw, aitz
    from pytest_mobileagent.action.matching.androidcontrol_odyssey import androidcontrol, odyssey
    from pytest_mobileagent.action.matching.graph_mobile_bench import mobile_bench
    from pytest_mobileagent.check.golden import compare, matches
    from pytest_mobileagent.check.states import essential, essential_states

__getattr__ = lazy_names(__name__)

__all__ = [
    "Golden", "Match", "aitw", "aitz", "androidcontrol", "cagui", "compare", "essential",
    "essential_states", "matches", "mobile_bench", "odyssey",
]  # fmt: skip
