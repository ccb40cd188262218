"""Did it work: test bodies as predicates over episodes.

What authors of tasks ask for by name, `check.aitw` say, is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.action.matching.agentcpm import cagui
    from pytest_mobileagent.action.matching.aitw import aitw
    from pytest_mobileagent.action.matching.aitz import aitz
    from pytest_mobileagent.action.matching.androidcontrol import androidcontrol
    from pytest_mobileagent.action.matching.golden import Golden, Match
    from pytest_mobileagent.action.matching.mobile_bench import mobile_bench
    from pytest_mobileagent.action.matching.odyssey import odyssey
    from pytest_mobileagent.check.matching import matches
    from pytest_mobileagent.check.states import essential, essential_states

_HOME = {
    "Golden": "action.matching.golden",
    "Match": "action.matching.golden",
    "aitw": "action.matching.aitw",
    "aitz": "action.matching.aitz",
    "androidcontrol": "action.matching.androidcontrol",
    "cagui": "action.matching.agentcpm",
    "essential": "check.states",
    "essential_states": "check.states",
    "matches": "check.matching",
    "mobile_bench": "action.matching.mobile_bench",
    "odyssey": "action.matching.odyssey",
}

# Spelled out for type checkers; a test compares it with the table above.
__all__ = [
    "Golden", "Match", "aitw", "aitz", "androidcontrol", "cagui", "essential",
    "essential_states", "matches", "mobile_bench", "odyssey",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"pytest_mobileagent.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
