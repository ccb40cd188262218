"""Did it work: test bodies as predicates over episodes.

What authors of tasks ask for by name, `check.aitw` say, is imported when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.check.states import essential, essential_states

_HOME = {
    "essential": "states",
    "essential_states": "states",
}

# Spelled out for type checkers; a test compares it with the table above.
__all__ = ["essential", "essential_states"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
