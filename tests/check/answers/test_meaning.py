"""Tests of the meaning of an answer's parts: tables of equivalent and of different texts."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.check.answers import answers
from pytest_mobileagent.check.answers.reading import read
from pytest_mobileagent.screen.explain import collect_misses


def pairs(table: str) -> list[Any]:
    """Return a test parameter for each line of a table: the expected text and the given answer."""
    lines = [line.strip() for line in table.strip().splitlines() if line.strip()]
    cells = (re.split(r"\s*\|\s*", line) for line in lines)
    return [pytest.param(*cell, id=f"{n}-{cell[0]}-{cell[1]}") for n, cell in enumerate(cells)]


# Equivalent for a person: the expected text on the left, the given answer on the right.
SAME = """
    May 6               | May 6
    May 6               | 6 May
    May 6               | 6th of May
    May 6               | It is on May 6th.
    May 6               | 6 May 2026
    May 6               | May 6, 2026
    May 6               | 2026-05-06
    May 6               | 06.05.2026
    May 6               | 6.5.2026
    May 6               | am 06.05. um 9:30
    May 6               | 5月6日
    May 6               | 2026年5月6日
    6 May 2026          | 2026-05-06
    6 May 2026          | 2026/5/6
    6 May 2026          | Wednesday, May 6, 2026
    6 May 2026          | Wed 6 May 2026, 9:30
    2026-05-06          | May 6th, 2026
    2026-05-06          | 二〇二六 and 2026年5月6号
    5月6日               | 五月六日
    5月6日               | 5月6号
    11月22日             | 十一月二十二日
    12月31日             | Dec 31
    Sept 3              | September 3
    Jan 2026            | January 2026
    January 2026        | 2026年1月
    13/05/2026          | 13 May 2026
    05/13/2026          | 13.5.2026
    May 13              | 05/13/2026
    2026                | on 2026-05-06
    2026                | May 6, 2026
    May                 | on May 6
    Monday              | It is on Mon.
    Monday              | 星期一
    周日                 | 星期天
    Saturday            | Sat, May 9
    Sunday              | on Sun 9:30
    Thurs               | Thursday
    9:30 am             | 09:30
    09:30               | 9:30 AM
    9:30                | at 9:30
    9:30                | It rings at 9:30am
    6:45                | 6:45\u202fAM
    9:30 PM             | 21:30
    21:30               | 9:30 p.m.
    9 am                | 9:00
    9:00 AM             | 9 a.m.
    12 am               | 0:00
    12:30 am            | 00:30
    12:30 pm            | 12:30
    9:30:00             | 9:30
    上午9:30             | 9:30
    下午9:30             | 21:30
    下午3点              | 15:00
    下午三点半            | 3:30 PM
    晚上8点15分           | 20:15
    十点一刻              | 10:15
    中午12点             | 12:00
    中午1点              | 13:00
    15时30分             | 15:30
    $12.50              | 12.50 USD
    $12.50              | US$ 12,50
    $12.50              | It costs 12.50 dollars.
    $12.50              | $12.5
    $12.50              | 12.50
    $1,234.50           | 1234.5 USD
    12.50 USD           | $12.50
    €1.234,50           | 1234.50 EUR
    12,50 €             | 12.50 euros
    £5                  | GBP 5
    ¥12                 | 12元
    ¥12                 | 12 yuan
    ¥12                 | JPY 12
    12元                 | 12块
    12元                 | ¥12.00
    12.5元               | 12块5
    12.5元               | 12块5毛
    12元                 | 人民币12元
    1.2万元              | 12000元
    12000元              | 1.2万元
    ₩5,000              | 5000 won
    HK$20               | 20 HKD
    12.50               | $12.50
    12                  | 12元
    -$5                 | -5 USD
    20%                 | 20 percent
    20%                 | 20
    20%                 | 百分之20
    20 per cent         | 20 %
    3.5 km              | 3500 m
    3.5 km              | 3.5公里
    3.5公里              | 3.5 kilometers
    3.5公里              | 3500米
    1 mile              | 1609.344 m
    2 kg                | 2公斤
    1斤                  | 500克
    500 ml              | 0.5 litres
    90 min              | 1 h 30 min
    90 minutes          | 1 hour and 30 minutes
    90分钟               | 1小时30分钟
    1小时30分钟           | 1 h 30 min
    1.5 hours           | 90分钟
    3725 s              | 1 h 2 min 5 s
    48 h                | 2 days
    1.2 GB              | 已用1.2GB的空间
    3                   | three
    3                   | There are three of them.
    three               | 3
    22                  | twenty-two
    40                  | forty
    3个                  | 三个
    3                   | 有三个闹钟
    2                   | 两条短信
    12                  | 十二天
    three hours         | 3 h
    两个小时              | 2个小时
    3 songs             | Three songs
    1                   | one
    Oslo on May 6       | It is Oslo, on 6 May.
    10:15 to Oslo       | The 10:15 AM to Oslo
    $5 per night        | 5 USD per night
