"""Scripted replies in a file: JSON lines, a reply each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from pytest_mobileagent.llm.message import ToolCall
from pytest_mobileagent.llm.scripted.entries import Fault, Said, ScriptedReply, When
from pytest_mobileagent.plain import why_unreadable

_REPLY = {"stop", "input_tokens", "output_tokens", "cached_tokens", "seconds_to_first"}
_FAULT = {"fault", "retry_after", "after"}
_SAID = {"reply", "tool_calls"}
_CALL = {"id", "name", "kind"}


def read_replies(path: str | Path) -> tuple[Said | When, ...]:
    """Read the replies of a file; empty lines, and lines that begin with #, mean nothing.

    Raises:
        OSError: the file cannot be read.
        ValueError: a line is no reply; the text names file and line.
    """
    replies: list[Said | When] = []
    lines: dict[str, int] = {}
    try:
        text = Path(path).read_text("utf-8")
    except UnicodeDecodeError as error:
        msg = f"{path}: no text in UTF-8"
        raise ValueError(msg) from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            reply = _entry(json.loads(line))
            if isinstance(reply, When) and (first := lines.setdefault(reply.text, number)) < number:
                _refuse(f"line {first} answers the same: give its replies there, as a list")
        except (ValueError, TypeError, RecursionError) as error:
            msg = f"{path}, line {number}: {why_unreadable(error)}"
            raise ValueError(msg) from error
        replies.append(reply)
    return tuple(replies)


def _entry(line: Any) -> Said | When:
    if isinstance(line, dict) and "when" in line:
        if not isinstance(line["when"], str):
            _refuse(f"'when' has to be a text, not {line['when']!r}")
        rest = {key: value for key, value in line.items() if key != "when"}
        if isinstance(rest.get("reply"), list):
            if set(rest) != {"reply"}:
                _refuse("what belongs to one reply of a list stands in an object in that list")
            return When(line["when"], [_reply(each) for each in rest["reply"]])
        return When(line["when"], _reply(rest))
    return _reply(line)


def _reply(entry: Any) -> Said:
    if isinstance(entry, str):
        return entry
    fields: dict[str, Any] = dict(entry) if isinstance(entry, dict) else {}
    if isinstance(fields.get("fault"), int | str) and fields.keys() <= _FAULT:
        return Fault(fields.pop("fault"), **_numbers(fields))
    text, calls = fields.pop("reply", ""), fields.pop("tool_calls", [])
    unknown = not isinstance(text, str) or not isinstance(calls, list) or fields.keys() - _REPLY
    if unknown or not isinstance(entry, dict) or not _SAID & entry.keys():
        problem = f"no reply: {json.dumps(entry, ensure_ascii=False)}; "
        _refuse(problem + 'a text, {"reply": …}, {"when": …, "reply": …} or {"fault": …}')
    tools = [_tool_call(call) for call in calls]
    return ScriptedReply(text, tools, **_numbers(fields)) if tools or fields else text


def _tool_call(entry: Any) -> ToolCall:
    fields = dict(entry) if isinstance(entry, dict) else {}
    arguments = fields.pop("arguments", None)
    words = all(isinstance(value, str) for value in fields.values())
    if not isinstance(arguments, dict) or not words or not {"name"} <= fields.keys() <= _CALL:
        _refuse(f"no call of a tool: {json.dumps(entry, ensure_ascii=False)}")
    return ToolCall(**{"id": f"call_{fields['name']}", **fields, "arguments": arguments})


def _numbers(fields: dict[str, Any]) -> dict[str, Any]:
    for name, value in fields.items():
        number = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
        if name != "stop" and not number:
            _refuse(f"{name!r} has to be a number, not {json.dumps(value)}")
    return fields


def _refuse(problem: str) -> NoReturn:
    raise ValueError(problem)
