"""Replies of a recorded episode, replayed in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import to_line
from pytest_mobileagent.llm.known_replies import (
    RecordedReplies,
    RepliesSpentError,
    has_replies,
    script_of,
)
from pytest_mobileagent.llm.model import RequestRefusedError, ToolCall
from pytest_mobileagent.llm.scripted.entries import Fault, ScriptedReply

if TYPE_CHECKING:
    from pathlib import Path

TOOL = {"id": "1", "name": "tap", "arguments": {"x": 5}, "kind": "function"}
CALL = {"model": "m", "input_tokens": 9, "output_tokens": 2, "response_model": "m-1"}
BUSY = {"call": None, "role": "actor", "busy_since": 7.0, "error": "429"}
REFUSED = {"call": None, "role": "actor", "reply": None, "error": "it is too long"}


def said(text: str, role: str = "actor", *tools: Any) -> dict[str, Any]:
    reply = {"text": text, "stop": "tools" if tools else "end", "tool_calls": list(tools)}
    return {"call": CALL, "role": role, "reply": reply, "error": ""}


def write(folder: Path, *lines: Any) -> Path:
    path = folder / "calls.jsonl"
    path.write_text("".join(f"{to_line(line)}\n" for line in lines), "utf-8")
    return path


def test_each_role_has_its_replies_in_order(tmp_path: Path) -> None:
    file = write(
        tmp_path, said("first"), said("plan", "planner"), BUSY, said("second", "actor", TOOL)
    )
    replies = RecordedReplies(file)
    assert [replies.next("actor").text, replies.next("planner").text] == ["first", "plan"]
    last = replies.next("actor")
    assert (last.text, last.stop) == ("second", "tools")
    assert last.tool_calls == (ToolCall("1", "tap", {"x": 5}),)
    assert (last.usage.input, last.usage.output, last.model) == (9, 2, "m-1")
    with pytest.raises(RepliesSpentError, match="no reply to actor is left of those in"):
        replies.next("actor")
    assert RecordedReplies(file).next("actor").text == "first"


def test_a_refused_request_is_refused_again(tmp_path: Path) -> None:
    replies = RecordedReplies(write(tmp_path, REFUSED, said("shorter")))
    with pytest.raises(RequestRefusedError, match="it is too long"):
        replies.next("actor")
    assert replies.next("actor").text == "shorter"


def test_script_combines_the_replies_of_all_roles_in_order(tmp_path: Path) -> None:
    file = write(tmp_path, said("plan", "planner"), REFUSED, said("", "actor", TOOL))
    plan, refused, tool = script_of(file)
    assert (plan, refused) == (ScriptedReply("plan", (), "end", 9, 2), Fault(400))
    assert isinstance(tool, ScriptedReply)
    assert tool.tool_calls[0].arguments == {"x": 5}


@pytest.mark.parametrize("line", ["[]", "{", '{"role": 1}', '{"role": "a", "call": {}}', "1"])
def test_an_invalid_line_is_reported(tmp_path: Path, line: str) -> None:
    file = write(tmp_path, said("first"))
    file.write_text(f"{file.read_text('utf-8')}{line}\n", "utf-8")
    with pytest.raises(HostError, match=r"calls\.jsonl, line 2, is not a call of a model"):
        RecordedReplies(file).next("actor")


def test_files_with_replies_are_recognised(tmp_path: Path) -> None:
    assert not has_replies(tmp_path / "calls.jsonl")
    assert not has_replies(write(tmp_path, BUSY, REFUSED))
    assert has_replies(write(tmp_path, said("first")))
    assert not has_replies(tmp_path)
