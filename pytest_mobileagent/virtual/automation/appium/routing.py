"""Routing of requests: a table row for each route of a session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.appium.session import Session
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.ui.node import Node


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
        """Return a member of the body that must be a string."""
        value = self.body.get(name)
        if not isinstance(value, str):
            raise InvalidArgument(f"'{name}' must be a string")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Return a member of the body that must be a number."""
        value = self.body.get(name)
        value = default if value is None else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidArgument(f"'{name}' must be a number")
        return value

    def members(self, name: str) -> dict[str, Any]:
        """Return a member of the body that must be an object."""
        value = self.body.get(name)
        if not isinstance(value, dict):
            raise InvalidArgument(f"'{name}' must be an object")
        return value


Answer: TypeAlias = Callable[[Call], Any]
Route: TypeAlias = tuple[str, str, Answer]  # method, path (`:name` is any one part), function


def find(routes: Iterable[Route], method: str, path: str) -> tuple[Answer, dict[str, str]]:
    """Return the function for a path below /session/ID, and the path's parameters.

    Raises:
        WebDriverError: if there is no such route.
    """
    for its_method, its_path, answer in routes:
        pattern = re.sub(r":(\w+)", r"(?P<\1>[^/]+)", its_path)
        if its_method == method and (match := re.fullmatch(pattern, path)):
            return answer, {name: unquote(part) for name, part in match.groupdict().items()}
    raise WebDriverError("unknown command")
