"""Relations between elements: inside, above, after and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.screen.explain import CriteriaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.screen.element import Bounds, Element

RELATIONS = ("inside", "child_of", "above", "below", "after", "before")


def related(name: str, other: Element, elements: Sequence[Element]) -> Callable[[Element], bool]:
    """Return a test of whether an element has a relation to another of the same screen.

    `elements` are all of the screen's hierarchy, in document order. Elements are told apart by
    where they are, not by what they look like. See `Selector` for what the relations mean.

    Raises:
        CriteriaError: the other element is of another screen.
    """
    where = _IN_PICTURE[name]
    if name in {"above", "below"} or other.in_picture:
        return lambda element: where(element.bounds, other.bounds)
    among = {id(element) for element in _related_in_tree(name, other, elements)}
    return lambda element: (
        id(element) in among or (element.in_picture and where(element.bounds, other.bounds))
    )


def check_same_screen(name: str, other: Element, root: Element) -> None:
    """Check that the other element of a relation is one of the screen with this root.

    Raises:
        CriteriaError: it is not.
    """
    if [other, *other.ancestors][-1] is not root:
        msg = (
            f"{name}={other.describe()} is of another screen: look it up on the one that is "
            f"searched (for several screens, give a function: tapped(lambda screen: …))"
        )
        raise CriteriaError(msg)


def _related_in_tree(name: str, other: Element, elements: Sequence[Element]) -> Sequence[Element]:
    if name == "child_of":
        return other.children
    below = list(other.iter())
    if name == "inside":
        return below[1:]
    place = next((n for n, element in enumerate(elements) if element is other), -1)
    if name == "after":
        return elements[place + len(below) :]
    around = {id(element) for element in other.ancestors}
    return [element for element in elements[: max(place, 0)] if id(element) not in around]


def _is_below(one: Bounds, other: Bounds) -> bool:
    if not (one.height and one.width and other.height and other.width):
        return False
    # Doubled, so that the middle of an odd height stays a whole number.
    return one.top + one.bottom >= 2 * other.bottom and other.top + other.bottom <= 2 * one.top


def _is_inside(one: Bounds, other: Bounds) -> bool:
    return one != other and other.contains(*one.center)


def _reads_after(one: Bounds, other: Bounds) -> bool:
    beside = other.top <= one.center[1] < other.bottom
    return (beside and one.center[0] >= other.right) or _is_below(one, other)


_IN_PICTURE: dict[str, Callable[[Bounds, Bounds], bool]] = {
    "inside": _is_inside,
    "child_of": lambda _one, _other: False,
    "below": _is_below,
    "above": lambda one, other: _is_below(other, one),
    "after": _reads_after,
    "before": lambda one, other: _reads_after(other, one),
}
