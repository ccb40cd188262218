"""The kinds of values for `episode.answers`: `answers(money("$12.50"))` (docs/answers.md)."""

from __future__ import annotations

from pytest_mobileagent.check.answers import Outcome, Reading, read_answer
from pytest_mobileagent.check.answers.kinds import (
    Kind,
    date,
    duration,
    exact,
    money,
    name,
    no,
    number,
    one_of,
    phone,
    quantity,
    time,
    yes,
)

__all__ = [
    "Kind", "Outcome", "Reading", "date", "duration", "exact", "money", "name", "no", "number",
    "one_of", "phone", "quantity", "read_answer", "time", "yes",
]  # fmt: skip
