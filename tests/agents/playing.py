"""Plays agents on a phone in memory, with the replies of a scripted model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.agent.registry import find_agent, shipped_agents
from pytest_mobileagent.testing import FakePhone, MemoryPhone, ScriptedModel, make_screen, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Action, Device, Episode, Task


# Python 3.11 sometimes fails to compile a module that is first imported deep inside a test.
importlib.import_module("pytest_mobileagent.program.endpoints")

HOME = ("Clock", "Notes")
APPS = ("com.android.deskclock",)


def shipped(name: str) -> Any:
    """Return the class of an agent that is shipped."""
    return find_agent(name, (shipped_agents(),)).load()


def notes_phone(*page: Any, home: Any = HOME, apps: Any = APPS, **screen: Any) -> MemoryPhone:
    """Return a phone whose home screen opens an app by "Notes"; screens differ in their grey."""
    pages = {
        "home": make_screen(*home, shade=200, **screen),
        "notes": make_screen(*(page or ["Save"]), shade=100, **screen),
    }
    return MemoryPhone(pages, links={("home", "Notes"): "notes"}, apps=apps)


def player(
    agent: str, task: str = "Count the notes.", phone: Callable[[], Device] = notes_phone
) -> Callable[..., tuple[Episode, ScriptedModel]]:
    """Return a function that plays the agent with replies; it returns the episode and the model.

    It plays on a phone of the kind given here, or on one that shows the screens given to it.
    """

    def work(
        replies: list[Any], *screens: Any, task: Task | str = task, **given: Any
    ) -> tuple[Episode, ScriptedModel]:
        model = ScriptedModel(replies)
        given.setdefault("phone", FakePhone(screens) if screens else phone())
        return play(shipped(agent), task, model=model, **given), model

    return work


def acted(episode: Episode) -> list[Action | None]:
    """Return the first action of each step; None for a step without one."""
    return [step.action for step in episode.steps]


def did(episode: Episode) -> list[tuple[Action, ...]]:
    """Return all actions of each step."""
    return [step.actions for step in episode.steps]
