"""Tests of reading objects, numbers, points and keys in replies."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from pytest_mobileagent.dialect.parts import DialectError
from pytest_mobileagent.dialect.reading import (
    amount,
    key_named,
    number,
    object_in,
    point,
    spoken,
    text,
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (" tap\n", "tap"),
        ("<think>Action: stop</think>Action: back", "Action: back"),
        ("<Thinking>a\nb</thinking>\ntap<|im_end|>", "tap"),
        ("<think>a</think> <think>b</think>\nb", "b"),
        ("Well.\n<think>c\nd</think>e", "Well.\ne"),
        ("<s>tap</s><pad><pad>", "tap"),
        ("<think>cut off", "<think>cut off"),
        ("<think>nothing else</think>", "<think>nothing else</think>"),
        ("</think>a", "</think>a"),
        ("type(<think>a</think></s>!)", "type(<think>a</think></s>!)"),
    ],
)
def test_reasoning_is_not_part_of_the_reply(words: str, expected: str) -> None:
    assert spoken(words) == expected


@pytest.mark.parametrize("part", ["<think>", "\n<think>", "</think><think>", "</s>", " "])
def test_long_text_is_parsed(part: str) -> None:
    spoken(part * (200_000 // len(part)))


@pytest.mark.parametrize("part", ['{"a":', "{", "{'a': ", "}", "{}"])
def test_unfinished_objects_are_parsed_or_refused(part: str) -> None:
    with suppress(DialectError):
        object_in(part * (200_000 // len(part)), "b")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('I say: {"a": "b\nc}"} and more', {"a": "b\nc}"}),
        ("```json\n{'a': '}'}\n```", {"a": "}"}),
        ('{"a": "%s"}' % ("}" * 20_000), {"a": "}" * 20_000}),
    ],
)
def test_object_is_found_in_text(words: str, value: Any) -> None:
    assert object_in(words) == value


@pytest.mark.parametrize("words", ["", "none", '{"a": ', "{a}", "[" * 9999, "[1]"])
def test_replies_without_an_object(words: str) -> None:
    with pytest.raises(DialectError):
        object_in(words)


@pytest.mark.parametrize(
    "words",
    [
        '{"a": 1}',
        '{} {"b": 2} {"a": 1}',
        "see {this}: {'a': 1}, and more }",
        '```json\n{"a": 1}\n```',
    ],
)
def test_object_is_found_by_its_keys(words: str) -> None:
    assert object_in(words, "a", "c") == {"a": 1}


@pytest.mark.parametrize("words", ["", "a", '{"b": 1}', '{"a": 1', '["a"]'])
def test_a_reply_without_such_an_object_is_an_error(words: str) -> None:
    with pytest.raises(DialectError, match="no JSON object with a in"):
        object_in(words, "a")


@pytest.mark.parametrize(("value", "meant"), [(5, 5), (0.5, 0.5), ("7", 7), (" -1e1 ", -10)])
def test_numbers_are_parsed(value: object, meant: float) -> None:
    assert number(value) == amount(value) == meant


@pytest.mark.parametrize(("value", "meant"), [(" 3.5 seconds", 3.5), ("-2s", -2), (".5", 0.5)])
def test_amount_may_have_a_unit(value: object, meant: float) -> None:
    assert amount(value) == meant
    if value != ".5":
        with pytest.raises(DialectError, match="the time is not a number"):
            number(value, "the time")


@pytest.mark.parametrize("value", [True, None, "soon", "", float("nan"), 10**400, [], {}])
def test_invalid_numbers(value: object) -> None:
    for read in (number, amount):
        with pytest.raises(DialectError):
            read(value)


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ([1, 2], (1, 2)),
        ((1.0, "2"), (1, 2)),
        ("1 2", (1, 2)),
        ("（1，2）", (1, 2)),
        ("(1, 2)", (1, 2)),
        ("<point>1 2</point>", (1, 2)),
        ({"x": 1, "y": 2}, (1, 2)),
        ([0, 0, 2, 4], (1, 2)),
        ([[1, 2]], (1, 2)),
    ],
)
def test_points_are_parsed(value: object, meant: tuple[float, float]) -> None:
    assert point(value) == meant


@pytest.mark.parametrize(
    "value", [None, [], [1], [1, 2, 3], "here", "one, 2", {"x": 1}, 5, [None, 1]]
)
def test_invalid_points(value: object) -> None:
    with pytest.raises(DialectError):
        point(value)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Return", "enter"),
        ("KEYCODE_BACK", "back"),
        ("ESC", "escape"),
        ("BackSpace", "delete"),
        ("Volume Up", "volume_up"),
    ],
)
def test_keys_have_many_names(name: str, key: str) -> None:
    assert key_named(name) == key


def test_unsupported_keys_are_refused() -> None:
    with pytest.raises(DialectError, match="no key 'F5'"):
        key_named("F5")


def test_text_may_be_a_number() -> None:
    assert (text("a", "type"), text(7, "type"), text(0.5, "type")) == ("a", "7", "0.5")
    with pytest.raises(DialectError, match="type needs a string"):
        text(None, "type")
