"""The server's state, and the search for nodes that match selectors."""

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

LOOK_AGAIN = 0.02  # seconds between two checks while waiting
MOST_OBJECTS = 1000
TOAST = "android.widget.Toast"


class Service:
    """A run of the server; `stop` is called at its end."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.toast: str | None = None
        self._objects: dict[str, UiSelector] = {}
        self.stop = phone.events.subscribe(self._hear)

    def _hear(self, event: AccessibilityEvent) -> None:
        if event.type == NOTIFICATION_STATE_CHANGED and event.class_name == TOAST:
            self.toast = "".join(event.text)

    # Objects

    def keep(self, selector: UiSelector) -> str:
        """Store a selector and return an id for it."""
        number = str(uuid.uuid4())
        self._objects[number] = selector
        if len(self._objects) > MOST_OBJECTS:
            del self._objects[next(iter(self._objects))]
        return number

    def selector(self, thing: UiSelector | str) -> UiSelector:
        """Return the selector with an id; selectors are returned unchanged."""
        if not isinstance(thing, str):
            return thing
        if thing not in self._objects:
            raise not_found(thing)
        return self._objects[thing]

    def find(self, thing: UiSelector | str) -> Node | None:
        """Return the first matching node in the focused window, or None."""
        return next(iter(self.all(thing, most=1)), None)

    @within(QUICK)
    def all(self, thing: UiSelector | str, most: int | None = None) -> list[Node]:
        """Return all matching nodes, or at most `most`."""
        selector = self.selector(thing)
        window = self.phone.accessibility.active
        found = selector.find(window.root) if window else iter(())
        return [node for _, node in zip(range(most), found, strict=False)] if most else [*found]

    def get(self, thing: UiSelector | str) -> Node:
        """Return the first matching node; RpcError if there is none."""
        node = self.find(thing)
        if node is None:
            raise not_found(self.selector(thing))
        return node

    # Waiting

    async def until(self, condition: Callable[[], bool], milliseconds: float) -> bool:
        """Wait until a condition holds; return False if it does not within `milliseconds`."""
        end = time.monotonic() + milliseconds / 1000
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            await asyncio.sleep(min(LOOK_AGAIN, left))
        return True
