"""A local page on which people work on a phone: they record new tasks, and play others.

For an agent that is a person: `play` shows the phone and the goal on the page until the task ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.faces import LazyNames

if TYPE_CHECKING:
    from pytest_mobileagent.record.by_hand import is_alone, play

__getattr__ = LazyNames(__name__, {"record.by_hand": ("is_alone", "play")})

__all__ = ["is_alone", "play"]
