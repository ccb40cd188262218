"""Tests of converting any value to JSON that can be stored, sent and shown safely."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from fractions import Fraction
from pathlib import Path
from types import NoneType
from typing import Any, Literal

import execnet.gateway_base
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Tap
from pytest_mobileagent.jsonable import (
    MOST_NESTED,
    Each,
    Maybe,
    check,
    decimal_number,
    expect,
    is_nested_deeper,
    printable,
    read_as,
    to_line,
    to_wire,
    whole_number,
    why_unreadable,
)


class Text(str):
    """A subclass of `str`."""

    __slots__ = ()


class Whole:
    """An integer type like those of numpy."""

    def __index__(self) -> int:
        return 7


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    YES = "yes"


@dataclass(frozen=True)
class Table:
    """A dataclass with a field of each kind that plain data can stand for."""

    name: str
    price: float | None = None
    size: tuple[int, ...] = ()
    word: Word = Word.YES
    side: Literal["left", "right"] = "left"


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**31))  # execnet can send any larger integer, but none smaller.
    | st.floats()
    | st.text(st.characters())
    | st.binary(max_size=5)
    | st.dates()
    | st.builds(Text, st.text(max_size=5))
    | st.sampled_from([Level.HIGH, Word.YES, Path("a"), Tap(1, 2), Tap, object(), 1j])
)
KEYS = st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.dates()
VALUES = st.recursive(
    LEAVES,
    lambda below: (
        st.lists(below)
        | st.tuples(below, below)
        | st.dictionaries(KEYS, below)
        | st.frozensets(st.integers(0) | st.text())
    ),
    max_leaves=10,
)


@given(VALUES)
def test_any_value_can_be_sent_to_another_process_and_is_one_line_of_json(value: Any) -> None:
    wire, line = to_wire(value), to_line(value)
    assert execnet.gateway_base.loads(execnet.gateway_base.dumps(wire)) == wire == to_wire(wire)
    assert "\n" not in line
    assert json.loads(line.encode()) == wire


def test_unreadable_json_is_reported_in_the_same_words_by_every_python() -> None:
    for fault in ("maximum recursion depth exceeded", "Stack overflow (used 8160 kB)"):
        assert why_unreadable(RecursionError(fault)) == "it is nested too deeply"
    assert why_unreadable(ValueError("it is empty")) == "it is empty"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (math.nan, None),
        (-math.inf, None),
        (Level.HIGH, 3),
        (Word.YES, "yes"),
        (Text("Yes"), "Yes"),
        (Path("a/b"), "a/b"),
        ((1, (2,)), [1, [2]]),
        ({3}, [3]),
        ({1: "a", None: {Word.YES: b"b"}}, {"1": "a", "None": {"yes": "b'b'"}}),
        (datetime(2026, 5, 4, 8, 5), "2026-05-04 08:05:00"),
        ("half \ud83d", "half ?"),
        (Whole(), 7),
        (Fraction(1, 4), 0.25),
    ],
)
def test_other_values_become_text(value: object, plain: object) -> None:
    wire = to_wire(value)
    assert wire == plain
    assert type(wire) is type(plain)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_of_thousands_of_digits_cannot_be_written(sign: int) -> None:
    assert to_line({"a": sign * 10**5000}) == '{"a":null}'
    assert to_wire(sign * 10**3000) == sign * 10**3000


@pytest.mark.parametrize(
    ("value", "kind"),
    [("a", str), (1, float), (True, bool), (None, int | None), ([], list), (1, (int, float)),
     (None, (str, NoneType))],
)  # fmt: skip
def test_a_value_of_its_kind_is_returned(value: object, kind: Any) -> None:
    assert expect(value, kind, "it") is value


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, str), (True, int), (True, float), (True, int | None), (True, (int, float)), (1, bool),
     (1, (str, bool)), (None, str), (math.nan, float), (math.inf, float), ({}, list)],
)  # fmt: skip
def test_a_value_of_another_kind_is_refused(value: object, kind: Any) -> None:
    with pytest.raises(TypeError, match="it cannot be"):
        expect(value, kind, "it")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä 中 👍\n\t", "plain ä 中 👍\n\t"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\rb\x07\x00", "a\\rb\\x07\\x00"),
        ("\u202eright to left", "\\u202eright to left"),
        ("\x9b31m", "\\x9b31m"),
        ("half \ud83d", "half \\ud83d"),
        ("::error::a.py::b\n \u2003::x", ":\\:error::a.py::b\n \u2003:\\:x"),
        ("a ##vso[task.x] ###[y] ##VSO[z]", "a #\\#vso[task.x] ##\\#[y] #\\#VSO[z]"),
    ],
)
def test_control_characters_and_commands_to_ci_systems_are_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text(st.characters()))
def test_whatever_is_printable_stays_so(text: str) -> None:
    assert printable(printable(text)) == printable(text)
    printable(text).encode()


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [MOST_NESTED + 1, 500, 100_000])
def test_deeply_nested_values_are_cut_where_they_are_written(depth: int) -> None:
    value = {"kept": 1, "deep": nested(depth)}
    written = json.loads(to_line(value))
    assert written["kept"] == 1
    assert not is_nested_deeper(written, MOST_NESTED)
    assert "…" in to_line(value)


def test_data_at_the_nesting_limit_are_kept_and_those_nested_in_themselves_cut() -> None:
    value = nested(MOST_NESTED)
    assert not is_nested_deeper(value, MOST_NESTED)
    assert is_nested_deeper([value], MOST_NESTED)
    assert json.loads(to_line(value)) == value
    endless: dict[str, Any] = {"a": 1}
    endless["self"] = endless
    assert json.loads(to_line(endless))["self"]["self"]["a"] == 1


KIND = {
    "name": str,
    "passed": bool | None,
    "tags": Maybe([str]),
    "roles": Each({"calls": int}),
    "price": (float, int, NoneType),
}


@pytest.mark.parametrize(
    "value",
    [{}, {"name": "a", "more": object()}, {"passed": None}, {"passed": True, "tags": None},
     {"price": None}, {"price": -0.5}, {"price": 10**16},
     {"tags": ["a"], "roles": {"agent": {"calls": 1}, "judge": {}}}],
)  # fmt: skip
def test_a_table_of_its_kind_is_returned(value: object) -> None:
    assert check(value, KIND, "it") is value


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (None, "it cannot be of type NoneType"),
        ({"name": 1}, "it.name cannot be of type int"),
        ({"passed": 1}, "it.passed cannot be of type int"),
        ({"price": True}, "it.price cannot be of type bool"),
        ({"price": math.nan}, "it.price cannot be nan"),
        ({"price": -math.inf}, "it.price cannot be -inf"),
        ({"price": 10**300}, "it.price cannot be a number of 997"),
        ({"tags": ["a", {}]}, r"it.tags\[1\] cannot be of type dict"),
        ({"roles": []}, "it.roles cannot be of type list"),
        ({"roles": {"agent": {"calls": True}}}, "it.roles.agent.calls cannot be of type bool"),
    ],
)
def test_errors_in_a_dictionary_are_named(value: object, what: str) -> None:
    with pytest.raises(TypeError, match=what):
        check(value, KIND, "it")


def test_a_dataclass_is_read_by_its_annotations() -> None:
    given = {"name": "a", "price": 1, "size": [1, 2], "word": "yes", "of a newer version": 3}
    assert read_as(Table, given, "it") == Table("a", 1, (1, 2), Word.YES)
    assert read_as(Table, {"name": "a", "price": None}, "it") == Table("a")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ([], "it cannot be of type list"),
        ({}, "name"),
        ({"name": 1}, "it.name cannot be of type int"),
        ({"name": "a", "price": "1"}, "it.price cannot be of type str"),
        ({"name": "a", "size": [1, "2"]}, r"it.size\[1\] cannot be of type str"),
        ({"name": "a", "side": 1}, "it.side cannot be of type int"),
        ({"name": "a", "word": "no"}, "'no' is not a valid Word"),
    ],
)
def test_data_of_another_dataclass_are_refused(given: Any, what: str) -> None:
    with pytest.raises((TypeError, ValueError), match=what):
        read_as(Table, given, "it")


@pytest.mark.parametrize(
    "text", ["１２", "٣", "1_000", "9" * 400, "1e400", "inf", "nan", "", "0x1", "１.5", "½", "²"]
)
def test_unusual_numbers_are_refused(text: str) -> None:
    assert whole_number(text) is None
    assert decimal_number(text) is None


@pytest.mark.parametrize(
    ("text", "number"), [("12", 12), (" -3 ", -3), ("+1", 1), ("0.25", 0.25), (".5", 0.5),
                         ("5.", 5), ("1e-3", 0.001), ("0.1" + "0" * 20, 0.1)]
)  # fmt: skip
def test_decimal_numbers_are_read(text: str, number: float) -> None:
    assert decimal_number(text) == number
    assert whole_number(text) == (number if "." not in text and "e" not in text else None)
