"""Tests of selectors: criteria, and relations between elements by hierarchy and bounds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Screen
from pytest_mobileagent.screen.explain import NotFoundError, collect_misses
from pytest_mobileagent.screen.selector import CriteriaError, Selector

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent import Element


BUTTON = "android.widget.Button"


@pytest.fixture
def screen(make_screen: Callable[..., Screen]) -> Screen:
    return make_screen(
        {"text": "9:41\u202fAM", "resource-id": "com.clock:id/time", "package": "com.clock"},
        {"text": "Save", "class": BUTTON, "resource-id": "com.clock:id/ok", "clickable": "true"},
        {"text": "SAVE", "class": "a.Form$Button", "resource-id": "android:id/ok"},
        {"content-desc": "Save", "class": "android.widget.CheckBox", "checked": "true"},
        {"text": "", "resource-id": "save_button", "enabled": "false"},
        package="com.clock",
    )


@pytest.mark.parametrize(
    ("criteria", "places"),
    [
        ({"text": "9:41 AM"}, [0]),
        ({"text": ""}, [3, 4]),
        ({"text": re.compile("(?i)^save$")}, [1, 2]),
        ({"text": re.compile("41 A")}, [0]),
        ({"content_desc": "Save"}, [3]),
        ({"resource_id": "ok"}, [1, 2]),
        ({"resource_id": "com.clock:id/ok"}, [1]),
        ({"resource_id": "id/ok"}, []),
        ({"resource_id": "save_button"}, [4]),
        ({"resource_id": ""}, []),
        ({"resource_id": re.compile("^com.clock")}, [0, 1]),
        ({"class_name": "Button"}, [1]),
        ({"class_name": BUTTON}, [1]),
        ({"package": "com.clock"}, [0]),
        ({"checked": True}, [3]),
        ({"enabled": False}, [4]),
        ({"clickable": True, "text": "Save"}, [1]),
        ({"clickable": True, "text": "SAVE"}, []),
        ({"xpath": "//node", "checked": True}, [3]),
        ({"xpath": f"//{BUTTON}", "text": "Save"}, [1]),
    ],
)
def test_elements_meet_all_criteria(screen, criteria, places):
    found = screen.find_all(**criteria)
    assert [screen.elements.index(element) for element in found] == places


@pytest.mark.parametrize(
    ("criteria", "complaint"),
    [
        ({}, "nothing to search for: pass at least one of text, resource_id"),
        ({"txet": "x"}, "there is no criterion 'txet'; did you mean 'text'?"),
        ({"id": "x"}, "there is no criterion 'id'"),
        ({"text": None}, "text=None matches nothing; leave text out"),
        ({"text": 7}, "text=7 must be a string or a compiled regular expression, not int"),
        ({"checked": "false"}, "checked='false' must be True or False, not str"),
        ({"xpath": re.compile("a")}, "must be a string, not Pattern"),
    ],
)
def test_criteria_that_are_invalid_are_reported(screen, criteria, complaint):
    with pytest.raises(TypeError, match=re.escape(complaint)):
        screen.find_all(**criteria)


@pytest.mark.parametrize(
    ("criteria", "nearest"),
    [
        ({"text": "Sav"}, ["Save", "SAVE", ""]),
        ({"content_desc": "SAVED"}, ["", "Save", "SAVE"]),
        ({"text": re.compile("^Saves$")}, ["Save", "SAVE", ""]),
        ({"text": "9:42 AM"}, ["9:41\u202fAM"]),
        ({"text": "completely different"}, []),
        ({"checked": False, "class_name": "CheckBox"}, [""]),
    ],
)
def test_the_nearest_elements_are_those_with_similar_words(screen, criteria, nearest):
    found = Selector.of(criteria).nearest(screen.elements)
    assert [element.text for element in found] == nearest
    (first, *_) = Selector.of({"resource_id": "com.other:id/save_buton"}).nearest(screen.elements)
    assert first.resource_id == "save_button"


def test_a_selector_reads_as_it_was_written():
    selector = Selector.of({"text": "a'b", "resource_id": re.compile("^x"), "checked": True})
    assert str(selector) == """text="a'b", resource_id=/^x/, checked=True"""


CART = """<hierarchy>
  <node text="Cart" bounds="[0,0][100,20]"/>
  <node resource-id="row" bounds="[0,20][100,60]">
    <node text="Mug" bounds="[0,20][50,40]"/>
    <node resource-id="box" bounds="[50,20][100,60]"><node text="2" bounds="[60,30][70,50]"/></node>
  </node>
  <node resource-id="row" bounds="[0,60][100,100]">
    <node text="Mug" bounds="[0,60][50,80]"/>
    <node resource-id="box" bounds="[50,60][99,99]"><node text="1" bounds="[60,70][70,90]"/></node>
  </node>
  <node text="Total" bounds="[0,100][100,120]"/>
