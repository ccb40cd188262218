"""What a failure names as nearest to what its check sought."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.report.text.narration import nearest

LISTS = (
    "AssertionError: assert [1, 2] == []\n  \n  Left contains 2 more items, first extra item: 1\n  "
)


@pytest.mark.parametrize(
    ("reason", "evidence", "words"),
    [
        ("AssertionError: assert 3 == 2\n +  where 3 = x", {}, "3 == 2"),
        (LISTS, {}, "[1, 2] == []; Left contains 2 more items, first extra item: 1"),
        ("AssertionError: assert [1] == [2]\n  \n  At index 0 diff: 1 != 2", {},
         "[1] == [2]; At index 0 diff: 1 != 2"),
        ("SubGoalError: two did not hold: assert 3 == 2", {}, "3 == 2"),
        (LISTS, {"closest": ["a <Button>\n  ; and more", "b"]}, "a <Button>; and more"),
        (LISTS, {"closest": "a text"}, "a text"),
        (LISTS, {"closest": []}, "[1, 2] == []; Left contains 2 more items, first extra item: 1"),
        (LISTS, {"check_held": True}, ""),
    ],
)  # fmt: skip
def test_it_is_what_was_found_else_what_was_compared(
    reason: str, evidence: dict[str, Any], words: str
) -> None:
    assert nearest(reason, evidence) == words
