"""The server's state, the calls of its methods, and the search for nodes that match selectors."""

from __future__ import annotations

import asyncio
import inspect
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pytest_mobileagent.patterns import QUICK, PatternError, within
from pytest_mobileagent.virtual.automation.selector import FLAGS, TEXTS, UiSelector, pattern
from pytest_mobileagent.virtual.system.accessibility.event import NOTIFICATION_STATE_CHANGED

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.system.accessibility.event import AccessibilityEvent
    from pytest_mobileagent.virtual.ui.node import Node


PARSE_ERROR, INVALID_REQUEST = -32700, -32600
NO_SUCH_METHOD, INVALID_PARAMETERS = -32601, -32602
CUSTOM = -32001  # an exception thrown by the method itself
MASK: Final = (  # the criteria that the bits of a selector's mask stand for
    *("text", "textContains", "textMatches", "textStartsWith"),
    *("className", "classNameMatches"),
    *("description", "descriptionContains", "descriptionMatches", "descriptionStartsWith"),
    *("checkable", "checked", "clickable", "longClickable", "scrollable", "enabled"),
    *("focusable", "focused", "selected"),
    *("packageName", "packageNameMatches", "resourceId", "resourceIdMatches"),
    *("index", "instance"),
)
MOST = 1 << 63  # exclusive limit for numbers, like Java's
MOST_NESTED = 50  # depth of nested selectors


class RpcError(Exception):
    """A failed call: a JSON-RPC error code, and the message for the client."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def thrown(name: str, message: str) -> RpcError:
    """Return the error for an exception that a method has thrown."""
    return RpcError(CUSTOM, f"{name}: {message}")


def not_found(what: object) -> RpcError:
    """Return the error for something that is not on the screen."""
    return thrown("androidx.test.uiautomator.UiObjectNotFoundException", str(what))


class WrongKind(ValueError):
    """A value does not have the required kind."""


Kind: TypeAlias = Callable[[Any], Any]
# The kinds of a method's parameters, and its function.
Method: TypeAlias = tuple[tuple[Kind, ...], Callable[..., Any]]
Methods: TypeAlias = Mapping[str, Sequence[Method]]  # by name; overloads as in Java


async def call(methods: Methods, name: str, receiver: object, parameters: list[Any]) -> Any:
    """Call a method on `receiver`; RpcError if none accepts these parameters."""
    if name not in methods:
        raise RpcError(NO_SUCH_METHOD, "method not found")
    for kinds, function in methods[name]:
        optional = len(getattr(function, "__defaults__", None) or ())
        if not len(kinds) - optional <= len(parameters) <= len(kinds):
            continue
        try:
            arguments = [kind(value) for kind, value in zip(kinds, parameters, strict=False)]
        except WrongKind:
            continue
        answer = function(receiver, *arguments)
        return await answer if inspect.isawaitable(answer) else answer
    raise RpcError(INVALID_PARAMETERS, "method parameters invalid")


def _of(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise WrongKind(value)
    return value


def integer(value: Any) -> int:
    """Accept a number and truncate it to an integer."""
    return int(number(value))


def number(value: Any) -> float:
    """Accept a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < MOST:
        raise WrongKind(value)
    return value


def flag(value: Any) -> bool:
    """Accept a boolean."""
    return bool(_of(bool, value))


def text(value: Any) -> str:
    """Accept a string or null, which counts as an empty string."""
    return "" if value is None else str(_of(str, value))


def point(value: Any) -> tuple[int, int]:
    """Accept a point."""
    place = _of(dict, value)
    return integer(place.get("x")), integer(place.get("y"))


def integers(value: Any) -> list[int]:
    """Accept a list of numbers."""
    return [integer(each) for each in _of(list, value)]


def thing(value: Any) -> UiSelector | str:
    """Accept a selector, or the id of one."""
    return value if isinstance(value, str) else selector(value)


def selector(value: Any, depth: int = MOST_NESTED) -> UiSelector:
    """Accept a selector."""
    given = _of(dict, value)
    if not depth:
        raise WrongKind(value)
    mask, found = integer(given.get("mask", 0)), UiSelector()
    for bit, name in enumerate(MASK):
        if mask >> bit & 1:
            found = found.having(name, _criterion(name, given.get(name)))
    ways = _of(list, given.get("childOrSibling", []))
    inner = _of(list, given.get("childOrSiblingSelector", []))
    if len(ways) != len(inner):
        raise WrongKind(value)
    for way, each in zip(ways, inner, strict=True):
        found = found.then("child" if way == "child" else "sibling", selector(each, depth - 1))
    return found


def _criterion(name: str, value: Any) -> str | int | bool:
    if name in FLAGS:
        return flag(value)
    if name not in TEXTS:
        return integer(value)
    found = str(_of(str, value))
    if name.endswith("Matches"):
        try:
            pattern(found)
        except PatternError as error:
            raise WrongKind(value) from error
    return found


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
