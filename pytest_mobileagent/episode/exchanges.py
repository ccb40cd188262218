"""What was said to models in an episode: calls.jsonl, a line for each call, pictures by reference.

    {"call": {…a ModelCall…}, "settings": {"temperature": 0, …},
     "prompt": [{"role": "user", "content": ["words", {"picture": "9b6f….png"}]}],
     "reply": {"text": "…", "stop": "end", "tool_calls": []}, "error": ""}

A provider that is to be asked again leaves a line with "error" and "busy_since", by the monotonic
clock of this machine.

Pictures lie in the run's store of screens. A line is written as soon as its call has ended, by
the process that made it, so that nothing is lost when the agent's process is killed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import append_line, new_lines, parse_json, read_bytes
from pytest_mobileagent.jsonable import expect, to_line, to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

STREAM = "calls.jsonl"


class ExchangeLog:
    """Adds calls to an episode's calls.jsonl, or to a file of another `name` beside it.

    If there is a list of `calls`, they are added to it, too, as calls that fail cost money.
    """

    def __init__(
        self, episode: Path, name: str = STREAM, calls: list[ModelCall] | None = None
    ) -> None:
        self._path = episode / name
        self._calls = calls

    def next_line(self) -> int:
        """Return the number of the line that the next call will be written in, from 1."""
        try:
            written = read_bytes(self._path)
        except OSError:
            return 1
        is_whole = written.endswith(b"\n") or not written  # a torn line stays one of its own
        return written.count(b"\n") + (1 if is_whole else 2)

    def add(self, exchange: Mapping[str, Any]) -> None:
        """Write a call with its prompt and its reply.

        Raises:
            HostError: the file cannot be written.
        """
        if self._calls is not None and exchange["call"] is not None:
            self._calls.append(ModelCall.from_json(exchange["call"]))
        try:
            append_line(self._path, to_line(redacted(to_wire(exchange))))
        except OSError as error:
            msg = f"cannot write {self._path}: {error}"
            raise HostError(msg) from error


class CallReader:
    """Reads the calls that have been added to an episode's calls.jsonl since it was last asked.

    `busy_since` is when the agent began to ask a provider that has not answered so far, by the
    monotonic clock; None if the last line is an answer.
    """

    def __init__(self, episode: Path) -> None:
        self._path = episode / STREAM
        self._read = 0
        self.busy_since: float | None = None

    def new(self) -> tuple[ModelCall, ...]:
        """Return the calls of the lines that are whole and have not been read; others are left."""
        try:
            lines, self._read = new_lines(self._path, self._read)
        except OSError:
            return ()
        calls = []
        for line in lines:
            call, self.busy_since = _content(line)
            calls += [] if call is None else [call]
        return tuple(calls)


def first_prompt(episode: Path) -> str:
    """Return the words of the first prompt of an episode; "" if none is recorded."""
    try:
        lines, _ = new_lines(episode / STREAM, 0)
    except OSError:
        return ""
    for line in lines:
        try:
            messages = expect(parse_json(line)["prompt"], list, "prompt")
            words = "\n".join(_words(message["content"]) for message in messages)
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
        if words:
            return words
    return ""


def _words(content: Any) -> str:
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part for part in parts if isinstance(part, str))


def _content(line: bytes) -> tuple[ModelCall | None, float | None]:
    """Return the call of a line, and since when it has been asked for; None where it has none."""
    try:
        content = parse_json(line)
        since, call = content.get("busy_since"), content["call"]
        since = None if since is None else float(expect(since, float, "busy_since"))
        return None if call is None else ModelCall.from_json(call), since
    except (ValueError, LookupError, TypeError, AttributeError):
        return None, None
