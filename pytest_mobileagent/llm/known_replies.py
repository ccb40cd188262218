"""The replies that are known already, so no model is asked: cached ones, and recorded ones.

Replies are cached by the content of their requests: only complete ones, not refusals, errors or
replies that were cut off. Any number of processes may share a cache's folder.

The replies of a recorded episode are returned again in order. The agent's requests are not compared
with the recorded ones, because on another phone its pictures differ, for example in a clock or a
cursor. So a replay shows what the agent does on a phone if its models reply the same. The requests
of judges are compared: they are about a record, so they must be the same on any machine.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections import Counter, defaultdict, deque
from dataclasses import asdict, astuple, dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.errors import AgentError, HostError, ScreenError
from pytest_mobileagent.fileio import parse_json, read_bytes, read_json, write_json
from pytest_mobileagent.jsonable import expect, to_line
from pytest_mobileagent.llm.model import (
    Completion,
    RequestRefusedError,
    ToolCall,
    Usage,
    to_jsonable,
)
from pytest_mobileagent.llm.providers import server_of
from pytest_mobileagent.llm.scripted.entries import Fault, ScriptedReply
from pytest_mobileagent.screen.picture import is_same_picture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.episode.screens import ScreenStore
    from pytest_mobileagent.llm.model import Image, Request
    from pytest_mobileagent.llm.reference import ModelReference

T = TypeVar("T")
WHOLE = {"end", "tools"}  # the stops of replies that were neither cut off nor refused


class NotCachedError(HostError):
    """A request whose reply is not cached, in a run that may ask no model."""


@dataclass(frozen=True, slots=True)
class ReplyCache:
    """A folder of cached replies; with `only_replays`, a request without a reply is an error."""

    folder: Path
    epoch: int = 0
    only_replays: bool = False

    def key(self, reference: ModelReference, request: Request, repeat: int) -> str:
        """Return the name of a reply, derived from model, server, request and epoch.

        The server is the endpoint, wherever it is configured, or a script's content (`server_of`).
        `repeat` numbers equal requests of one episode from 0, as their replies may differ.
        """
        return self.key_of(reference.id, server_of(reference), _jsonable(request), repeat)

    def key_of(self, model: str, server: str, request: Any, repeat: int) -> str:
        """Return the same as `key` for a request that is JSON-able data."""
        content = [model, server, request, self.epoch, repeat]
        return hashlib.sha256(to_line(content).encode()).hexdigest()

    def find(self, key: str) -> Completion | None:
        """Return the cached reply; None if there is none.

        Raises:
            NotCachedError: if there is none, and the model may not be asked.
        """
        return self.find_as(_answer, key)

    def find_as(self, read: Callable[[Any], T], key: str) -> T | None:
        """Return the cached reply, as parsed by `read` from JSON-able data; None if there is none.

        Raises:
            NotCachedError: if there is none, and the model may not be asked.
        """
        try:
            return read(read_json(self._path(key)))
        except (OSError, ValueError, LookupError, TypeError):
            pass
        if self.only_replays:
            raise NotCachedError(
                f"--mobile-cache=replay: no reply is cached for this request ({self._path(key)}): "
                "ask once with --mobile-cache=all. Replies are cached by server, so scripted "
                "files, and variables such as OPENAI_BASE_URL, must be the same as then"
            )
        return None

    def keep(self, key: str, answer: Completion) -> None:
        """Cache a reply if it is whole; if the folder is not writable, do nothing."""
        if answer.stop in WHOLE:
            self.store(key, asdict(answer))

    def store(self, key: str, content: Any) -> None:
        """Cache JSON-able data as the reply; if the folder is not writable, do nothing."""
        if self.only_replays:
            return
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, content, indent=None)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"


def _answer(cached: Any) -> Completion:
    """Return the answer from cached JSON-able data.

    Raises:
        ValueError, LookupError, TypeError: if the data are not an answer.
    """
    fields = expect(cached, dict, "a reply")
    calls = tuple(ToolCall(**call) for call in fields["tool_calls"])
    answer = Completion(**fields | {"tool_calls": calls, "usage": Usage(**fields["usage"])})
    expect(answer.text, str, "the text of a reply")
    if answer.stop not in WHOLE:
        raise ValueError(answer.stop)
    return answer


class RepeatCounter:
    """Counts equal requests within one episode."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, reference: ModelReference, request: Request) -> int:
        """Count this request, and return how many times it was made before."""
        content = to_line([str(reference), _jsonable(request)])
        digest = hashlib.sha256(content.encode()).hexdigest()
        self._counts[digest] += 1
        return self._counts[digest] - 1


