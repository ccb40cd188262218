"""The interface for authors of agents: agents, what they are given, and how they use models.

An agent subclasses `Agent`, or `EndpointAgent` if it is one model with a prompt. Actions, screens
and elements are in `pytest_mobileagent` itself, the formats in which models express actions are in
`.dialect`, and representations of screens for models are in `.perception`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent._task.solution import Move
    from pytest_mobileagent.agent.agent import Agent, Briefing, Endpoint, KnowsTask, Reply, Scripted
    from pytest_mobileagent.agent.asking import (
        EndpointAgent,
        ModelOptions,
        Turn,
        ask,
        given_up,
        goal_at,
        instead,
        opened,
    )
    from pytest_mobileagent.agent.options import BadOptionError, make_options
    from pytest_mobileagent.agent.phone import EpisodeOver, Phone
    from pytest_mobileagent.agent.recorder import Recorder
    from pytest_mobileagent.dialect.dialect import Decision
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.observation import DeviceInfo, Observation
    from pytest_mobileagent.episode.published import (
        NOT_SENT,
        TASKS_LIMIT,
        UNTIL_IT_RESTS,
        PublishedSettings,
        Stated,
    )
    from pytest_mobileagent.llm.model import (
        CompletionOptions,
        Image,
        Message,
        Model,
        ModelReply,
        ModelUnavailable,
        Tool,
        ToolCall,
    )
    from pytest_mobileagent.llm.prices import text_tokens

__getattr__ = lazy_names(__name__)

__all__ = [
    "NOT_SENT", "TASKS_LIMIT", "UNTIL_IT_RESTS", "Agent", "BadOptionError", "Briefing",
    "CompletionOptions", "Decision", "DeviceInfo", "Endpoint", "EndpointAgent", "EpisodeOver",
    "Image", "KnowsTask", "Message", "Model", "ModelCall", "ModelOptions", "ModelReply",
    "ModelUnavailable", "Move", "Observation", "Phone", "PublishedSettings", "Recorder", "Reply",
    "Scripted", "Stated", "Tool", "ToolCall", "Turn", "ask", "given_up", "goal_at", "instead",
    "make_options", "opened", "text_tokens",
]  # fmt: skip
