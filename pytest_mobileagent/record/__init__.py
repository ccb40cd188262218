"""A local page on which people use a phone, to record new tasks or to play existing ones.

`play` is for an agent that is a person: it shows the phone and the goal until the task ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.lazy_names import lazy_names

if TYPE_CHECKING:
    from pytest_mobileagent.record.server import is_alone, play

__getattr__ = lazy_names(__name__)

__all__ = ["is_alone", "play"]
