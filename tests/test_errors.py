"""Tests of exceptions described in one line: type and message, without Python's formatting."""

from __future__ import annotations

import pytest

from pytest_mobileagent.errors import TaskError, in_one_line

TWO = ExceptionGroup("inner", [ValueError(), OSError()])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no"), "ValueError: no"),
        (SystemExit(), "SystemExit"),
        (TaskError("no goal"), "TaskError: no goal"),
        (ExceptionGroup("group", [ValueError("no")]), "group (1 sub-exception): ValueError: no"),
        (
            BaseExceptionGroup("outer", [TWO, SystemExit()]),
            "outer (2 sub-exceptions): inner (2 sub-exceptions): ValueError; OSError; SystemExit",
        ),
        (
            ExceptionGroup("many", [ValueError("no")] * 9),
            f"many (9 sub-exceptions): {'; '.join(['ValueError: no'] * 5)}; and 4 more",
        ),
    ],
)
def test_an_exception_says_its_type_and_message_and_a_group_those_of_its_parts(
    error: BaseException, words: str
) -> None:
    assert in_one_line(error) == words
