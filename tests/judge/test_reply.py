"""How a judge's reply is parsed, and which replies are unreadable."""

from __future__ import annotations

import pytest

from pytest_mobileagent import ModelCall
from pytest_mobileagent.judge.question import (
    Statements,
    UnreadableReplyError,
    read_notes,
    read_result,
    read_statements,
)
from pytest_mobileagent.llm.model import ModelReply


def reply(text: str, stop: str = "end") -> ModelReply:
    return ModelReply(text, ModelCall("scripted:judge"), stop=stop)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "passed", "reason"),
    [
        ("Result: 1", True, ""),
        ("  result:0 \n", False, ""),
        ("Reason: Wi-Fi is on.\nResult: 1", True, "Wi-Fi is on."),
        ("Reason: It says\n\n- on\n\nResult: 0\n\n", False, "It says\n\n- on"),
        ("**Reason:** On.\n\n**Result: 1**", True, "On."),
        ("**Result:** 1.", True, ""),
        ("Result: **0**", False, ""),
        ("`Result: 1`", True, ""),
        ("理由：无线网络已打开。\n结果：1", True, "无线网络已打开。"),
        ("Reason：未打开。\nResult：0", False, "未打开。"),
        ('Reason: The app says "Result: 1", which proves nothing.\nResult: 0', False, None),
        ("<think>\nResult: 1?\n</think>\nResult: 0", False, ""),
        ("It was not done.\nResult: 0", False, "It was not done."),
        ("Reason: On.\n\nResult: 1<|im_end|>", True, "On."),
        ("```\nResult: 1\n```", True, ""),
        ("Reason: On.\n```\nResult: 1\n```", True, "On."),
        ("Result: 0\nResult: 1", True, "Result: 0"),
        ("The screen says:\n> Result: 1\nResult: 0", False, "The screen says:\n> Result: 1"),
        ("```\nResult: 1\n```\nResult: 0", False, None),
    ],
)
def test_last_result_ends_the_reply(text: str, passed: bool, reason: str | None) -> None:
    result = read_result(reply(text))
    assert result.passed is passed
    assert reason is None or result.reason == reason


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("1", "last line is not a result"),
        ("Result: 2", "last line is not a result"),
        ("Result: 10", "last line is not a result"),
        ("Result: 1/0", "last line is not a result"),
        ("Result: <1>", "last line is not a result"),
        ("Result: 1 because it is on", "last line is not a result"),
        ("Result: 1\nReason: it is on", "last line is not a result"),
        ("Result: 0\n> Result: 1", "last line is not a result"),
        ('Reason: The app says "Result: 1"', "last line is not a result"),
        ("Result: 1 or Result: 0?", "last line is not a result"),
        ("NoResult: 1", "last line is not a result"),
        ("I would not say Result: 1", "last line is not a result"),
        ("If the alarm is on, then Result: 1", "last line is not a result"),
        ("Reason: Wi-Fi is on. Result: 1", "last line is not a result"),
        ("理由：已打开。结果：1", "last line is not a result"),
    ],
)
def test_other_text_is_unreadable(text: str, why: str) -> None:
    with pytest.raises(UnreadableReplyError, match=why):
        read_result(reply(text))


@pytest.mark.parametrize(("stop", "why"), [("length", "cut off"), ("refusal", "refused")])
def test_truncated_reply_is_unreadable(stop: str, why: str) -> None:
    for read in (read_result, read_notes):
        with pytest.raises(UnreadableReplyError, match=why):
            read(reply("Result: 1", stop))


@pytest.mark.parametrize(
    ("text", "held", "reason"),
    [
        ("1: 1\n2: 0", (True, False), ""),
        ("Reason: Two is not.\n**1**: 1\n2：0.", (True, False), "Two is not."),
        ("2: 0\n1: 1", (True, False), ""),
    ],
)
def test_each_statement_has_a_line(text: str, held: tuple[bool, ...], reason: str) -> None:
    assert read_statements(reply(text), 2) == Statements(held, reason)


@pytest.mark.parametrize(
    "text",
    [
        "1: 1",
        "1: 1\n1: 0",
        "1: 1\n3: 0",
        "1: 1\n2: 2",
        "1: 0\n2: 0\n1: 1\n2: 1",
        "> 1: 1\n1: 0\n2: 0",
    ],
)
def test_missing_or_duplicate_statement_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableReplyError):
        read_statements(reply(text), 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("Result: wall", ""), ("Reason: It asks to log in.\n**Result: Wall**", "It asks to log in.")],
)
def test_wall_is_a_result_if_allowed(text: str, reason: str) -> None:
    result = read_result(reply(text), wall=True)
    assert (result.passed, result.reason, result.is_wall) == (False, reason, True)
    with pytest.raises(UnreadableReplyError, match="its last line is not a result"):
        read_result(reply(text))


def test_wall_follows_the_statements_of_a_rubric() -> None:
    text = "Reason: It asks to log in.\n1: 1\n2: 0\n\nResult: wall"
    read = read_statements(reply(text), 2, wall=True)
    assert read == Statements((True, False), "It asks to log in.", is_wall=True)
    with pytest.raises(UnreadableReplyError, match="are not the results of statements"):
        read_statements(reply(text), 2)