def _jsonable(request: Request) -> dict[str, Any]:
    """Return a request as JSON-able data, with digests in place of pictures."""
    settings = {name: v for name, v in request.settings.items() if name != "stream"}
    return settings | {"messages": [to_jsonable(message, _digest) for message in request.messages]}


def _digest(image: Image) -> dict[str, str]:
    return {"sha256": hashlib.sha256(image.data).hexdigest(), "detail": image.detail}


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
                    self._left[each["role"]].append(reply)
            if not self._left[role]:
                raise RepliesSpentError(f"no reply to {role} is left of those in {self._file}")
            reply = self._left[role].popleft()
        if isinstance(reply, str):
            raise RequestRefusedError(reply)
        return reply


class RecordedAnswers:
    """The replies in a file in the format of calls.jsonl, by the model and the prompt of each.

    Equal prompts get their replies in order. Pictures are equal if their pixels hardly differ, as
    encoders do; they are in `pictures`. Any number of threads may ask.
    """

    def __init__(self, file: Path, pictures: ScreenStore | None = None) -> None:
        self._file, self._pictures = file, pictures
        self._lock = threading.Lock()
        self._left: list[tuple[str, list[Any], Completion]] | None = None

    def next(self, model: str, prompt: Any) -> Completion:
        """Return the next reply of a model to a prompt, as JSON-able data.

        Raises:
            NotCachedError: if there is none; the message says how the prompt differs.
            HostError: if the file cannot be read.
        """
        sent = _parts(prompt)
        with self._lock:
            if self._left is None:
                self._left = [
                    (each["call"]["model"], _parts(each["prompt"]), reply)
                    for each, reply in _replies(self._file)
                    if isinstance(reply, Completion)
                ]
            for entry in self._left:
                if entry[0] == model and self._difference(sent, entry[1]) is None:
                    self._left.remove(entry)
                    return entry[2]
            near = [self._difference(sent, parts) for name, parts, _ in self._left if name == model]
        _, how = max(filter(None, near), default=(0, "no reply of it is left"))
        raise NotCachedError(f"{self._file.name} has no reply of {model} to this prompt: {how}")

    def _difference(self, sent: list[Any], known: list[Any]) -> tuple[int, str] | None:
        """Return the number of the first part that differs, and how; None if none does."""
        for number, (one, other) in enumerate(zip_longest(sent, known), 1):
            if one != other and not self._is_picture(one, other):
                texts = str(one), str(other)
                pairs = enumerate(zip_longest(*texts))
                at = next((place for place, (a, b) in pairs if a != b), 0)
                shown = [repr(text[max(0, at - 20) : at + 40]) for text in texts]
                return number, f"part {number} is {shown[0]}, but was {shown[1]}"
        return None

    def _is_picture(self, one: Any, other: Any) -> bool:
        """Return whether two parts of prompts are the same picture in two files."""
        if self._pictures is None:
            return False
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError, ScreenError):
            names = [Path(expect(each["picture"], str, "picture")) for each in (one, other)]
            return is_same_picture(*(self._pictures.read(each.stem, each.suffix) for each in names))
        return False


def _parts(prompt: Any) -> list[Any]:
    """Return all parts of a prompt, each message as its fields and then its content."""
    return [
        part
        for message in expect(prompt, list, "prompt")
        for part in (to_line({**message, "content": None}), *message["content"])
    ]


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
    return ScriptedReply(reply.text, reply.tool_calls, reply.stop, *astuple(reply.usage))


def _replies(file: Path) -> Iterator[tuple[dict[str, Any], Completion | str]]:
    """Yield each request, and its reply, or the reason if it was refused.

    Attempts that were repeated because the provider was busy are skipped, as they had no answer.
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
            expect(each["role"], str, "role")
            if each["call"] is None or each["reply"] is None:
                yield each, expect(each["error"], str, "error")
            else:
                yield each, _completion(each["reply"], each["call"])
        except (ValueError, LookupError, TypeError) as error:
            why = f"{type(error).__name__}: {error}"
            raise HostError(f"{file}, line {number}, is not a call of a model: {why}") from error


def _completion(reply: Any, call: Any) -> Completion:
    usage = Usage(*(call.get(f"{name}_tokens") for name in ("input", "output", "cached")))
    tools = tuple(ToolCall(**each) for each in reply["tool_calls"])
    text, model = expect(reply["text"], str, "text"), str(call.get("response_model") or "")
    return Completion(text, tools, reply["stop"], usage, model)