"""
# Texts that are different, or not certainly equivalent.
OTHER = """
    May 6               | 6
    8:00                | 7:00-8:00
    8 PM                | 7-8 PM
    $10                 | $5-$10
    5                   | 3-5
    6                   | I found 6, may be 7
    6                   | May 6
    6                   | 6 May 2026
    6                   | 5月6日
    5                   | 5月6日
    6                   | 2026-05-06
    5                   | 2026-05-06
    May 6               | May 16
    May 6               | May 60
    May 6               | March 6
    May 6               | May 7
    May 6               | 05/06/2026
    May 6               | 06/05/2026
    May 6               | 6.5
    May 6               | May
    May 6, 2026         | May 6
    May 6, 2026         | May 6, 2025
    2026-05-06          | 2026-06-05
    2026-05-06          | 2026-05-16
    2026-05-06          | 2026
    5月6日               | 5月16日
    5月6日               | 15月6日
    5月6日               | 6月5日
    May 2026            | May 6, 2026
    February 30         | March 1
    Monday              | Tuesday
    Monday              | month
    Sunday              | the sun shines
    Saturday            | He sat down
    周一                 | 周二
    9:30 am             | 9:30 pm
    9:30                | 9:30 pm
    9:30 pm             | 9:30
    9:30                | 下午9:30
    9                   | 9 am
    9                   | 9:30
    30                  | 9:30
    9:30                | 9:31
    9:30                | 19:30
    9:30                | 9:30:15
    12 am               | 12:00
    下午3点              | 3:00
    3点                  | 13点
    3                   | 下午3点
    $12.50              | €12.50
    $12.50              | $12.05
    $12.50              | 12.50 CAD
    $12.50              | £12.50
    $12.50              | $112.50
    $12.50              | 12.50 kg
    $12                 | $12.50
    $12                 | $120
    $5                  | -$5
    $1.234              | $1234
    £5                  | 5 lb
    12元                 | 12 JPY
    12元                 | 1.2元
    12                  | 12块5
    5                   | 12块5
    1.2万元              | 1.2元
    1.2                 | 1.2万元
    20%                 | 2%
    20%                 | 20 GB
    20%                 | 120%
    3.5 km              | 3.5 m
    3.5 km              | 3.5 miles
    3.5公里              | 3.5米
    3.5公里              | 13.5公里
    5米                  | 5毫米
    2 kg                | 2 lb
    90 min              | 90 h
    90 min              | 90
    30 min              | 1 h 30 min
    1 h                 | 1 h 30 min
    30                  | 1 h 30 min
    2小时                | 2分钟
    1.2 GB              | 1.2
    1                   | This one is the best.
    1                   | 我发现一个问题
    2                   | twenty-two
    20                  | twenty-two
    2                   | two hundred
    100                 | two hundred
    3                   | third
    3                   | three-way
    3                   | threefold
    3                   | 三星
    3                   | 星期三
    3                   | 第三个
    2                   | 十二个
    10                  | 十二个
    3                   | two and a half
    2                   | two and a half
"""


@pytest.mark.parametrize(("expected", "said"), pairs(SAME))
def test_an_answer_may_use_another_notation(expected: str, said: str) -> None:
    assert answers(said, expected)


@pytest.mark.parametrize(("expected", "said"), pairs(OTHER))
def test_an_answer_with_another_meaning_is_refused(expected: str, said: str) -> None:
    assert not answers(said, expected)


FORMS = ["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%Y年%m月%d日", "%Y/%m/%d"]
DAYS = st.dates(date(1000, 1, 1), date(9999, 12, 30))


@given(DAYS, st.sampled_from(FORMS), st.sampled_from([*FORMS, "%a %d %b %Y"]))
def test_day_matches_itself_in_every_format_and_no_other_day(
    day: date, one: str, other: str
) -> None:
    assert answers(f"It was {day:{other}}, I think", f"{day:{one}}")
    assert not answers(f"{day + timedelta(days=1):{other}}", f"{day:{one}}")


@given(st.times(), st.times(), st.sampled_from(["%H:%M", "%I:%M %p", "%I:%M%p"]))
def test_times_match_if_their_minutes_are_equal(one: Any, other: Any, form: str) -> None:
    assert answers(f"at {one:{form}}.", f"{one:%H:%M}")
    is_same = (one.hour, one.minute) == (other.hour, other.minute)
    assert answers(f"{other:{form}}", f"{one:%H:%M}") is is_same


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_amounts_of_money_match_if_their_cents_are_equal(one: int, other: int) -> None:
    said = f"{other // 100:,}.{other % 100:02} USD"
    assert answers(said, f"${one // 100}.{one % 100:02}") is (one == other)


PIECES = st.sampled_from(
    re.split(
        r"\|",
        "0|1|6|12|2026|.|,|:|-|/|$|€|¥|元|块|%|may|6th|am|pm|月|日|年|点|小时|周|三|十|two|h| ",
    )
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_every_text_states_itself(text: str) -> None:
    if text.strip():
        assert answers(text, text)
    reading = read(text)
    assert all(
        0 <= place < piece.end <= len(reading.words) for place, piece in reading.pieces.items()
    )


def test_a_miss_shows_meanings_that_words_do_not_show() -> None:
    with collect_misses() as misses:
        assert not answers("It was €12.50 on 06.05.2026 at 9 pm", "$12.50")
    (miss,) = misses
    assert miss().splitlines()[-1] == (
        "  compared: '12.5 USD' with 'it was 12.5 EUR on 2026-05-06 at 21:00'"
    )


def test_a_paraphrase_is_requested_only_if_the_words_differ() -> None:
    asked: list[tuple[str, str]] = []

    def judge(said: str, expected: str) -> bool:
        asked.append((said, expected))
        return said == "No charge."

    assert answers("It is free.", "free", paraphrase=judge)
    assert not asked
    assert answers("No charge.", "free", paraphrase=judge)
    assert not answers("No idea.", ["free", "today"], paraphrase=judge)
    assert asked == [("No charge.", "free"), ("No idea.", "free, today")]
    assert not answers(" ", "free", paraphrase=judge)
    assert not answers("No charge.", "", paraphrase=judge)
    assert len(asked) == 2
