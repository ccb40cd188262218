"""Tests of filling templates with values."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent._task.wording import fill, times
from pytest_mobileagent.errors import TaskError

NOW = datetime(2026, 2, 28, 8, 5)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Set an alarm for {hour}:00.", "Set an alarm for 7:00."),
        ("{hour:02d}:{minute:02d}", "07:05"),
        ("{now:%H:%M}", "08:05"),
        ("{today:%A}", "Saturday"),
        ("{tomorrow:%d %B}", "01 March"),
        ("{yesterday:%Y-%m-%d}", "2026-02-27"),
        ("{today+1:%b %d}, {today-28:%Y-%m-%d}", "Mar 01, 2026-01-31"),
        ("{name!r:>8}", "  'Anna'"),
        ("{hour:>999}", " " * 998 + "7"),
        ("{now:%H on 2026-05-04, %%1000}", "08 on 2026-05-04, %1000"),
        ("{{hour}}", "{hour}"),
        ("", ""),
        ("{evil}", "{hour} %s {now.year}"),
    ],
)
def test_names_are_replaced_by_their_values(template: str, text: str) -> None:
    values = {"hour": 7, "minute": 5, "name": "Anna", "evil": "{hour} %s {now.year}"}
    assert fill(template, {**times(NOW), **values}) == text


class Odd:
    def __str__(self) -> str:
        msg = "no text"
        raise RuntimeError(msg)


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        (
            "{hours}",
            "{hours} has no value (names with a value: endless, hour, huge, name, now, odd)",
        ),
        ("{}", "is not a plain name"),
        ("{0}", "{0} is not a plain name"),
        ("{name.__class__}", "{name.__class__} is not a plain name"),
        ("{name[0]}", "{name[0]} is not a plain name"),
        ("{hour", "expected '}' before end of string"),
        ("hour}", "Single '}' encountered"),
        ("{hour:%d %B}", "Invalid format specifier"),
        ("{name:d}", "Unknown format code 'd'"),
        ("{hour!x}", "Unknown conversion specifier"),
        ("{hour:1000000000}", "the format '1000000000' has a width or precision above 999"),
        ("{hour:.1000000000f}", "has a width or precision above 999"),
        ("{hour:{huge}}", "the format '1000000000' has a width or precision above 999"),
        ("{today+10000000:%d}", "{today+10000000} is not a plain name"),
        ("{today+2.year}", "{today+2.year} is not a plain name"),
        ("{hour+2}", "{hour+2} is not a plain name"),
        ("{today+2}", "{today} has no value"),
        ("{now:%1000000000d}", "has a width or precision above 999"),
        ("{now:%%%_01000000000d}", "has a width or precision above 999"),
        ("{endless}", "Exceeds the limit"),
        ("{endless:c}", "int too large"),
        ("{odd}", "no text"),
    ],
)
def test_a_template_that_cannot_be_filled_is_a_broken_task(template: str, complaint: str) -> None:
    with pytest.raises(TaskError, match=re.escape(complaint)) as caught:
        fill(
            template,
            {
                "name": "Anna",
                "hour": 7,
                "now": NOW,
                "huge": 10**9,
                "endless": 10**5000,
                "odd": Odd(),
            },
        )
    assert repr(template) in str(caught.value)


@given(st.text(st.characters()))
def test_any_text_without_braces_stays_as_it_is(text: str) -> None:
    assert fill(text.replace("{", "{{").replace("}", "}}"), {}) == text


@given(st.text("{}hour!:.[]0d%", max_size=12), st.integers() | st.text() | st.none())
def test_any_template_is_filled_or_refused(template: str, value: Any) -> None:
    try:
        assert isinstance(fill(template, {"hour": value, "r": 1}), str)
    except TaskError as error:
        assert repr(template) in str(error)  # noqa: PT017
