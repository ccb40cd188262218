"""Tests of checks on actions: which text was typed where, keys pressed, and elements held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Key, LongPress, Raw, Tap, Type
from pytest_mobileagent.check.actions import Typed, runs
from pytest_mobileagent.screen.explain import collect_misses
from pytest_mobileagent.screen.selector import CriteriaError
from pytest_mobileagent.testing import make_screen

if TYPE_CHECKING:
    from pytest_mobileagent import Screen


def form(to: str = "", via: str = "", focused: str = "") -> Screen:
    """Return a screen with two fields, one optionally focused, and a label inside a row."""
    common = {"class": "android.widget.EditText", "clickable": "true"}
    fields = [
        {
            **common,
            "text": text,
            "resource-id": f"a:id/{name}",
            "bounds": f"[0,{top}][100,{top + 50}]",
        }
        | ({"focused": "true"} if name == focused else {})
        for name, text, top in (("to", to, 0), ("via", via, 50))
    ]
    label = {"class": "android.widget.TextView", "text": "Search", "bounds": "[0,100][100,150]"}
    return make_screen(*fields, label)


@pytest.mark.parametrize(
    ("decisions", "screens"),
    [
        ([Type("Oslo", at=(5, 5))], [form(), form("Oslo")]),
        ([Type("Oslo")], [form(focused="to"), form("Oslo")]),
        ([Type("Oslo")], [form(), form("Oslo")]),
        ([[Tap(5, 5), Type("Oslo")]], [form(focused="via"), form("Oslo")]),
        ([[Tap(5, 105), Type("Oslo")]], [form(), form("Oslo", focused="to")]),
        ([Tap(5, 5), Type("Oslo")], [form(), form(focused="to"), form("Oslo")]),
        (
            [Type("O", at=(5, 5)), Type("s"), Type("lo")],
            [form(), form("O", focused="to"), form("Os", focused="to"), form("Oslo")],
        ),
        (
            [Type("Osla", at=(5, 5)), Key("delete"), Type("o")],
            [form(), form("Osla", focused="to"), form("Osl", focused="to"), form("Oslo")],
        ),
        (
            [Type("Bergen", at=(5, 5)), Type("Oslo", at=(5, 5), clear=True)],
            [form(), form("Bergen"), form("Oslo")],
        ),
        ([Raw("ime commit Oslo")], [form("Where to?"), form("Oslo")]),
        ([Raw("ime commit lo")], [form("Os"), form("Oslo")]),
    ],
    ids=[
        "at a field",
        "with the focus",
        "into what changed",
        "after a tap",
        "after a tap elsewhere",
        "in the next step",
        "by letters",
        "with a mistake",
        "after another",
        "by a program",
        "in parts by a program",
    ],
)
def test_text_is_attributed_to_the_focused_field(make_episode, decisions, screens):
    episode = make_episode(*decisions, screens=tuple(screens))
    assert episode.typed("Oslo")
    assert episode.typed("Oslo", resource_id="to")
    assert episode.typed("Oslo", lambda screen: screen.find(resource_id="to"))
    assert not episode.typed("Oslo", resource_id="via")


def test_texts_in_two_fields_are_not_joined(make_episode):
    screens = (form(), form("Os"), form("Os", "lo"))
    episode = make_episode(Type("Os", at=(5, 5)), Type("lo", at=(5, 55)), screens=screens)
    assert not episode.typed("Oslo")
    assert episode.typed("lo", resource_id="via")


def test_cleared_text_is_not_part_of_the_next_text(make_episode):
    screens = (form(), form("Os"), form("lo"))
    episode = make_episode(
        Type("Os", at=(5, 5)), Type("lo", at=(5, 5), clear=True), screens=screens
    )
    assert not episode.typed("Oslo")


def test_miss_lists_the_typed_texts_and_fields(make_episode):
    episode = make_episode(Type("Oslo", at=(5, 55)), screens=(form(), form("", "Oslo")))
    with collect_misses() as misses:
        assert not episode.typed("Oslo", resource_id="to")
    said = misses[-1]().splitlines()
    assert said[0] == "'Oslo' was not typed into resource_id='to' in 1 steps"
    assert said[1].startswith("  instead: 'Oslo' into <EditText")
    assert "a:id/via" in said[1]


def test_a_field_is_specified_in_one_way(make_episode):
    with pytest.raises(CriteriaError, match=r"typed\(\) takes criteria"):
        make_episode().typed("a", lambda screen: screen.root, text="b")
    with pytest.raises(CriteriaError):
        make_episode().typed("a", colour="red")


LETTERS = st.lists(st.tuples(st.text("ab", min_size=1, max_size=2), st.booleans()), max_size=6)


@given(LETTERS)
def test_letters_are_joined_until_the_field_is_cleared(each):
    screen = form()
    field = (screen.get(resource_id="to"),)
    typed = [Typed(n, text, screen, field, fresh) for n, (text, fresh) in enumerate(each)]
    texts = [run.text for run in runs(typed)]
    whole = "".join(text for text, _ in each)
    assert all(text in whole for text in texts)
    assert {text for text, _ in each} <= set(texts)
    if each and not any(fresh for _, fresh in each[1:]):
        assert whole in texts


def test_keys_are_matched_by_name(make_episode):
    episode = make_episode(Key("back"), Type("a", enter=True))
    assert episode.pressed("back")
    assert episode.pressed("enter")
    with collect_misses() as misses:
        assert not episode.pressed("home")
    assert misses[0]().splitlines() == [
        "the key 'home' was not pressed in 2 steps",
        "  instead: back",
    ]
    with pytest.raises(CriteriaError, match="there is no key 'return'"):
        episode.pressed("return")  # type: ignore[arg-type]


def test_a_long_press_hits_the_elements_around_it(make_episode):
    episode = make_episode(Tap(5, 5), LongPress(5, 105), screens=(form(),) * 3)
    assert episode.long_pressed(text="Search")
    with collect_misses() as misses:
        assert not episode.long_pressed(resource_id="to")
    assert misses[-1]().startswith(
        "no long press hit resource_id='to' in 2 steps\n  instead: step 2"
    )
    assert episode.tapped(resource_id="to")
