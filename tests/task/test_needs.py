"""Tests of what tasks need, and of what devices provide."""

from __future__ import annotations

import pytest

from pytest_mobileagent import Task
from pytest_mobileagent._task.needs import parse_has, split_needs, unmet
from pytest_mobileagent.errors import TaskError


def test_a_task_may_need_these() -> None:
    needs = ("events", "web", "gms", "physical", "account:Instagram", "manual:Put in a SIM, too")
    assert Task("Go.", needs=needs).needs == needs


@pytest.mark.parametrize(
    ("need", "complaint"),
    [
        ("evnts", "'evnts' is not one of events, pages, web, .*; did you mean 'events'?"),
        ("acount:X", "'acount:X' is not one of .*; did you mean 'account:X'?"),
        ("account", "'account' lacks its label: account:LABEL"),
        ("manual: ", "'manual: ' lacks its text: manual:TEXT"),
        ("web:yes", "'web:yes' is not one of .*"),
        ("Web", "'Web' is not one of .*; did you mean 'web'?"),
    ],
)
def test_an_unknown_need_names_the_nearest(need: str, complaint: str) -> None:
    with pytest.raises(TaskError, match=complaint.replace("?", r"\?")):
        Task("Go.", needs=(need,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("web", ("web",)),
        (" web , account:My Shop ,", ("web", "account:My Shop")),
        ("manual:a,,b,web", ("manual:a,b", "web")),
        ("manual:a,,,web", ("manual:a,", "web")),
    ],
)
def test_a_comma_in_a_text_is_written_twice(text: str, words: tuple[str, ...]) -> None:
    assert split_needs(text) == words
    assert parse_has(text) == words


@pytest.mark.parametrize("text", [",", "events", "wep", "account:", "web,,gms"])
def test_devices_have_what_tasks_can_need(text: str) -> None:
    with pytest.raises(ValueError, match=r"web|events|account"):
        parse_has(text)


def test_needs_that_devices_lack_are_unmet_except_for_events_which_are_asked_of_them() -> None:
    needs = ("events", "web", "account:Insta  gram", "manual:Do it")
    assert unmet(needs, ()) == ["web", "account:Insta  gram", "manual:Do it"]
    assert unmet(needs, ("web", "account:insta gram", "account:Do it")) == ["manual:Do it"]
