"""What comes of a call: a result, or an error that says what to do instead."""

from __future__ import annotations

from dataclasses import dataclass


class ToolError(Exception):
    """A call that could not be done; the text says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gives back: a text, and a picture (the bytes of a JPEG file) if there is one."""

    text: str
    picture: bytes = b""
