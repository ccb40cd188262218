"""What the server remembers, and how it finds what selectors mean."""

from __future__ import annotations

import asyncio
import time
import uuid
from typing import TYPE_CHECKING

from pytest_mobileagent.patterns import QUICK, within
from pytest_mobileagent.virtual.automation.jsonrpc.calls import not_found
from pytest_mobileagent.virtual.system.accessibility.event import NOTIFICATION_STATE_CHANGED

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.automation.selector import UiSelector
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent
    from pytest_mobileagent.virtual.ui.node import Node

LOOK_AGAIN = 0.02  # seconds between two looks while something is waited for
MOST_OBJECTS = 1000
TOAST = "android.widget.Toast"


class Service:
    """One run of the server; `stop` is called at its end."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.toast: str | None = None
        self._objects: dict[str, UiSelector] = {}
        self.stop = phone.events.subscribe(self._hear)

    def _hear(self, event: AccessibilityEvent) -> None:
        if event.type == NOTIFICATION_STATE_CHANGED and event.class_name == TOAST:
            self.toast = "".join(event.text)

    # Objects.

    def keep(self, selector: UiSelector) -> str:
        """Remember what something is found by; give an id that stands for it."""
        number = str(uuid.uuid4())
        self._objects[number] = selector
        if len(self._objects) > MOST_OBJECTS:
            del self._objects[next(iter(self._objects))]
        return number

    def selector(self, thing: UiSelector | str) -> UiSelector:
        """Give the selector that an id stands for; a selector stands for itself."""
        if not isinstance(thing, str):
            return thing
        if thing not in self._objects:
            raise not_found(thing)
        return self._objects[thing]

    def find(self, thing: UiSelector | str) -> Node | None:
        """Give what is meant, if it is in the window that has the focus."""
        return next(iter(self.all(thing, most=1)), None)

    @within(QUICK)
    def all(self, thing: UiSelector | str, most: int | None = None) -> list[Node]:
        """Give all nodes that match, up to so many."""
        selector = self.selector(thing)
        window = self.phone.accessibility.active
        found = selector.find(window.root) if window else iter(())
        return [node for _, node in zip(range(most), found, strict=False)] if most else [*found]

    def get(self, thing: UiSelector | str) -> Node:
        """Give what is meant, which must be there."""
        node = self.find(thing)
        if node is None:
            raise not_found(self.selector(thing))
        return node

    # Waiting.

    async def until(self, condition: Callable[[], bool], milliseconds: float) -> bool:
        """Wait until a condition holds; False if it never does within some time."""
        end = time.monotonic() + milliseconds / 1000
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            await asyncio.sleep(min(LOOK_AGAIN, left))
        return True
