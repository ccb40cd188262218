"""Benchmark tasks for mobile GUI agents, as pytest tests.

Public names are imported on first use, because pytest loads this package in every session and the
virtual phone loads it at every start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent._task import Probe, Task
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
    from pytest_mobileagent._task.user import person, questions
    from pytest_mobileagent.action import (
        Action,
        Ask,
        Finish,
        Impossible,
        Key,
        Open,
        Raw,
        Type,
        Wait,
    )
    from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Scroll, Swipe, Tap
    from pytest_mobileagent.agent.agent import Agent, Briefing, Reply, Scripted
    from pytest_mobileagent.agent.asking import EndpointAgent, ModelOptions, ask
    from pytest_mobileagent.agent.phone import EpisodeOver, Phone
    from pytest_mobileagent.agent.recorder import Recorder
    from pytest_mobileagent.check.episode import Episode, load
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.device.probes.services import (
        activity,
        log,
        packages,
        prop,
        provider,
        setting,
        volume,
    )
    from pytest_mobileagent.device.probes.stored import file, files, preferences, sqlite
    from pytest_mobileagent.dialect.dialect import Decision, Dialect, Frame
    from pytest_mobileagent.dialect.parts import DialectError
    from pytest_mobileagent.environment.apply import set_clock
    from pytest_mobileagent.episode import Step, Termination
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.observation import DeviceInfo, Observation, Reset
    from pytest_mobileagent.judge.question import subtask
    from pytest_mobileagent.llm.model import Image, Message, ModelReply, Tool, ToolCall
    from pytest_mobileagent.perception.marks import Mark
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.element import Bounds, Element
    from pytest_mobileagent.verdict import Verdict

__version__ = "0.1.0"

__getattr__ = lazy_names(__name__)

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
