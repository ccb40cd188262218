"""A session with the server: what it was started with, what it has found, how it is set."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.automation.appium.elements import ELEMENT_KEY, Elements
from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument
from pytest_mobileagent.virtual.automation.appium.find import STRATEGIES, By, Finder
from pytest_mobileagent.virtual.automation.appium.settings import Settings

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


class Session:
    """One client's session."""

    def __init__(self, phone: Phone, capabilities: dict[str, Any]) -> None:
        self.id = str(uuid.uuid4())
        self.phone = phone
        self.capabilities = capabilities
        self.settings = Settings()
        self.finder = Finder(phone, self.settings)
        self.elements = Elements(phone, self.finder)

    def node(self, id: str) -> Node:
        """Give the node of an element."""
        return self.elements.node(id)

    def by(self, payload: dict[str, Any]) -> By:
        """Read a locator."""
        strategy, selector = payload.get("strategy"), payload.get("selector")
        if not isinstance(selector, str) or not isinstance(strategy, str):
            raise InvalidArgument("Both 'strategy' and 'selector' must be strings")
        if strategy not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            words = f"The locator strategy '{strategy}' is not supported. Known are: {known}"
            raise InvalidArgument(words)
        return By(strategy, selector)


def element_value(id: str) -> dict[str, str]:
    """Write the id of an element as WebDriver does, in the old way and in the new one."""
    return {"ELEMENT": id, ELEMENT_KEY: id}


def element_id(value: Any) -> str:
    """Read an element as a client gives it back."""
    if isinstance(value, dict):
        value = value.get(ELEMENT_KEY, value.get("ELEMENT"))
    if not isinstance(value, str):
        raise InvalidArgument("An element must be given with its id")
    return value
