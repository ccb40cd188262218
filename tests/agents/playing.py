"""Playing an agent on a phone in memory, with the replies of a scripted model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.testing import MemoryPhone, ScriptedModel, make_screen, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Agent, Episode


# Python 3.11 fails to compile, now and then, what is first imported deep inside of a test.
importlib.import_module("pytest_mobileagent.program.endpoints")


def notes_phone() -> MemoryPhone:
    """Return a phone with a home screen from which "Notes" opens an app, each in its own grey."""
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
    """Return a function that plays the agent with some replies, and returns the model, too."""

    def work(replies: list[Any], **given: Any) -> tuple[Episode, ScriptedModel]:
        model = ScriptedModel(replies)
        given.setdefault("phone", phone())
        return play(agent, given.pop("task", task), model=model, **given), model

    return work
