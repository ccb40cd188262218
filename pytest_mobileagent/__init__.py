"""Benchmark tasks for mobile GUI agents, as pytest tests.

Public names are imported on first use, because pytest loads this package in every session and the
virtual phone loads it at every start.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent._task.case import Case
    from pytest_mobileagent._task.declaring import task, tasks
    from pytest_mobileagent._task.solution import (
        answer,
        ask_user,
        impossible,
        long_press,
        open_app,
        press,
        scroll,
        seen,
        swipe,
        tap,
        type_text,
        wait,
    )
    from pytest_mobileagent._task.table import Row, rows
    from pytest_mobileagent._task.task import Probe, Task
    from pytest_mobileagent._task.user import person, questions
    from pytest_mobileagent.action.action import (
        Action,
        Ask,
        DoubleTap,
        Finish,
        Impossible,
        Key,
        LongPress,
        Open,
        Raw,
        Scroll,
        Swipe,
        Tap,
        Type,
        Wait,
    )
    from pytest_mobileagent.agent.agent import Agent, Briefing, Reply, Scripted
    from pytest_mobileagent.agent.asking import EndpointAgent, ModelOptions, ask
    from pytest_mobileagent.agent.phone import EpisodeOver, Phone
    from pytest_mobileagent.agent.recorder import Recorder
    from pytest_mobileagent.check.episode import Episode, load
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.device.probes.log import log
    from pytest_mobileagent.device.probes.services import (
        activity,
        packages,
        prop,
        provider,
        setting,
        volume,
    )
    from pytest_mobileagent.device.probes.stored import file, files, preferences, sqlite
    from pytest_mobileagent.dialect.dialect import Decision, Dialect, DialectError, Frame
    from pytest_mobileagent.environment.clock import set_clock
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.observation import DeviceInfo, Observation, Reset
    from pytest_mobileagent.episode.record import Step, Termination
    from pytest_mobileagent.judge.question import subtask
    from pytest_mobileagent.llm.model import Image, Message, ModelReply, Tool, ToolCall
    from pytest_mobileagent.perception.marks import Mark
    from pytest_mobileagent.screen.element import Bounds, Element
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.verdict import Verdict

__version__ = "0.1.0"

# The module that defines each public name.
_HOMES = {
    "action.action": (
        "Action", "Ask", "DoubleTap", "Finish", "Impossible", "Key", "LongPress", "Open", "Raw",
        "Scroll", "Swipe", "Tap", "Type", "Wait",
    ),
    "agent.agent": ("Agent", "Briefing", "Reply", "Scripted"),
    "agent.phone": ("EpisodeOver", "Phone"),
    "agent.recorder": ("Recorder",),
    "dialect.dialect": ("Decision", "Dialect", "DialectError", "Frame"),
    "agent.asking": ("EndpointAgent", "ModelOptions", "ask"),
    "judge.question": ("subtask",),
    "llm.model": ("Image", "Message", "ModelReply", "Tool", "ToolCall"),
    "perception.marks": ("Mark",),
    "device.device": ("Device", "System"),
    "device.probes.log": ("log",),
    "device.probes.services": (
        "activity", "packages", "prop", "provider", "setting", "volume",
    ),
    "device.probes.stored": ("file", "files", "preferences", "sqlite"),
    "environment.clock": ("set_clock",),
    "episode.observation": ("DeviceInfo", "Observation", "Reset"),
    "episode.record": ("Step", "Termination"),
    "check.episode": ("Episode", "load"),
    "episode.calls": ("ModelCall",),
    "episode.event": ("Event",),
    "_task.declaring": ("task", "tasks"),
    "_task.table": ("Row", "rows"),
    "screen.element": ("Bounds", "Element"),
    "screen.screen": ("Screen",),
    "_task.case": ("Case",),
    "_task.task": ("Probe", "Task"),
    "verdict": ("Verdict",),
    "_task.solution": (
        "answer", "ask_user", "impossible", "long_press", "open_app", "press", "scroll", "seen",
        "swipe", "tap", "type_text", "wait",
    ),
    "_task.user": ("person", "questions"),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

# Spelled out for type checkers; a test compares it with the table above.
__all__ = [
    "Action", "Agent", "Ask", "Bounds", "Briefing", "Case", "Decision", "Device", "DeviceInfo",
    "Dialect", "DialectError", "DoubleTap", "Element", "EndpointAgent", "Episode", "EpisodeOver",
    "Event", "Finish", "Frame", "Image", "Impossible", "Key", "LongPress", "Mark", "Message",
    "ModelCall", "ModelOptions", "ModelReply", "Observation", "Open", "Phone", "Probe", "Raw",
    "Recorder", "Reply", "Reset", "Row", "Screen", "Scripted", "Scroll", "Step", "Swipe", "System",
    "Tap", "Task", "Termination", "Tool", "ToolCall", "Type", "Verdict", "Wait", "activity",
    "answer", "ask", "ask_user", "file", "files", "impossible", "load", "log", "long_press",
    "open_app", "packages", "person", "preferences", "press", "prop", "provider", "questions",
    "rows", "scroll", "seen", "set_clock", "setting", "sqlite", "subtask", "swipe", "tap", "task",
    "tasks", "type_text", "volume", "wait",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
