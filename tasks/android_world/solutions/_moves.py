"""Moves that only some of AndroidWorld's tasks need."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import Finish, answer, tap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.screen import Screen


def dismiss(**criteria: Any) -> Any:
    """Tap what meets the criteria, as long as the screen shows it, which may be never."""
    return replace(tap(**criteria), done=lambda scene: not scene.has(criteria))


def tell(words: Callable[[Sequence[Screen]], str]) -> Any:
    """Finish with the words that a function makes of the screens so far."""
    return replace(answer(""), action=lambda scene: Finish(words(scene.screens)))
