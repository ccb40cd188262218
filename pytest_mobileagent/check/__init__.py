"""Checks: predicates over recorded episodes, which test bodies use to decide a task.

Public names such as `check.aitw` are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import LazyNames

if TYPE_CHECKING:
    from pytest_mobileagent.action.matching import Golden, Match
    from pytest_mobileagent.action.matching.agentcpm import cagui
    from pytest_mobileagent.action.matching.aitw import aitw
    from pytest_mobileagent.action.matching.aitz import aitz
    from pytest_mobileagent.action.matching.androidcontrol import androidcontrol
    from pytest_mobileagent.action.matching.mobile_bench import mobile_bench
    from pytest_mobileagent.action.matching.odyssey import odyssey
    from pytest_mobileagent.check.golden import compare, matches
    from pytest_mobileagent.check.states import essential, essential_states

__getattr__ = LazyNames(
    __name__,
    {
        "action.matching.agentcpm": ("cagui",),
        "action.matching.aitw": ("aitw",),
        "action.matching.aitz": ("aitz",),
        "action.matching.androidcontrol": ("androidcontrol",),
        "action.matching": ("Golden", "Match"),
        "action.matching.mobile_bench": ("mobile_bench",),
        "action.matching.odyssey": ("odyssey",),
        "check.golden": ("compare", "matches"),
        "check.states": ("essential", "essential_states"),
    },
)  # fmt: skip

# Spelled out for type checkers; a test compares it with the table above.
__all__ = [
    "Golden", "Match", "aitw", "aitz", "androidcontrol", "cagui", "compare", "essential",
    "essential_states", "matches", "mobile_bench", "odyssey",
]  # fmt: skip
