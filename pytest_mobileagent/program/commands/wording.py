"""Commands in words, as acts tell them that say no more."""

from __future__ import annotations

from typing import Any

from pytest_mobileagent.episode.cutting import shortened
from pytest_mobileagent.plain import to_line

_LONGEST = 1000  # characters of a command that an act tells


def cut(text: str) -> str:
    """Return a text as an act may tell it: not too long."""
    return shortened(text.strip(), _LONGEST)


def told(name: str, value: Any) -> str:
    """Return a call in words: what is called, and with what, if that is anything."""
    if value is None or value in ({}, []):
        return name
    try:
        return cut(f"{name} {to_line(value)}")
    except RecursionError:  # nested as deeply as nobody means it
        return name
