"""The replies of models in a recorded episode, returned again in order instead of asking models.

The agent's requests are not compared with the recorded ones, because on another phone its pictures
differ, for example in a clock or a cursor. So a replay shows what the agent does on a phone if its
models reply the same.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.fileio import parse_json, read_bytes
from pytest_mobileagent.jsonable import expect
from pytest_mobileagent.llm.model import Completion, RequestRefusedError, ToolCall, Usage
from pytest_mobileagent.llm.scripted.entries import Fault, ScriptedReply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_REFUSED = 400  # the HTTP status of a refused request


class RepliesSpentError(AgentError):
    """The agent makes more requests than in the recorded episode."""


class RecordedReplies:
    """The replies in a file in the format of calls.jsonl, in order, for each role.

    Any number of threads may ask. A missing file has no replies.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._left: dict[str, deque[Completion | str]] | None = None

    def next(self, role: str) -> Completion:
        """Return the next reply to a role.

        Raises:
            RequestRefusedError: if the recorded request was refused.
            RepliesSpentError: if there are no more replies.
            HostError: if the file cannot be read.
        """
        with self._lock:
            if self._left is None:
                self._left = defaultdict(deque)
                for each, reply in _replies(self._file):
                    self._left[each].append(reply)
            if not self._left[role]:
                raise RepliesSpentError(f"no reply to {role} is left of those in {self._file}")
            reply = self._left[role].popleft()
        if isinstance(reply, str):
            raise RequestRefusedError(reply)
        return reply


def script_of(file: Path) -> list[ScriptedReply | Fault]:
    """Return the replies in a file as a script for a server, in order, whatever their roles.

    Raises:
        HostError: if the file cannot be read.
    """
    return [
        Fault(_REFUSED) if isinstance(reply, str) else _scripted(reply)
        for _, reply in _replies(file)
    ]


def has_replies(file: Path) -> bool:
    """Return whether a file has at least one reply of a model."""
    try:
        return any(isinstance(reply, Completion) for _, reply in _replies(file))
    except HostError:
        return False


def _scripted(reply: Completion) -> ScriptedReply:
    used = reply.usage
    return ScriptedReply(
        reply.text, reply.tool_calls, reply.stop, used.input, used.output, used.cached
    )


def _replies(file: Path) -> Iterator[tuple[str, Completion | str]]:
    """Yield the role and reply of each request, or the reason if the request was refused.

    Attempts that were repeated because the provider was busy are skipped, as they had no answer.

    Raises:
        HostError: if the file cannot be read, or a line of it is not a call.
    """
    try:
        lines = read_bytes(file).split(b"\n")
    except FileNotFoundError:
        return
    except OSError as error:
        raise HostError(f"cannot read {file}: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            each = expect(parse_json(line), dict, "a call")
            if each.get("busy_since") is not None:
                continue
            role = expect(each["role"], str, "role")
            if each["call"] is None or each["reply"] is None:
                yield role, expect(each["error"], str, "error")
            else:
                yield role, _completion(each["reply"], each["call"])
        except (ValueError, LookupError, TypeError) as error:
            why = f"{type(error).__name__}: {error}"
            raise HostError(f"{file}, line {number}, is not a call of a model: {why}") from error


def _completion(reply: Any, call: Any) -> Completion:
    usage = Usage(*(call.get(f"{name}_tokens") for name in ("input", "output", "cached")))
    tools = tuple(ToolCall(**each) for each in reply["tool_calls"])
    return Completion(
        expect(reply["text"], str, "text"),
        tools,
        reply["stop"],
        usage,
        str(call.get("response_model") or ""),
    )
