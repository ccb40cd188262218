"""Finds nodes by the strategies of Appium."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation import xpath
from pytest_mobileagent.virtual.automation.appium.errors import InvalidSelector, NoSuchElement
from pytest_mobileagent.virtual.automation.appium.source import Look, Source
from pytest_mobileagent.virtual.automation.expression import SyntaxProblem, UiScrollable, parse
from pytest_mobileagent.virtual.automation.scrolling import NoSuchContainer, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.virtual.automation.selector import UiSelector
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node

STRATEGIES: Final = {  # and what a locator is called in messages
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
    """Looks for nodes on a phone's screen."""

    def __init__(self, phone: Phone, settings: dict[str, Any]) -> None:
        self._phone = phone
        self._settings = settings

    def one(self, by: By, context: Node | None = None) -> Node | None:
        """Give the first node that a locator means, on the whole screen or inside a node."""
        return next(iter(self._find(by, context, most=1)), None)

    def all(self, by: By, context: Node | None = None) -> list[Node]:
        """Give every node that a locator means, each once."""
        found = {node.identity: node for node in self._find(by, context, most=None)}
        return list(found.values())

    def roots(self) -> list[Node]:
        """Give the roots of the windows that are looked at: of the active one, unless set."""
        screen = self._phone.accessibility
        if self._settings["enableMultiWindows"]:
            return [window.root for window in screen.windows]
        return [screen.active.root] if screen.active else []

    def source(self, context: Node | None = None) -> Source:
        """Give the page source, or the part of it that a node is."""
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
        accepts = self._test(by)
        roots = [context] if context else self.roots()
        walked = (node for root in roots for node in _walk_seen(root))
        return list(
            islice((node for node in walked if node is not context and accepts(node)), most)
        )

    def _test(self, by: By) -> Callable[[Node], bool]:
        wanted = by.selector
        if by.strategy == "id":
            wanted = self._full_id(wanted)
            return lambda node: node.resource_id == wanted
        if by.strategy == "accessibility id":
            return lambda node: node.desc == wanted
        if wanted.startswith("."):
            wanted = f"android.widget{wanted}"
        return lambda node: node.class_name == wanted

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
            found = xpath.find(start, expression)
        except xpath.BadXPath as error:
            raise InvalidSelector(str(error)) from error
        return [node for element in found if (node := source.node(element))]

    def _by_expression(self, text: str, context: Node | None, most: int | None) -> list[Node]:
        try:
            statements = parse(text)
            found: list[Node] = []
            for statement in statements:
                selector = (
                    Run(self._phone, statement).result()
                    if isinstance(statement, UiScrollable)
                    else statement
                )
                found += self._selected(selector, context, most)
                if found and most == 1:
                    break
        except SyntaxProblem as error:
            raise InvalidSelector(str(error)) from error
        except NoSuchContainer as error:
            if most is None:
                return []
            raise NoSuchElement from error
        return found

    def _selected(self, selector: UiSelector, context: Node | None, most: int | None) -> list[Node]:
        window = self._phone.accessibility.active
        if window is None:
            return []
        roots = [window.root]
        if context:
            now = self._phone.accessibility.find(context.identity)
            roots = now.seen() if now else []
        if most == 1:
            return list(islice((node for root in roots for node in selector.find(root)), 1))
        return [node for root in roots for node in _every(selector, root)]


class NoRoot(LookupError):  # noqa: N818 - as Android words it
    """No window has the focus, as when the screen is off."""


def _every(selector: UiSelector, root: Node) -> Iterator[Node]:
    """Yield all that a selector means; of one with a number, that one."""
    found = selector.find(root)
    yield from islice(found, 1) if selector.instance is not None else found


def _walk_seen(node: Node) -> Iterator[Node]:
    yield node
    for child in node.seen():
        yield from _walk_seen(child)
