"""Did it work: test bodies as predicates over episodes.

What authors of tasks ask for by name, `check.aitw` say, is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.check.matching.agentcpm import cagui
    from pytest_mobileagent.check.matching.aitw import aitw
    from pytest_mobileagent.check.matching.aitz import aitz
    from pytest_mobileagent.check.matching.androidcontrol import androidcontrol
    from pytest_mobileagent.check.matching.episode import matches
    from pytest_mobileagent.check.matching.golden import Golden, Match
    from pytest_mobileagent.check.matching.mobile_bench import mobile_bench
    from pytest_mobileagent.check.matching.odyssey import odyssey
    from pytest_mobileagent.check.states import essential, essential_states

_HOME = {
    "Golden": "matching.golden",
    "Match": "matching.golden",
    "aitw": "matching.aitw",
    "aitz": "matching.aitz",
    "androidcontrol": "matching.androidcontrol",
    "cagui": "matching.agentcpm",
    "essential": "states",
    "essential_states": "states",
    "matches": "matching.episode",
    "mobile_bench": "matching.mobile_bench",
    "odyssey": "matching.odyssey",
}

# Spelled out for type checkers; a test compares it with the table above.
__all__ = [
    "Golden", "Match", "aitw", "aitz", "androidcontrol", "cagui", "essential",
    "essential_states", "matches", "mobile_bench", "odyssey",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
