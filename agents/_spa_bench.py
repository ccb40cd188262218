"""The treatment of the keyboard in SPA-Bench's programs for CogAgent and OdysseyAgent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent import Type
from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.perception import keyboard_is_shown

if TYPE_CHECKING:
    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Reply

_SHOWN = "keyboard is activated"
_HIDDEN = (
    "keyboard is not activated, so the text input box has to be tapped before text can be typed."
)


def keyboard_note(screen: Screen) -> str:
    """Return the prompt's note on the keyboard.

    Source: SPA-Bench (framework/models/*/task_executor.py); the wording is our own.
    """
    return _SHOWN if keyboard_is_shown(screen) else _HIDDEN


def check_typing(reply: Reply, screen: Screen) -> None:
    """Raise an error, like SPA-Bench's error 2, if text would be typed without a keyboard.

    Raises:
        AgentError: if text would be typed without a keyboard.
    """
    typing = any(isinstance(action, Type) for action in reply.actions)
    if typing and not keyboard_is_shown(screen):
        raise AgentError("text would be typed before a text field was tapped")
