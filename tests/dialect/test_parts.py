"""Tests of splitting replies into named lines, sections, calls and arguments."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.dialect import DialectError
from pytest_mobileagent.dialect.parts import argument, call, escaped, line_after, section, unescaped


@pytest.mark.parametrize(
    "words",
    [
        "Action: tap(5)",
        "Thought: so. Action: tap(5)",
        "**Action:** tap(5)",
        "- action : tap(5)",
        "Action：tap(5)",
        "Action:tap(5)\r\nSummary: x",
        "Action:\n\n  tap(5)\nSummary: x",
        "Action: `tap(5)`",
    ],
)
def test_line_is_found_in_any_notation(words):
    assert line_after(words, "Action") == "tap(5)"


def test_missing_part_is_named_with_the_reply():
    with pytest.raises(DialectError, match="no 'Action:' in 'I am sorry'") as caught:
        line_after("I am\nsorry", "Action")
    assert caught.value.words == "I am\nsorry"


@pytest.mark.parametrize(
    "words",
    [
        "### Action ###\nTap (1, 2)\n### Operation ###\nTaps.",
        "## Action:\nTap (1, 2)\n## Operation:\nTaps.",
        "### **Action** ###\nTap (1, 2)\n### Operation\nTaps.",
        "### ACTION ###Tap (1, 2)### OPERATION ###",
        "Tap (1, 2)",
    ],
)
def test_section_is_found_under_any_heading(words):
    assert section(words, "Action", "Operation").strip() == "Tap (1, 2)"


@pytest.mark.parametrize(
    ("call", "expected"),
    [("f(a)", "a"), ("f (a (b) c) (d)", "a (b) c"), ("f(a", "a"), ("f((a)", "(a"), ("f()", "")],
)
def test_argument_ends_at_the_matching_parenthesis(call, expected):
    assert argument(call) == expected


def test_call_without_parentheses_has_no_argument():
    with pytest.raises(DialectError, match="no parentheses in 'back'"):
        argument("back")


@pytest.mark.parametrize("part", ["#", "### ", "Action ", "(", " "])
def test_long_text_is_parsed_or_refused(part):
    words = part * (200_000 // len(part))
    section(words, "Action", "Operation")
    with suppress(DialectError):
        line_after(words, "Action")
    with suppress(DialectError):
        argument(words)


@pytest.mark.parametrize(
    ("words", "name", "arguments"),
    [
        ("f()", "f", {}),
        ("f(a='b', c=\"d\")", "f", {"a": "b", "c": "d"}),
        ("f( a = [1, (2)] , b=3 )", "f", {"a": "[1, (2)]", "b": "3"}),
        ("f('a', 2)", "f", {"0": "a", "1": "2"}),
        ("f(a='it's')", "f", {"a": "it's"}),
        ("f(a='x', b='y') and so on", "f", {"a": "x", "b": "y"}),
        ("f(a='x'", "f", {"a": "x"}),
    ],
)
def test_calls_are_parsed(words: str, name: str, arguments: dict[str, str]) -> None:
    read = call(words)
    assert (read.name, dict(read.arguments)) == (name, arguments)


@pytest.mark.parametrize("words", ["", "f", "(1)", "f(a='b", "f(a=[1, 2", "f(a=1"])
def test_replies_without_a_call(words: str) -> None:
    with pytest.raises(DialectError):
        call(words)


@given(st.text())
def test_any_text_is_a_call_or_refused(words: str) -> None:
    with suppress(DialectError):
        call(f"f({words}")


@given(st.text())
def test_text_in_a_call_round_trips(words: str) -> None:
    assert unescaped(escaped(words)) == words
    assert call(f"f(a='{escaped(words)}')").arguments == {"a": words}
