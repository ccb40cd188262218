from __future__ import annotations

from pytest_mobileagent.screen import Element


def nested(depth: int, innermost: str) -> Element:
    element = Element("a.B", text=innermost)
    for _ in range(depth):
        element = Element("a.B", children=(element,))
    return element


def test_deep_elements_are_compared_without_end_of_the_stack() -> None:
    one, same, other = nested(20_000, "a"), nested(20_000, "a"), nested(20_000, "b")
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != nested(19_999, "a")
    assert repr(one) == repr(other)


def test_elements_are_equal_by_what_they_hold_and_not_by_where_they_stand() -> None:
    leaf, row = Element("a.B", text="x"), Element("a.B", children=(Element("a.B", text="x"),))
    assert row.children[0] == leaf
    assert len({leaf, row, *row.children}) == 2
    assert Element("a", children=(row, leaf)) != Element("a", children=(leaf, row))
    # The same elements in document order, but not the same tree.
    below = Element("a", children=(Element("b", children=(Element("c"),)),))
    assert below != Element("a", children=(Element("b"), Element("c")))
    assert leaf != "x"
