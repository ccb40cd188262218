"""The accessibility nodes of all windows, and the actions on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.actions import focus, set_text
from pytest_mobileagent.virtual.system.accessibility.nodes import APPLICATION, INPUT_METHOD, SYSTEM

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


def node(phone: Phone, **wanted: object) -> Node:
    found = [
        node
        for node in phone.accessibility.walk()
        if all(getattr(node, name) == value for name, value in wanted.items())
    ]
    assert found, f"nothing has {wanted}"
    return found[0]


def test_windows_come_from_the_top_with_their_types(demo: Phone) -> None:
    node(demo, desc="More options")
    demo.tap(*node(demo, desc="Add").center)
    demo.tap(*node(demo, hint="Title").center)
    windows = demo.accessibility.windows
    assert [(w.window.kind, w.type) for w in windows] == [
        ("navigation", SYSTEM),
        ("status", SYSTEM),
        ("keyboard", INPUT_METHOD),
        ("activity", APPLICATION),
    ]
    assert [w.layer for w in windows] == [3, 2, 1, 0]
    assert demo.accessibility.active is windows[-1]


def test_there_is_nothing_while_the_screen_is_off(demo: Phone) -> None:
    demo.key("POWER")
    assert demo.accessibility.windows == []
    assert demo.accessibility.active is None


def test_the_screen_is_built_once_for_a_moment(demo: Phone) -> None:
    before = demo.accessibility
    assert demo.accessibility is before
    demo.key("BACK")
    assert demo.accessibility is not before


def test_a_node_is_found_again_on_a_screen_that_was_rebuilt(demo: Phone) -> None:
    before = node(demo, text="Loud")
    assert not before.checked
    demo.tap(*before.center)
    after = demo.accessibility.find(before.identity)
    assert after is not None
    assert after is not before
    assert after.checked


def test_every_node_has_its_own_identity(demo: Phone) -> None:
    identities = [each.identity for each in demo.accessibility.walk()]
    assert len(identities) == len(set(identities))


def test_the_nodes_of_a_row_go_with_it_and_those_of_other_rows_stay(demo: Phone) -> None:
    milk, bread = node(demo, text="Milk"), node(demo, text='Bread <&> "salt"')
    assert milk.parent
    demo.long_press(*milk.parent.center)
    assert demo.accessibility.find(milk.identity) is None
    found = demo.accessibility.find(bread.identity)
    assert found is not None
    assert found.text == bread.text


def test_nodes_of_another_activity_are_gone(demo: Phone) -> None:
    fab = node(demo, desc="Add")
    demo.tap(*fab.center)
    assert demo.accessibility.find(fab.identity) is None
    demo.key("BACK")
    assert demo.accessibility.find(fab.identity) is not None


def test_restoring_a_snapshot_brings_nodes_back(demo: Phone) -> None:
    milk = node(demo, text="Milk")
    demo.snapshots.save("listed")
    demo.key("HOME")
    assert demo.accessibility.find(milk.identity) is None
    demo.snapshots.load("listed")
    demo.snapshots.delete("listed")
    assert demo.accessibility.find(milk.identity) is not None


def test_text_is_set_in_a_field_without_focus(demo: Phone) -> None:
    demo.tap(*node(demo, desc="Add").center)
    assert node(demo, hint="Title").showing_hint
    assert set_text(demo, node(demo, hint="Title"), "Käse 🧀")
    title = node(demo, hint="Title")
    assert (title.text, title.showing_hint, title.focused) == ("Käse 🧀", False, False)
    assert title.selection == (6, 6)
    assert not set_text(demo, node(demo, text="Line 0"), "x")


def test_focus_goes_to_fields_only(demo: Phone) -> None:
    demo.tap(*node(demo, desc="Add").center)
    assert not focus(demo, node(demo, text="Line 0"))
    assert focus(demo, node(demo, hint="Title"))
    focused = demo.accessibility.focused()
    assert focused is not None
    assert focused.hint == "Title"
    assert demo.ime.shown


def test_drawing_order_counts_from_one_under_a_root_with_zero(demo: Phone) -> None:
    screen = demo.accessibility
    assert screen.active
    root = screen.active.root
    assert root.drawing_order == 0
    for each in root.walk():
        orders = sorted(child.drawing_order for child in each.children)
        assert orders == list(range(1, len(orders) + 1))
