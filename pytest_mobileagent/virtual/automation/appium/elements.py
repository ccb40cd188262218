"""The elements that a session has found, so that it can come back to them by their ids."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.appium.errors import (
    NoSuchElement,
    StaleElement,
    WebDriverError,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.appium.find import By, Finder
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Identity, Node

ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf"
MOST = 500
SHRINK = 150  # how many of the oldest go when there are too many


@dataclass(slots=True)
class Element:
    """A node that was found, and how."""

    identity: Identity
    by: By | None
    single: bool  # found as the only one, so it can be looked for again
    context: str | None


class Elements:
    """All that one session knows."""

    def __init__(self, phone: Phone, finder: Finder) -> None:
        self._phone = phone
        self._finder = finder
        self._known: dict[str, Element] = {}
        self._ids: dict[tuple[Identity, By | None], str] = {}

    def add(self, node: Node, by: By | None, *, single: bool, context: str | None = None) -> str:
        """Remember a node, and give the id of the element."""
        known = self._ids.get((node.identity, by))
        if known in self._known:
            return known
        if len(self._known) >= MOST:
            for oldest in list(self._known)[:SHRINK]:
                del self._known[oldest]
            self._ids = {key: old for key, old in self._ids.items() if old in self._known}
        new = str(uuid.uuid4())
        self._known[new] = Element(node.identity, by, single, context)
        self._ids[node.identity, by] = new
        return new

    def identity(self, id: str) -> Identity:
        """Give what an element is, whether or not it is still there."""
        return self._element(id).identity

    def _element(self, id: str) -> Element:
        if id not in self._known:
            raise NoSuchElement(
                f"The element identified by '{id}' is not present in the cache or has expired. "
                "Try to find it again"
            )
        return self._known[id]

    def node(self, id: str) -> Node:
        """Give the node of an element as it is now; StaleElement once it is gone."""
        element = self._element(id)
        node = self._phone.accessibility.find(element.identity)
        return node or self._restored(id, element)

    def _restored(self, id: str, element: Element) -> Node:
        """Look again for an element that was found as the only one."""
        by = element.by
        if by is None:
            raise StaleElement(f"The element '{id}' does not exist in DOM anymore")
        if not element.single:
            raise StaleElement(f"Cached elements '{by}' do not exist in DOM anymore")
        try:
            context = self.node(element.context) if element.context else None
            node = self._finder.one(by, context)
        except WebDriverError:
            node = None
        if node is None:
            raise StaleElement(f"The element '{by}' does not exist in DOM anymore")
        element.identity = node.identity
        return node
