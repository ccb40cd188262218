"""Benchmark tasks for mobile GUI agents, as pytest tests.

What is public is imported when it is first asked for: pytest loads this package in every session,
and the virtual phone at every start.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.action.action import (
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
    from pytest_mobileagent.agent.agent import Agent, Reply, Usage
    from pytest_mobileagent.agent.scripted import Scripted
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.device.probe import Probe, files, setting, sqlite
    from pytest_mobileagent.episode.device_info import DeviceInfo
    from pytest_mobileagent.episode.episode import Episode, Step, Termination
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.reset import Reset
    from pytest_mobileagent.episode.store import load
    from pytest_mobileagent.plugin.items import task
    from pytest_mobileagent.screen.element import Bounds, Element
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.task.solution import (
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

__version__ = "0.1.0"

# Where each public name is found.
_HOMES = {
    "action.action": (
        "Action", "Ask", "DoubleTap", "Finish", "Impossible", "Key", "LongPress", "Open",
        "Scroll", "Swipe", "Tap", "Type", "Wait",
    ),
    "agent.agent": ("Agent", "Reply", "Usage"),
    "agent.scripted": ("Scripted",),
    "device.device": ("Device", "System"),
    "device.probe": ("Probe", "files", "setting", "sqlite"),
    "episode.device_info": ("DeviceInfo",),
    "episode.episode": ("Episode", "Step", "Termination"),
    "episode.event": ("Event",),
    "episode.reset": ("Reset",),
    "episode.store": ("load",),
    "plugin.items": ("task",),
    "screen.element": ("Bounds", "Element"),
    "screen.screen": ("Screen",),
    "task.solution": (
        "answer", "impossible", "long_press", "open_app", "press", "scroll", "seen", "tap",
        "type_text", "wait",
    ),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605 - the table above says each name once


class _Package(ModuleType):
    """This package: the function `task` wins over the room of the same name.

    Importing that room binds its name here, as importing any submodule does.
    """

    @property
    def task(self) -> Any:
        return __getattr__("task")

    @task.setter
    def task(self, room: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