</hierarchy>"""


@pytest.fixture
def cart() -> Screen:
    return Screen(CART, b"", package="com.shop", where="step 2: a.png")


def names(elements: list[Element]) -> list[str]:
    return [element.text or element.resource_id for element in elements]


@pytest.mark.parametrize(
    ("relation", "place", "criteria", "found"),
    [
        ("inside", 1, {}, ["Mug", "box", "2"]),
        ("inside", 5, {"text": re.compile(r"\d")}, ["1"]),
        ("inside", 0, {}, []),
        ("child_of", 1, {}, ["Mug", "box"]),
        ("child_of", 1, {"text": "2"}, []),
        ("after", 1, {}, ["row", "Mug", "box", "1", "Total"]),
        ("after", 2, {}, ["box", "2", "row", "Mug", "box", "1", "Total"]),
        ("before", 6, {}, ["Cart", "row", "Mug", "box", "2"]),
        ("before", 0, {}, []),
        ("below", 1, {}, ["row", "Mug", "box", "1", "Total"]),
        ("below", 2, {"text": "Mug"}, ["Mug"]),
        ("above", 5, {}, ["Cart", "row", "Mug", "box", "2"]),
        ("below", 1, {"xpath": "//*[@text='1']"}, ["1"]),
        ("below", 5, {"xpath": "//*[@text='1']"}, []),
    ],
)
def test_elements_are_found_by_where_they_stand(cart, relation, place, criteria, found):
    other = cart.elements[place]
    assert names(cart.find_all(**{relation: other}, **criteria)) == found


def test_similar_elements_are_distinguished_by_position():
    cart = Screen(CART.replace("[0,60][50,80]", "[0,20][50,40]"), b"")
    first, second = cart.find_all(text="Mug")
    assert first == second
    assert cart.find(text="1", after=second) is cart.find(text="1", after=first)
    assert cart.find(text="2", after=first)
    assert cart.find(text="2", after=second) is None


def test_between_two_others_is_after_the_one_and_before_the_other(cart):
    title, total = cart.get(text="Cart"), cart.get(text="Total")
    assert len(cart.find_all(text="Mug", after=title, before=total)) == 2
    first, second = cart.find_all(text="Mug")
    assert names(cart.find_all(after=first, before=second)) == ["box", "2"]


def test_an_element_that_overlaps_by_half_is_still_below():
    def below(top: int) -> bool:
        nodes = f'<node bounds="[0,0][9,10]"/><node bounds="[0,{top}][9,{top + 10}]"/>'
        screen = Screen(f"<hierarchy>{nodes}</hierarchy>", b"")
        return bool(screen.find_all(below=screen.elements[0]))

    assert [below(top) for top in (4, 5, 10, 50)] == [False, True, True, True]


def test_a_relation_to_a_missing_element_is_explained(cart):
    with collect_misses() as misses, pytest.raises(NotFoundError) as caught:
        cart.get(text="Total", below=cart.find(text="Carts"))
    assert str(caught.value).splitlines() == [
        "nothing on the screen of com.shop has text='Total', below=None",
        "  below=None: the element it should refer to was not found",
        "  closest: <element text='Total' at [0,100][100,120]>",
        "  at step 2: a.png",
    ]
    assert misses[0]().startswith("nothing on the screen of com.shop has text='Carts'")


def test_a_miss_says_which_relation_does_not_hold(cart):
    with pytest.raises(NotFoundError) as caught:
        cart.get(text="Cart", below=cart.get(text="Total"), enabled=True)
    assert "closest: <element text='Cart' at [0,0][100,20]>, not below that" in str(caught.value)
    with pytest.raises(NotFoundError) as caught:
        cart.get(text="1", inside=cart.elements[1])
    assert "closest: <element text='1' at [60,70][70,90]>, not inside that" in str(caught.value)


def test_an_element_of_another_screen_is_an_error_of_the_task(cart):
    other = Screen(CART, b"").get(text="Cart")
    with pytest.raises(
        CriteriaError, match=r"below=<element text='Cart' .* belongs to another screen"
    ):
        cart.find(text="Total", below=other)


@pytest.mark.parametrize("wrong", ["Cart", True, 3])
def test_a_relation_takes_an_element(cart, wrong):
    with pytest.raises(CriteriaError, match="must be an element of the screen, not"):
        cart.find(text="Total", below=wrong)


node = st.recursive(
    st.just("<node/>"),
    lambda inner: st.lists(inner, max_size=4).map(lambda n: f"<node>{''.join(n)}</node>"),
    max_leaves=12,
)


@given(st.lists(node, min_size=1, max_size=3), st.data())
def test_every_other_element_is_inside_around_before_or_after(nodes, data):
    screen = Screen(f"<hierarchy>{''.join(nodes)}</hierarchy>", b"")
    one = data.draw(st.sampled_from(screen.elements))
    inside, before, after = (
        [id(each) for each in screen.find_all(**{relation: one})]
        for relation in ("inside", "before", "after")
    )
    around = [id(each) for each in one.ancestors if each is not screen.root]
    assert sorted([id(one), *inside, *before, *after, *around]) == sorted(map(id, screen.elements))
    for relation in ("preceding", "following", "descendant"):
        own = {"preceding": before, "following": after, "descendant": inside}[relation]
        place = [*map(id, screen.elements)].index(id(one))
        axis = f"(//node)[{place + 1}]/{relation}::node"
        assert [id(each) for each in screen.find_all(xpath=axis)] == own
    children = [id(each) for each in screen.find_all(child_of=one)]
    assert children == [id(each) for each in one.children]


box = st.tuples(*[st.integers(0, 30)] * 4).map(
    lambda b: f"[{min(b[0], b[2])},{min(b[1], b[3])}][{max(b[0], b[2])},{max(b[1], b[3])}]"
)


@given(box, box)
def test_one_is_above_another_if_that_is_below_it_and_never_both(one, two):
    xml = f'<hierarchy><node bounds="{one}"/><node bounds="{two}"/></hierarchy>'
    screen = Screen(xml, b"")
    first, second = screen.elements
    below = bool(screen.find_all(below=first))
    assert below == any(each is first for each in screen.find_all(above=second))
    assert not (below and screen.find_all(above=first))
    assert all(each is not first for each in screen.find_all(below=first))
