"""Tests of a screen's elements: their equality and their cached properties."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from pytest_mobileagent.screen.element import Element, lazy


def nested(depth: int, innermost: str) -> Element:
    element = Element("a.B", text=innermost)
    for _ in range(depth):
        element = Element("a.B", children=(element,))
    return element


def test_deep_elements_are_compared_without_end_of_the_stack():
    one, same, other = nested(5000, "a"), nested(5000, "a"), nested(5000, "b")
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != nested(4999, "a")
    assert repr(one) == repr(other)


def test_elements_are_equal_by_what_they_hold_and_not_by_where_they_stand():
    leaf, row = Element("a.B", text="x"), Element("a.B", children=(Element("a.B", text="x"),))
    assert row.children[0] == leaf
    assert len({leaf, row, *row.children}) == 2
    assert Element("a", children=(row, leaf)) != Element("a", children=(leaf, row))
    # The elements in document order are the same, but the trees differ.
    below = Element("a", children=(Element("b", children=(Element("c"),)),))
    assert below != Element("a", children=(Element("b"), Element("c")))
    assert leaf != "x"


@dataclass
class Counts:
    asked: list[int] = field(default_factory=list)
    go_on: threading.Event | None = None
    begun: threading.Event = field(default_factory=threading.Event)

    @lazy
    def value(self) -> int:
        """Return a number once the test allows it."""
        self.begun.set()
        if self.go_on is not None:
            assert self.go_on.wait(20)
        self.asked.append(1)
        return 42


def test_a_property_is_computed_once():
    counts = Counts()
    assert (counts.value, counts.value, counts.asked) == (42, 42, [1])
    assert Counts.value.__doc__ == "Return a number once the test allows it."


def test_instances_do_not_wait_for_each_others_properties():
    slow = Counts(go_on=threading.Event())
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.begun.wait(20)
    quick = Counts()
    other = threading.Thread(target=lambda: quick.value, daemon=True)
    other.start()
    other.join(20)
    assert quick.asked == [1]
    assert slow.go_on is not None
    slow.go_on.set()
    thread.join()
