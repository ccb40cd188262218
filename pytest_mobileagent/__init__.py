"""Benchmark tasks for mobile GUI agents, as pytest tests.

What is public is imported when it is first asked for: pytest loads this package in every session,
and the virtual phone at every start.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.action import (
        Action,
        Ask,
        DoubleTap,
        Finish,
        Impossible,
        Key,
        LongPress,
        Open,
        Scroll,
        Swipe,
        Tap,
        Type,
        Wait,
    )
    from pytest_mobileagent.action.solution import (
        answer,
        impossible,
        long_press,
        open_app,
        press,
        scroll,
        seen,
        tap,
        type_text,
        wait,
    )
    from pytest_mobileagent.agent import Agent, Reply, Usage
    from pytest_mobileagent.agent.scripted import Scripted
    from pytest_mobileagent.device import Device, DeviceInfo, Event, Probe, files, setting, sqlite
    from pytest_mobileagent.episode import Episode, Step, Termination, load
    from pytest_mobileagent.items import task
    from pytest_mobileagent.screen import Bounds, Element, Screen

__version__ = "0.1.0"

__all__ = [
    "Action", "Agent", "Ask", "Bounds", "Device", "DeviceInfo", "DoubleTap", "Element",
    "Episode", "Event", "Finish", "Impossible", "Key", "LongPress", "Open", "Probe", "Reply",
    "Screen", "Scripted", "Scroll", "Step", "Swipe", "Tap", "Termination", "Type", "Usage",
    "Wait", "answer", "files", "impossible", "load", "long_press", "open_app", "press",
    "scroll", "seen", "setting", "sqlite", "tap", "task", "type_text", "wait",
]  # fmt: skip

# Where the names above are looked for, the lightest first.
_ROOMS = (
    "items", "screen", "action", "action.solution", "agent", "agent.scripted", "device", "episode",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        for room in _ROOMS:
            module = importlib.import_module(f"{__name__}.{room}")
            if hasattr(module, name):
                return getattr(module, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
