"""Tests of the containers that checks inspect: a missing key or item is the agent's failure."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.jsonable import to_wire
from pytest_mobileagent.recorded_data import (
    MissingIndexError,
    MissingItemError,
    MissingKeyError,
    RecordedTuple,
    to_recorded,
)

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
PLAIN = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner)
)


@settings(max_examples=40)
@given(PLAIN)
def test_found_data_behave_like_plain_data_unless_something_is_missing(plain: Any) -> None:
    wrapped = to_recorded(plain)
    assert wrapped == plain
    assert plain == wrapped
    assert repr(wrapped) == repr(plain)
    assert json.dumps(wrapped) == json.dumps(plain)
    assert isinstance(wrapped, type(plain))
    for same in (pickle.loads(pickle.dumps(wrapped)), copy.deepcopy(wrapped), to_wire(wrapped)):
        assert same == to_wire(plain)
        assert type(same) is type(plain)
    assert to_recorded(wrapped) is wrapped


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda v: v["settings"]["gaol"], "there is no 'gaol': there are 'goal', 'name', 'size'"),
        (lambda v: v["rows"][0]["gaol"], "there is no 'gaol': there is 'goal'"),
        (lambda v: v["none"]["gaol"], "there is no 'gaol': there is nothing"),
        (lambda v: v["rows"][1:][0]["a"], "there is no item 0: there is nothing"),
        (lambda v: v["rows"][-2], "there is no item -2: there is {'goal': 1}"),
        (lambda v: v["many"][20], "there is no item 20: there are 0, 1, 2, 3, 4 and 15 more"),
        ("{rows[3]}".format_map, "there is no item 3: there is {'goal': 1}"),
        (
            lambda v: v.copy().pop("gaol"),
            "there is no 'gaol': there are 'settings', 'rows', 'none', 'many'",
        ),
        (lambda v: v["rows"].copy().pop(1), "there is no item 1: there is {'goal': 1}"),
        (lambda v: v["rows"][1:].pop(), "there is no item -1: there is nothing"),
    ],
)
def test_a_missing_item_fails_and_says_what_there_was(ask: Any, words: str) -> None:
    settings = {"name": 1, "size": 2, "goal": 3}
    plain = {"settings": settings, "rows": [{"goal": 1}], "none": {}, "many": list(range(20))}
    value = to_recorded(plain)
    with pytest.raises(AssertionError) as caught:
        ask(value)
    assert str(caught.value) == words
    assert isinstance(caught.value, KeyError if "'gaol'" in words else IndexError)


def test_the_place_of_a_missing_item_is_a_failure_too() -> None:
    for numbers in (to_recorded([1, 2]), RecordedTuple([1, 2])):
        assert numbers.index(2) == 1
        with pytest.raises(MissingItemError, match="3 is not there: there are 1, 2") as caught:
            numbers.index(3)
        assert isinstance(caught.value, ValueError)
        with pytest.raises(MissingItemError):
            numbers.index(1, 1)


def test_existing_items_can_be_removed() -> None:
    value = to_recorded({"a": 1, "rows": [1, 2, 3]})
    assert (value.pop("a"), value.pop("a", None)) == (1, None)
    assert (value["rows"].pop(), value["rows"].pop(0)) == (3, 1)
    assert value == {"rows": [2]}


def test_a_long_text_is_cut_and_the_nearest_keys_come_first() -> None:
    with pytest.raises(MissingKeyError) as caught:
        to_recorded({f"key {n}": n for n in range(600)} | {"xyz" * 1000: 1})["key 17a" + "y" * 999]
    assert len(str(caught.value)) < 400
    with pytest.raises(MissingKeyError, match=r"there is no 'key 17a': there are 'key 17', 'key "):
        to_recorded({f"key {n}": n for n in range(100)})["key 17a"]
    with pytest.raises(MissingIndexError) as missing:
        to_recorded([["x" * 5000] * 5000] * 9)[9]
    assert len(str(missing.value)) < 600


def test_a_tuple_behaves_as_one_except_for_the_missing_item() -> None:
    numbers = RecordedTuple([1, 2, 3])
    assert (numbers[0], numbers[-1], numbers[1:]) == (1, 3, (2, 3))
    assert list(reversed(numbers)) == [3, 2, 1]
    assert (repr(numbers), hash(numbers)) == ("(1, 2, 3)", hash((1, 2, 3)))
    assert type(pickle.loads(pickle.dumps(numbers))) is tuple
    with pytest.raises(MissingIndexError, match="there is no item 2: there are 2"):
        numbers[1:][2]
    with pytest.raises(TypeError):
        numbers["a"]  # type: ignore[call-overload]
