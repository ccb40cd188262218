"""Tests of answers: stated, absent or unclear."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.answers import (
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
    read_answer,
    time,
    yes,
)
from pytest_mobileagent.errors import TaskError

EMPLOYER = "Which company does Nadia Haddad work for?"
HOTEL = "Which hotel is the cheapest?"
LONGEST = "Which of the three courses is the longest, and how many hours does it take?"
ALARM = "Is the alarm on?"
ALARMS = "How many alarms are set after 7 am?"
OFFERED = "Which is cheaper, the Acme or the Tidewater?"

# goal, expected, answer, outcome
TABLE: list[tuple[str, str | Kind | list[str | Kind], str, str]] = [
    (EMPLOYER, "Tidewater", "Tidewater", "stated"),
    (EMPLOYER, "Tidewater", "Nadia Haddad works for Tidewater.", "stated"),
    (EMPLOYER, "Tidewater", "It's Acme. I also saw Tidewater in the list.", "unclear"),
    (EMPLOYER, "Tidewater", "Tidewater?", "unclear"),
    (EMPLOYER, "Tidewater", "Tidewater is not where Nadia Haddad works.", "unclear"),
    (EMPLOYER, "Tidewater", "Tide Water", "unclear"),
    (EMPLOYER, "Tidewater", "Acme", "absent"),
    (EMPLOYER, "Tidewater", EMPLOYER, "absent"),
    (HOTEL, "Hilton", "Marriott, Hilton, Ibis", "unclear"),
    (HOTEL, "Hilton", "Hilton Garden Inn", "unclear"),
    (HOTEL, "Hilton", "The cheapest hotel is **Hilton**.", "stated"),
    (LONGEST, "Linear Algebra", "I don't know. Linear Algebra has 24 hours.", "unclear"),
    (LONGEST, "24", "I don't know.\n\n24", "unclear"),
    (LONGEST, "24", "The course takes 24 hours.", "stated"),
    (LONGEST, "24", "24h", "unclear"),
    (OFFERED, "Tidewater", "Tidewater is cheaper.", "unclear"),
    (OFFERED, "Tidewater", "It's the Tidewater.", "stated"),
    (OFFERED, "Tidewater", "The Acme", "absent"),
    (OFFERED, "Tidewater", OFFERED, "unclear"),
    (ALARMS, "3", "There are 3 alarms set after 7 am.", "stated"),
    (ALARMS, "7", "There are 3 alarms set after 7 am.", "unclear"),
    (ALARMS, "0", "There are no alarms set after 7 am.", "stated"),
    (ALARMS, "0", "No idea.", "unclear"),
    (ALARMS, "3", "3 of the 5 alarms are set", "unclear"),
    (ALARMS, "3", "3-5", "unclear"),
    (ALARMS, "3", ">3", "unclear"),
    (ALARMS, "3", "about 3", "unclear"),
    (ALARM, yes(), "Yes, the alarm is on.", "stated"),
    (ALARM, yes(), "The alarm is on.", "unclear"),
    (ALARM, yes(), "No.", "absent"),
    (ALARM, no(), "No, it is not.", "stated"),
    (ALARM, no(), "No idea.", "unclear"),
    (ALARM, no(), "Yes, it is", "absent"),
    ("", "no", "No idea.", "unclear"),
    ("", "", "anything", "absent"),
    ("", "6", "", "absent"),
    ("", "6", "6\n7", "unclear"),
    ("", "6", "There are seven.\n\nAnswer: 6", "stated"),
    ("", "6", "Answer: 6\nSorry, it is 7.", "unclear"),
    ("", "6", '{"answer": 6}', "stated"),
    ("", "6", '```json\n{"answer": "6"}\n```', "stated"),
    ("", "6", '{"answer": "7", "other": 6}', "unclear"),
    ("", "yes", "true", "stated"),
    ("有几个未读消息？", "6", "有6个未读消息。", "stated"),
    ("有几个未读消息？", "6", "不是6个", "unclear"),
    ("距离最近的医院是哪家？", "第一人民医院", "距离最近的医院是第一人民医院。", "stated"),
    ("", "第一人民医院", "答案：第一人民医院", "stated"),
    ("", "第一人民医院", "第一人民医院分院", "unclear"),
    ("What is their number?", "13900550202", "Their number is 139 0055 0202.", "stated"),
    ("", "555-123-4567", "5551234567", "stated"),
    ("", phone("+1 555 010 4567"), "(555) 010-4567", "stated"),
    ("", phone("+1 555 010 4567"), "555 010 4568", "absent"),
    ("", number(4.8, of=5), "4.8/5", "stated"),
    ("", number(4.8, of=5), "4.8 out of 5 stars", "stated"),
    ("", number(4.8, of=5), "4.8 of 10", "unclear"),
    ("", "4.8", "4.8/5", "unclear"),
    ("", "4.0", "4.0 stars", "unclear"),
    ("What is the rating?", "4.8", "4.8/5", "stated"),
    ("What is the rating?", "4.8", "4.8/10", "unclear"),
    ("How much is the tea?", "$4.80", "4.8/5", "unclear"),
    (ALARM, no(), "No alarm is not on.", "unclear"),
    ("Is the alarm off?", yes(), "Yes, the alarm is on.", "unclear"),
    ("How many kilometres is it?", "5", "It is 5 km.", "stated"),
    ("", "3", "#3", "unclear"),
    ("", "4", "4/5", "unclear"),
    ("", "7.5", "7.50", "unclear"),
    ("", "7.50", "7.5", "unclear"),
    ("", "7.5", "$7.50", "stated"),
    ("", number(7.5), "7.50", "stated"),
    ("", "0471", "471", "absent"),
    ("How many contacts are there?", "12", "Based on the screen, there are 12 contacts.", "stated"),
    ("有几个联系人？", "12", "根据屏幕显示，共有12个联系人。", "stated"),
    ("", number(4.8, of=5), "4.7", "absent"),
    ("", quantity("1.2 GB"), "1200 MB", "stated"),
    ("", quantity("1.2 GB"), "1.2 MB", "absent"),
    ("", quantity("1.2 GB"), "1.2", "unclear"),
    ("", quantity("1.2 GB"), "3 GB", "absent"),
    ("", duration("90 min"), "1 h 30 min", "stated"),
    ("", duration("90 min"), "an hour and a half", "unclear"),
    ("", duration("90 min"), "2 hours", "absent"),
    ("", money("$12.50"), "USD 12.50", "stated"),
    ("", money("$12.50"), "€12.50", "absent"),
    ("", money("$12.50"), "-$12.50", "unclear"),
    ("", money("$1,250"), "1250 dollars", "stated"),
    ("", time("9:30 PM"), "21:30", "stated"),
    ("", time("9:30 PM"), "9:30", "unclear"),
    ("", time("9:30 PM"), "9:30 am", "absent"),
    ("", time("6:45"), "6:45 AM", "stated"),
    ("", date(2026, 5, 6), "May 6, 2026", "stated"),
    ("", date(2026, 5, 6), "05/06/2026", "unclear"),
    ("", date(2026, 5, 6), "2026-06-05", "absent"),
    ("", date(2026, 5, 6), "tomorrow", "unclear"),
    ("", date(None, 5, 6), "Wednesday, 6 May 2026", "stated"),
    ("", "nadia@example.com", "nadia@EXAMPLE.com", "stated"),
    ("", exact("nadia@example.com"), "Nadia@example.com", "unclear"),
    ("", exact("nadia@example.com"), "nadia example com", "unclear"),
    ("", exact("5.21.0"), "5.21.01", "unclear"),
    ("", exact("5.21.0"), "5.20.0", "absent"),
    ("", name("José Núñez"), "jose nunez", "stated"),
    ("", name("José Núñez"), "José", "unclear"),
    ("", "Anna Berg", "Dr. Anna Berg", "stated"),
    ("", "张伟", "张伟先生", "stated"),
    ("", "on", "It is enabled.", "stated"),
    ("", name("José Núñez"), "Núñez, José", "unclear"),
    ("", "13 items", "12 items", "absent"),
    ("", "13 items", "13 items", "stated"),
    ("", "13 items", "thirteen items", "unclear"),
    ("", "on", "It is on.", "stated"),
    ("", "on", "It is on the list.", "unclear"),
    ("", one_of("13:00", "1 PM"), "1:00 PM", "stated"),
    ("", one_of("red", "green"), "red, green", "unclear"),
    ("", ["Maps", "Gmail"], "Maps and Gmail", "stated"),
    ("", ["Maps", "Gmail"], "Gmail and Maps", "absent"),
    ("", ["Maps", "Gmail"], "Maps, Gmail and Chrome", "unclear"),
    ("", ["Maps", "Google Maps"], "Maps, Google Maps", "stated"),
    ("", ["6", "7"], "1. 6\n2. 7", "stated"),
    ("", ["6", "6"], "6", "unclear"),
    ("", ["Maps", "Gmail"], "- Maps", "absent"),
]


@pytest.mark.parametrize(("goal", "expected", "answer", "outcome"), TABLE)
def test_answers_are_certain_only_without_other_words(goal, expected, answer, outcome):
    reading = read_answer(answer, expected, goal)
    assert (reading.outcome, reading.reason) == (outcome, reading.reason)


def _table(file: str) -> list[list[str]]:
    lines = (Path(__file__).parent / file).read_text("utf-8").splitlines()
    return [line.split(" | ") for line in lines if not line.startswith("#")]


def test_wrong_answers_are_never_stated_and_right_ones_never_absent():
    pairs = _table("pairs.txt")
    read = [
        [expected, said, str(read_answer(said, expected).outcome)] for expected, said, _ in pairs
    ]
    assert read == pairs
    assert len(pairs) > 300


@pytest.mark.parametrize(
    ("goal", "expected", "answer", "outcome"),
    [*_table("questions.txt"), *_table("transcripts.txt")],
)
def test_words_of_the_goal_may_stand_around_a_value(goal, expected, answer, outcome):
    sought = expected[1:-1].split(";") if expected.startswith("[") else expected
    reading = read_answer(answer.replace("\\n", "\n"), sought, goal)
    assert (reading.outcome, reading.reason) == (outcome, reading.reason)


def test_wrong_answers_that_were_written_against_the_reading_are_not_stated():
    attacks = _table("attacks.txt")
    stated = [
        (expected, said)
        for goal, expected, said in attacks
        if read_answer(said.replace("\\n", "\n"), expected, goal).outcome == "stated"
    ]
    assert stated == []


def test_order_does_not_matter_if_the_test_says_so():
    assert read_answer("Gmail and Maps", ["Maps", "Gmail"], any_order=True).outcome == "stated"
    twice = read_answer("6, 7, 6", ["6", "7", "6"], any_order=True)
    assert twice.outcome == "stated"


@pytest.mark.parametrize(
    ("expected", "read_as"),
    [
        ("7", "the number 7"),
        ("7.50", "the number 7.50"),
        ("0471", "exactly '0471'"),
        ("4.8/5", "the number 4.8 of 5"),
        ("1/2", "the number 0.5"),
        ("3 items", "'3 items'"),
        ("1.2 GB", "the quantity 1.2 GB"),
        ("90 min", "the duration 90 min"),
        ("$12.50", "the sum $12.50"),
        ("9:30 PM", "the time 21:30"),
        ("May 6, 2026", "the date 2026-05-06"),
        ("5月6日", "the date 05-06"),
        ("555-123-4567", "the phone number 555-123-4567"),
        ("nadia@example.com", "exactly 'nadia@example.com'"),
        ("5.21.0", "exactly '5.21.0'"),
        ("yes", "yes"),
        ("Linear Algebra", "'Linear Algebra'"),
    ],
)
def test_string_is_read_as_the_kind_that_it_plainly_is(expected, read_as):
    assert read_answer("nothing of the sort", expected).expected == read_as


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: time("soon"), "'soon' is not a time of day"),
        (lambda: money("12"), "'12' is not a sum of money"),
        (lambda: quantity("12"), "'12' is not an amount with a known unit"),
        (lambda: duration("1.2 GB"), "'1.2 GB' is not a duration"),
        (lambda: phone("12"), "'12' is not a telephone number"),
        (lambda: name("…"), "'…' has no letters or digits"),
        (lambda: read_answer("5", 5), "must be text, or a kind"),  # type: ignore[arg-type]
        (lambda: read_answer("5", []), "answers\\(\\[\\]\\): must be text"),
    ],
)
def test_value_of_another_kind_is_an_error_of_the_task(make, problem):
    with pytest.raises(TaskError, match=problem):
        make()  # type: ignore[operator]


@given(st.text(max_size=80), st.text(max_size=20))
def test_any_text_is_read(answer, expected):
    assert read_answer(answer, expected, answer).outcome in {"stated", "absent", "unclear"}


@given(st.integers(0, 10**6))
def test_number_is_stated_by_its_digits_and_absent_from_the_next_one(number_):
    assert read_answer(f"{number_:,}", str(number_)).outcome == "stated"
    assert read_answer(str(number_ + 1), str(number_)).outcome == "absent"


def test_reading_time_grows_slowly_with_the_length():
    assert read_answer("6 " * 50_000, "6").outcome == "unclear"
    assert read_answer("1" * 50_000, "6").outcome == "absent"
