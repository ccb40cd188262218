"""The screen: its view hierarchy and its screenshot."""

from pytest_mobileagent.screen.element import Bounds, Element
from pytest_mobileagent.screen.explain import NotFoundError
from pytest_mobileagent.screen.screen import Screen
from pytest_mobileagent.screen.selector import Selector

__all__ = ["Bounds", "Element", "NotFoundError", "Screen", "Selector"]
