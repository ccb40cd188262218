"""Plays agents on a phone in memory, with the replies of a scripted model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.testing import MemoryPhone, ScriptedModel, make_screen, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Agent, Episode


# Python 3.11 sometimes fails to compile a module that is first imported deep inside a test.
importlib.import_module("pytest_mobileagent.program.endpoints")


def notes_phone() -> MemoryPhone:
    """Return a phone whose home screen opens an app by "Notes"; screens differ in their grey."""
    return MemoryPhone(
        {"home": make_screen("Clock", "Notes", shade=200), "notes": make_screen("Save", shade=100)},
        links={("home", "Notes"): "notes"},
        apps=["com.android.deskclock"],
    )


def player(
    agent: type[Agent],
    task: str = "Count the notes.",
    phone: Callable[[], MemoryPhone] = notes_phone,
) -> Callable[..., tuple[Episode, ScriptedModel]]:
    """Return a function that plays the agent with replies; it returns the episode and the model."""

    def work(replies: list[Any], **given: Any) -> tuple[Episode, ScriptedModel]:
        model = ScriptedModel(replies)
        given.setdefault("phone", phone())
        return play(agent, given.pop("task", task), model=model, **given), model

    return work
