"""Requests to models, read without their API's rules: what was said, and which pictures."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm.message import Image, Message, Request, Role

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
_MESSAGES = ("messages", "contents", "input", "prompt", "content")  # where APIs have them
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM")
_ABOUT = {"type", "role", "id", "mime_type", "media_type", "mimeType", "detail", "cache_control"}
_DEEPEST = 12


def loose_request(body: dict[str, Any]) -> Request:
    """Return what a request's body says, as far as it can be told."""
    said = {name: value for name, value in body.items() if name not in {*_MESSAGES, "model"}}
    system = body.get("system") or body.get("instructions")
    first = (Message("system", tuple(_parts(system))),) if system else ()
    stream = said.pop("stream", False) is True
    for name in ("system", "instructions", "images"):
        said.pop(name, None)
    return Request((*first, *_messages(body)), stream=stream, extra=said)


def _messages(body: dict[str, Any]) -> Iterator[Message]:
    found: Any = next((body[name] for name in _MESSAGES if body.get(name)), ())
    if isinstance(found, dict):
        found = found.get("messages") or [found]
    images = tuple(_parts(body.get("images") or ()))
    for message in found if isinstance(found, list) else [found]:
        role = message.get("role") if isinstance(message, dict) else "user"
        parts = (*_parts(message), *images)
        images = ()
        if parts:
            yield Message(_ROLES.get(str(role), "user"), parts)


def _parts(value: Any, depth: int = 0) -> Iterator[str | Image]:
    """Yield the texts and the pictures of plain data, in order."""
    if isinstance(value, str):
        if value:
            yield _picture(value) or value
    elif depth < _DEEPEST and isinstance(value, list):
        for each in value:
            yield from _parts(each, depth + 1)
    elif depth < _DEEPEST and isinstance(value, dict):
        for name, each in value.items():
            if name not in _ABOUT:
                yield from _parts(each, depth + 1)


def _picture(text: str) -> Image | None:
    head, _, data = text.rpartition(",")
    if head and not head.startswith("data:image/"):
        return None
    try:
        beginning = base64.b64decode(data[:16], validate=True)
        is_picture = len(data) > 64 and beginning.startswith(_PICTURES)
        return Image(base64.b64decode(data, validate=True)) if is_picture else None
    except (binascii.Error, ValueError):
        return None
