"""The entries of a scripted model: replies, faults and conditions, also from JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast, get_args

from pytest_mobileagent.jsonable import why_unreadable
from pytest_mobileagent.llm.model import (
    Completion,
    ProviderBusyError,
    Request,
    Stop,
    ToolCall,
    Usage,
)
from pytest_mobileagent.llm.provider_errors import error_of, kind_of

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import ProviderError, RequestRefusedError


FaultKind = Literal["quota", "cut", "drop", "timeout", "malformed", "slow"]


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """A reply with more than its text: its tool calls, why it ended, and the tokens that it used.

    `input_tokens` include `cached_tokens`; counts that are None are not reported, but estimated.
    `seconds_to_first` is the real delay before the first token, in seconds.
    """

    text: str = ""
    tool_calls: Sequence[ToolCall] = ()
    stop: Stop = "end"
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    seconds_to_first: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"the text of a reply must be a str, not {self.text!r}")
        if self.stop not in get_args(Stop):
            raise ValueError(f"a reply cannot have stop= {self.stop!r}: {_listed(get_args(Stop))}")
        object.__setattr__(self, "tool_calls", tuple(self.tool_calls))
        if self.tool_calls and self.stop == "end":
            object.__setattr__(self, "stop", "tools")

    @property
    def usage(self) -> Usage:
        """The tokens in the form that a client reports."""
        return Usage(self.input_tokens, self.output_tokens, self.cached_tokens)

    def answer(self, model: str, seconds_to_first: float | None) -> Completion:
        """Return the reply in the form that a client returns."""
        calls = tuple(self.tool_calls)
        return Completion(self.text, calls, self.stop, self.usage, model, seconds_to_first)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the provider in place of one reply; the next request gets the next reply.

    `kind` is an HTTP status (429, 500, 503, 529, 401, 400 …), or
    - "quota": the status 429 of an account without money;
    - "cut": the connection breaks off after `after` pieces of the reply (default 1);
    - "drop": the connection is closed without an answer;
    - "timeout": no answer ever arrives (in process: the error of a client that gave up, at once);
    - "malformed": the answer is not JSON;
    - "slow": the next reply follows, with its first token after `after` seconds (default 1).
    `retry_after` is the number of seconds that the provider asks to wait; None if it does not ask.
    """

    kind: int | FaultKind
    retry_after: float | None = 0
    after: float | None = None

    def __post_init__(self) -> None:
        known = self.kind in get_args(FaultKind)
        status = isinstance(self.kind, int) and 400 <= self.kind <= 599
        if not known and not status:
            kinds = _listed(get_args(FaultKind))
            msg = f"{self.kind!r} is not a fault: pass a status from 400 to 599, or {kinds}"
            raise ValueError(msg)

    @property
    def status(self) -> int | None:
        """The fault's HTTP status; None if it has none."""
        if self.kind == "quota":
            return 429
        return self.kind if isinstance(self.kind, int) else None

    @property
    def code(self) -> str:
        """The provider's code for the fault, if clients read it; else empty."""
        return "insufficient_quota" if self.kind == "quota" else ""

    @property
    def wait(self) -> float:
        """The delay of a slow first token, in seconds."""
        return 1.0 if self.after is None else self.after

    @property
    def pieces(self) -> int:
        """The number of pieces of a stream that are sent before it is cut."""
        return 1 if self.after is None else int(self.after)

    @property
    def words(self) -> str:
        """The provider's error message for the fault."""
        return _WORDS.get(self.kind, f"scripted fault {self.kind}")

    def error(self) -> ProviderError | RequestRefusedError:
        """Return the error that a client raises for the fault."""
        if self.status is not None:
            kind = kind_of(self.status, {"code": self.code, "message": self.words})
            return error_of(kind, self.words, self.retry_after)
        return ProviderBusyError(self.words)


_WORDS: dict[int | str, str] = {
    "quota": "the account's quota is used up",
    "cut": "the connection was cut in the middle of the reply",
    "drop": "the connection was closed without an answer",
    "timeout": "no answer came in time",
    "malformed": "the answer is not JSON",
    400: "the request is malformed",
    401: "the key is refused",
    403: "the key may not use this model",
    404: "there is no such model",
    413: "the request is too long",
    429: "too many requests",
    500: "a server error",
    503: "the server is overloaded",
    529: "the server is overloaded",
}

Fixed = str | ScriptedReply | Fault
Entry = Fixed | Callable[[Request], Fixed]


