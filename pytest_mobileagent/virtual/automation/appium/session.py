"""A session with the server: its settings, its requests and the elements that it has found."""

from __future__ import annotations

import asyncio
import math
import re
import time
import tomllib
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import unquote

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError
from pytest_mobileagent.virtual.automation.appium.find import STRATEGIES, By, Finder

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Identity, Node


ELEMENT_KEY = "element-6066-11e4-a52e-4f735466cecf"
MOST = 500  # elements
QUIET, LOOK_AGAIN = 0.5, 0.02  # seconds without changes for which a phone is idle; of each wait
SHRINK = 150  # how many of the oldest elements are dropped when there are too many
_FILE = Path(__file__).with_name("settings.toml")
SETTINGS: Final[dict[str, Any]] = tomllib.loads(_FILE.read_text("utf-8"))


@dataclass(slots=True)
class Element:
    """A node that was found, and the locator that found it."""

    identity: Identity
    by: By | None
    single: bool  # found as the first match, so it can be searched for again
    context: str | None


class Session:
    """A client's session."""

    def __init__(self, phone: Phone, capabilities: dict[str, Any]) -> None:
        self.id = str(uuid.uuid4())
        self.phone = phone
        self.capabilities = capabilities
        self.settings = dict(SETTINGS)
        self.finder = Finder(phone, self.settings)
        self._known: dict[str, Element] = {}

    async def idle(self) -> None:
        """Wait until the phone is idle, for at most the time of the setting."""
        end = time.monotonic() + self.settings["waitForIdleTimeout"] / 1000
        while (left := end - time.monotonic()) > 0:
            busy = QUIET - self.phone.changes.quiet()
            if busy <= 0:
                return
            await asyncio.sleep(min(left, busy, LOOK_AGAIN))

    def update(self, settings: dict[str, Any]) -> None:
        """Change settings; InvalidArgument if one is unknown or its value has the wrong type."""
        settings = {
            name: int(value) if isinstance(value, float) and math.isfinite(value) else value
            for name, value in settings.items()
        }
        for name, value in settings.items():
            if name not in SETTINGS:
                known = ", ".join(SETTINGS)
                raise InvalidArgument(f"Setting '{name}' is not supported. Known are: {known}")
            kind = type(SETTINGS[name])
            if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
                words = f"Invalid setting value type. Got {type(value).__name__}. "
                raise InvalidArgument(f"{words}Expected {kind.__name__} for setting '{name}'")
        self.settings.update(settings)

    def by(self, payload: dict[str, Any]) -> By:
        """Parse a locator."""
        strategy, selector = payload.get("strategy"), payload.get("selector")
        if not isinstance(selector, str) or not isinstance(strategy, str):
            raise InvalidArgument("Both 'strategy' and 'selector' must be strings")
        if strategy not in STRATEGIES:
            words = f"The locator strategy '{strategy}' is not supported."
            raise InvalidArgument(f"{words} Known are: {', '.join(STRATEGIES)}")
        return By(strategy, selector)

    def add(self, node: Node, by: By | None, *, single: bool, context: str | None = None) -> str:
        """Store a node and return the element's id."""
        new = str(uuid.uuid5(uuid.UUID(self.id), f"{node.identity} {by!r}"))
        if new not in self._known and len(self._known) >= MOST:
            for oldest in list(self._known)[:SHRINK]:
                del self._known[oldest]
        self._known.setdefault(new, Element(node.identity, by, single, context))
        return new

    def element(self, id: str) -> Element:
        """Return an element by id, whether or not its node still exists."""
        if id not in self._known:
            words = f"The element identified by '{id}' is not present in the cache or has expired. "
            raise WebDriverError("no such element", f"{words}Try to find it again")
        return self._known[id]

    def node(self, id: str) -> Node:
        """Return the current node of an element; WebDriverError once it is gone."""
        element = self.element(id)
        return self.phone.accessibility.find(element.identity) or self._restored(id, element)

    def _restored(self, id: str, element: Element) -> Node:
        """Search again for an element that was found as the first match."""
        by = element.by
        if by is None:
            raise _stale(f"The element '{id}' does")
        if not element.single:
            raise _stale(f"Cached elements '{by}' do")
        try:
            node = self.finder.one(by, self.node(element.context) if element.context else None)
        except WebDriverError:
            node = None
        if node is None:
            raise _stale(f"The element '{by}' does")
        element.identity = node.identity
        return node


def _stale(what: str) -> WebDriverError:
    return WebDriverError("stale element reference", f"{what} not exist in DOM anymore")


def element_id(value: Any) -> str:
    """Return the id of an element given by a client."""
    if isinstance(value, dict):
        value = value.get(ELEMENT_KEY, value.get("ELEMENT"))
    if not isinstance(value, str):
        raise InvalidArgument("An element must be given with its id")
    return value


@dataclass(frozen=True, slots=True)
class Call:
    """A request to a session, with its path's parameters and its body."""

    session: Session
    path: dict[str, str]
    body: dict[str, Any]

    @property
    def phone(self) -> Phone:
        """The phone."""
        return self.session.phone

    @property
    def node(self) -> Node:
        """The node of the element in the path."""
        return self.session.node(self.path["id"])

    def text(self, name: str) -> str:
        """Return a member of the body that must be a string; numbers are read as their digits."""
        value = self.body.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise InvalidArgument(f"'{name}' must be a string")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Return a member of the body that must be a number."""
        return number(self.body.get(name, default), name)

    def whole(self, name: str, default: int | None = None) -> int:
        """Return a member of the body that must be a whole number."""
        found = self.number(name, default)
        if found != int(found):
            raise InvalidArgument(f"'{name}' must be a whole number")
        return int(found)

    def members(self, name: str) -> dict[str, Any]:
        """Return a member of the body that must be an object."""
        value = self.body.get(name)
        if not isinstance(value, dict):
            raise InvalidArgument(f"'{name}' must be an object")
        return value


def number(value: Any, name: str) -> float:
    """Return a number as the server's library Gson reads it: also from a string, such as "12"."""
    try:
        found = math.nan if isinstance(value, bool) or "_" in str(value) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise InvalidArgument(f"'{name}' must be a number")
    return found


Answer: TypeAlias = Callable[[Call], Any]
Route: TypeAlias = tuple[str, str, Answer]  # method, path (`:name` is any one part), function


def route(routes: Iterable[Route], method: str, path: str) -> tuple[Answer, dict[str, str]]:
    """Return the function for a path below /session/ID, and its parameters; or WebDriverError."""
    for its_method, its_path, answer in routes:
        pattern = re.sub(r":(\w+)", r"(?P<\1>[^/]+)", its_path)
        if its_method == method and (match := re.fullmatch(pattern, path)):
            return answer, {name: unquote(part) for name, part in match.groupdict().items()}
    raise WebDriverError("unknown command")
