"""Finds nodes by Appium's locator strategies, of which one is XPath over the page source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from pytest_mobileagent import patterns
from pytest_mobileagent.patterns import QUICK, SlowPatternError, within
from pytest_mobileagent.virtual.automation.actions import NoSuchContainer, Run
from pytest_mobileagent.virtual.automation.appium.errors import WebDriverError
from pytest_mobileagent.virtual.automation.appium.source import Look, Source
from pytest_mobileagent.virtual.automation.selector import (
    SyntaxProblem,
    UiScrollable,
    UiSelector,
    parse,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


STRATEGIES: Final = {  # with the names of locators in messages
    "id": "id",
    "xpath": "xpath",
    "accessibility id": "accessibilityId",
    "class name": "clazz",
    "-android uiautomator": "AndroidUiAutomator",
}


@dataclass(frozen=True, slots=True)
class By:
    """A locator."""

    strategy: str
    selector: str

    def __str__(self) -> str:
        return f"By.{STRATEGIES[self.strategy]}: {self.selector}"


class Finder:
    """Finds nodes on a phone's screen."""

    def __init__(self, phone: Phone, settings: dict[str, Any]) -> None:
        self._phone = phone
        self._settings = settings

    def one(self, by: By, context: Node | None = None) -> Node | None:
        """Return the first node that matches a locator, on the whole screen or inside a node."""
        return next(iter(self._find(by, context, most=1)), None)

    def all(self, by: By, context: Node | None = None) -> list[Node]:
        """Return every node that matches a locator, without duplicates."""
        found = {node.identity: node for node in self._find(by, context, most=None)}
        return list(found.values())

    def roots(self) -> list[Node]:
        """Return the roots of the windows to search: the active one or, by a setting, all."""
        screen = self._phone.accessibility
        if self._settings["enableMultiWindows"]:
            return [window.root for window in screen.windows]
        return [screen.active.root] if screen.active else []

    def source(self, context: Node | None = None) -> Source:
        """Return the page source, or the part of it below a node."""
        roots = [context] if context else self.roots()
        if not roots:
            raise NoRoot
        metrics = self._phone.display.metrics
        look = Look(
            (metrics.width_px, metrics.height_px),
            self._phone.display.rotation,
            self._settings["allowInvisibleElements"],
            self._settings["snapshotMaxDepth"],
            self._settings["ignoreUnimportantViews"],
        )
        shown = not context and self._settings["enableNotificationListener"]
        return Source(roots, look, self._phone.accessibility.toast if shown else None)

    def _find(self, by: By, context: Node | None, most: int | None) -> list[Node]:
        if by.strategy == "xpath":
            return self._by_xpath(by.selector, context)
        if by.strategy == "-android uiautomator":
            return self._by_expression(by.selector, context, most)
        return self._selected(self._selector(by), context, most)

    def _selector(self, by: By) -> UiSelector:
        wanted = by.selector
        if by.strategy == "id":
            return UiSelector().having("resourceId", self._full_id(wanted))
        if by.strategy == "accessibility id":
            return UiSelector().having("description", wanted)
        full = f"android.widget{wanted}" if wanted.startswith(".") else wanted
        return UiSelector().having("className", full)

    def _full_id(self, id: str) -> str:
        if ":id/" in id or self._settings["disableIdLocatorAutocompletion"]:
            return id
        active = self._phone.accessibility.active
        return f"{active.package}:id/{id}" if active else id

    def _by_xpath(self, expression: str, context: Node | None) -> list[Node]:
        scope = context if self._settings["limitXPathContextScope"] else None
        try:
            source = self.source(scope)
        except NoRoot:
            return []
        start = source.element(context) if context else source.root
        if start is None:
            return []
        try:
            found = xpath(start, expression)
        except BadXPath as error:
            raise WebDriverError("invalid selector", str(error)) from error
        return [node for element in found if (node := source.node(element))]

    @within(QUICK)
    def _by_expression(self, text: str, context: Node | None, most: int | None) -> list[Node]:
        try:
            found: list[Node] = []
            for statement in parse(text):
                if isinstance(statement, UiScrollable):
                    selector = Run(self._phone, statement).result()
                else:
                    selector = statement
                found += self._selected(selector, context, most)
                if found and most == 1:
                    break
        except (SyntaxProblem, SlowPatternError) as error:
            words = f"Could not parse selector expression `{text}`: {error}"
            raise WebDriverError("invalid selector", words) from error
        except NoSuchContainer as error:
            if most is None:
                return []
            raise WebDriverError("no such element") from error
        return found

    def _selected(self, selector: UiSelector, context: Node | None, most: int | None) -> list[Node]:
        roots = self.roots()
        if context:
            now = self._phone.accessibility.find(context.identity)  # the node may have scrolled
            roots = now.seen() if now else []
        found = (node for root in roots for node in selector.find(root))
        return [*islice(found, most if selector.instance is None else 1)]


class NoRoot(LookupError):
    """No window has the focus, for example because the screen is off."""


class BadXPath(ValueError):
    """The text is not a valid XPath expression that selects elements."""


@patterns.within(patterns.QUICK)
def xpath(root: Any, expression: str) -> list[Any]:
    """Return the elements that an expression selects from `root`, in document order."""
    try:
        found = root.xpath(expression, extensions=_EXTENSIONS)
    except (etree.XPathError, ValueError) as error:
        raise BadXPath(f"{error} in `{expression}`") from error
    if not isinstance(found, list) or not all(map(etree.iselement, found)):
        raise BadXPath(f"`{expression}` does not find elements")
    return found


def _text(value: Any) -> str:
    """Return the string value of an argument, which is a string, a number or nodes."""
    if isinstance(value, list):
        value = value[0] if value else ""
    return str(value.xpath("string()") if etree.iselement(value) else value)


def _flags(flags: str) -> int:
    names = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}
    return sum(names.get(flag, 0) for flag in set(flags))


def _matches(_: object, text: Any, pattern: Any, flags: Any = "") -> bool:
    compiled = patterns.compile(_text(pattern), _flags(_text(flags)), java=True)
    return compiled.search(_text(text)) is not None


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "matches": _matches,
    "ends-with": lambda _, text, end: _text(text).endswith(_text(end)),
    "lower-case": lambda _, text: _text(text).lower(),
    "upper-case": lambda _, text: _text(text).upper(),
}
_EXTENSIONS = {(None, name): function for name, function in _FUNCTIONS.items()}