@dataclass(frozen=True, slots=True)
class When:
    """Replies to requests whose texts contain `text`; they take precedence over other replies.

    A single reply is given to each such request; replies in a list are given once each, in order.
    If several `When` objects fit a request, the first one counts.
    """

    text: str
    replies: Entry | Sequence[Entry]

    @property
    def lasting(self) -> bool:
        """Whether a single reply is given to every request that fits."""
        return not is_list(self.replies)

    @property
    def listed(self) -> tuple[Entry, ...]:
        """The replies as a tuple."""
        one_or_all = cast("Any", self.replies)
        return (one_or_all,) if self.lasting else tuple(one_or_all)


def is_list(replies: object) -> bool:
    """Return whether `replies` is a list of replies rather than a single reply."""
    return isinstance(replies, Sequence) and not isinstance(replies, str)


def checked(entry: object) -> Entry:
    """Return a value if it is a reply.

    Raises:
        TypeError: if it is not.
    """
    if isinstance(entry, str | ScriptedReply | Fault) or callable(entry):
        return cast("Entry", entry)
    raise TypeError(f"{entry!r} is not a reply: pass a str, ScriptedReply, Fault, When or function")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(map(repr, words))


_REPLY = {"stop", "input_tokens", "output_tokens", "cached_tokens", "seconds_to_first"}
_FAULT = {"fault", "retry_after", "after"}
_REPLYING = {"reply", "tool_calls"}
_CALL = {"id", "name", "kind"}


def read_replies(path: str | Path) -> tuple[Entry | When, ...]:
    """Read the replies in a file; empty lines and lines that begin with # are ignored.

    Raises:
        OSError: if the file cannot be read.
        ValueError: if a line is not a reply; the message names the file and line.
    """
    replies: list[Entry | When] = []
    lines: dict[str, int] = {}
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text") from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            reply = _entry(json.loads(line))
            if isinstance(reply, When) and (first := lines.setdefault(reply.text, number)) < number:
                _refuse(f"line {first} has the same `when`: put all its replies there, as a list")
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"{path}, line {number}: {why_unreadable(error)}") from error
        replies.append(reply)
    return tuple(replies)


def _entry(line: Any) -> Entry | When:
    if isinstance(line, dict) and "when" in line:
        if not isinstance(line["when"], str):
            _refuse(f"'when' must be a string, not {line['when']!r}")
        rest = {key: value for key, value in line.items() if key != "when"}
        if isinstance(rest.get("reply"), list):
            if set(rest) != {"reply"}:
                _refuse("beside a list of replies, other fields belong in the list's objects")
            return When(line["when"], [_reply(each) for each in rest["reply"]])
        return When(line["when"], _reply(rest))
    return _reply(line)


def _reply(entry: Any) -> Entry:
    if isinstance(entry, str):
        return entry
    fields: dict[str, Any] = dict(entry) if isinstance(entry, dict) else {}
    if isinstance(fields.get("fault"), int | str) and fields.keys() <= _FAULT:
        return Fault(fields.pop("fault"), **_numbers(fields))
    text, calls = fields.pop("reply", ""), fields.pop("tool_calls", [])
    unknown = not isinstance(text, str) or not isinstance(calls, list) or fields.keys() - _REPLY
    if unknown or not isinstance(entry, dict) or not _REPLYING & entry.keys():
        problem = f"not a reply: {json.dumps(entry, ensure_ascii=False)}; "
        _refuse(problem + 'give a text, {"reply": …}, {"when": …, "reply": …} or {"fault": …}')
    tools = [_tool_call(call) for call in calls]
    return ScriptedReply(text, tools, **_numbers(fields)) if tools or fields else text


def _tool_call(entry: Any) -> ToolCall:
    fields = dict(entry) if isinstance(entry, dict) else {}
    arguments = fields.pop("arguments", None)
    words = all(isinstance(value, str) for value in fields.values())
    if not isinstance(arguments, dict) or not words or not {"name"} <= fields.keys() <= _CALL:
        _refuse(f"not a tool call: {json.dumps(entry, ensure_ascii=False)}")
    return ToolCall(**{"id": f"call_{fields['name']}", **fields, "arguments": arguments})


def _numbers(fields: dict[str, Any]) -> dict[str, Any]:
    for name, value in fields.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if name != "stop" and not number:
            _refuse(f"{name!r} must be a number, not {json.dumps(value)}")
    return fields


def _refuse(problem: str) -> NoReturn:
    raise ValueError(problem)
