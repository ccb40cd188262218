"""Tests of the terminal's table of metrics, and of the labels and numbers in it."""

import pytest

from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.text import WIDTH, label, points, price, shortener, table

DONE = {
    "steps": 3, "step_ratio": 1.5, "seconds": 4.5, "thinking_seconds": 0.0,
    "termination": "self-reported", "premature": False, "overdue": False, "unpriced_calls": 0,
}  # fmt: skip
SPENT = {"thinking_seconds": 3.9, "input_tokens": 129_400, "output_tokens": 7_432, "cost_usd": 0.4}


def test_first_eight_columns_are_always_shown(result):
    assert table(summarise([result(True, suite="clock", **DONE)])) == [
        "suite  tasks  success rate  ratio  premature  overdue  steps  s/step",
        "clock      1  100.0% (1/1)   1.50   0.0% (0)  n/a (0)    3.0    1.50",
    ]


def test_other_columns_are_shown_unless_empty(result):
    results = [
        result(True, id="a", suite="clock", infrastructure=["broke off"] * 2, **{**DONE, **SPENT}),
        result(None, id="b", suite="clock"),
        result(None, id="c", suite="clock", outcome="not run"),
    ]
    assert table(summarise(results)) == [
        "suite  tasks  success rate  ratio  premature  overdue  steps  s/step  think s  tokens in/out  price  errors  infra  not run",  # noqa: E501
        "clock      3  100.0% (1/1)   1.50   0.0% (0)  n/a (0)    3.0    1.50      1.3      129k/7.4k  $0.40       1      2        1",  # noqa: E501
        "           of all 3: 33.3%",
    ]


def test_partial_credit_column_appears_with_sub_goals(result):
    results = [
        result(True, suite="clock", partial_credit=1.0, **DONE),
        result(False, suite="clock", partial_credit=0.5, **DONE),
        result(False, suite="notes", **DONE),
    ]
    title, clock, notes, everything = table(summarise(results))
    assert title.endswith("s/step  partial")
    assert [line.split()[-1] for line in (clock, notes, everything)] == ["75.0%", "n/a", "75.0%"]


@pytest.mark.parametrize(
    ("dollars", "unpriced", "shown"),
    [
        (None, 0, ""),
        (0.0, 0, "$0.00"),
        (0.31, 0, "$0.31"),
        (0.0012, 0, "$0.0012"),
        (0.31, 12, "$0.31 + 12 unpriced calls"),
        (None, 1, "1 unpriced call"),
    ],
)
def test_unknown_price_is_never_zero(dollars, unpriced, shown):
    assert price(dollars, unpriced) == shown


@pytest.mark.parametrize(
    ("counts", "shown"),
    [
        ((950, 0), "950/0"),
        ((20_000, 14_300), "20k/14.3k"),
        ((2_100_000, 129_000), "2.1M/129k"),
        ((5, None), "5/n/a"),
    ],
)
def test_token_counts_are_abbreviated(result, counts, shown):
    spent = dict(zip(("input_tokens", "output_tokens"), counts, strict=True))
    assert table(summarise([result(True, **DONE, **spent)]))[1].split()[-1] == shown


def test_environment_rows_fit_the_terminal(result):
    fields = {"suite": "coursera", "environment": "105", **DONE}
    results = [result(False, id=f"t{number}", **fields) for number in range(99)]
    rows = table(summarise([*results, result(True, **fields)]))
    assert rows[-1].startswith("env 105")
    assert max(map(len, rows)) <= WIDTH


def test_long_suite_names_are_truncated_before_numbers_and_controls_escaped(result):
    rows = table(summarise([result(True, suite="s" * 300, **DONE)]))
    assert max(map(len, rows)) <= WIDTH
    assert rows[1].endswith("1.50")
    assert "\x1b" not in "".join(table(summarise([result(True, suite="\x1b[2J", **DONE)])))


def test_several_suites_have_a_total_row(result):
    clock = result(True, suite="clock", **DONE)
    rows = table(summarise([clock, result(False, **DONE), result(None, suite="map")]))
    assert [row.split()[0] for row in rows] == ["suite", "(no", "clock", "map", "all", "of"]
    assert "50.0% (1/2)" in rows[-2]
    assert rows[-1].strip() == "of all 3: 33.3%"


def test_unknown_values_are_not_shown_as_zero(result):
    (_, row, _) = table(summarise([result(None, suite="clock")]))
    assert row.split() == (
        ["clock", "1", "n/a", "(0/0)", "n/a", "n/a", "(0)", "n/a", "(0)", "n/a", "n/a", "1"]
    )


def test_common_folders_are_removed_from_ids():
    ids = ["tasks/clock/alarm/alarm", "tasks/clock/timer/start[a/b]"]
    assert [shortener(ids)(each) for each in ids] == ["alarm/alarm", "timer/start[a/b]"]
    assert shortener([*ids, "other"])(ids[0]) == ids[0]
    assert label("tasks/a", "100") == "tasks/a[env100]"
    assert label("a\x1b[0m") == "a\\x1b[0m"


@pytest.mark.parametrize(
    ("share", "text"), [(0.008, "+0.8"), (-0.091, "-9.1"), (-0.0004, "+0.0"), (0.1, "+10.0")]
)
def test_points_have_a_sign(share, text):
    assert points(share) == text
