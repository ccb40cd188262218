"""The counts of a stream: asked for where the program does not, and hidden from it again."""

from __future__ import annotations

import json
import re
from typing import Any

from pytest_mobileagent.program.models.sse import data_of, split


def with_usage(body: dict[str, Any], data: bytes) -> bytes | None:
    """Return a request for chat completions (`body`, as `data`) that asks for its stream's counts.

    None if it is not streamed, or asks (or says that it does not want them) by itself.
    """
    options = body.get("stream_options") or {}
    if (
        body.get("stream") is not True
        or not isinstance(options, dict)
        or "include_usage" in options
    ):
        return None
    if "stream_options" not in body:  # all else stays as it is, byte by byte
        return data.replace(b"{", b'{"stream_options":{"include_usage":true},', 1)
    asked = {**body, "stream_options": {**options, "include_usage": True}}
    return json.dumps(asked, ensure_ascii=False).encode("utf-8", "surrogatepass")


def refuses_usage(status: int, body: bytes) -> bool:
    """Whether a server refuses a request because it is asked for counts."""
    named = b"stream_options" in body or b"include_usage" in body
    return 400 <= status < 500 and named


class WithoutUsage:
    """Takes the counts that nobody asked for out of a stream, event by event.

    Who asks for them gets an event of its own with the counts, and `"usage": null` in all others
    (OpenAI's API reference, "stream_options"); who does not, gets neither.
    """

    def __init__(self) -> None:
        self._rest = b""

    def pass_on(self, data: bytes, *, is_last: bool) -> bytes:
        """Return what of the stream is for the program by now."""
        events, self._rest = split(self._rest + data)
        shown = b"".join(_without_null(event) for event in events if not _is_count(event))
        if is_last and not _is_count(self._rest):
            shown += _without_null(self._rest)
        return shown


_NULL = re.compile(rb',\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,')


def _without_null(event: bytes) -> bytes:
    """Return an event without a usage that is null; all else stays as it is, byte by byte."""
    if (null := _NULL.search(event)) is None:
        return event
    try:
        said = json.loads(data_of(event))
        without = event[: null.start()] + event[null.end() :]
        if isinstance(said, dict) and said.pop("usage", 0) is None:
            return without if json.loads(data_of(without)) == said else event
    except (ValueError, RecursionError):
        pass
    return event


def _is_count(event: bytes) -> bool:
    """Whether an event of a stream holds counts and nothing else."""
    if b'"usage"' not in event:
        return False
    try:
        said = json.loads(data_of(event))
    except (ValueError, RecursionError):
        return False
    if not isinstance(said, dict) or said.get("choices") != [] or "usage" not in said:
        return False
    # Servers that cannot count send null; Azure's first event is no count, but about the prompt.
    return bool(said["usage"]) or "prompt_filter_results" not in said
