"""Which function answers which request: the routes of one session."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote

from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, UnknownCommand

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.appium.session import Session
    from pytest_mobileagent.virtual.phone import Phone


@dataclass(frozen=True, slots=True)
class Call:
    """A request to a session: what its path and its body say."""

    session: Session
    path: dict[str, str]
    body: dict[str, Any]

    @property
    def phone(self) -> Phone:
        """The phone."""
        return self.session.phone

    def text(self, name: str) -> str:
        """Give a member of the body that must be a text."""
        value = self.body.get(name)
        if not isinstance(value, str):
            raise InvalidArgument(f"'{name}' must be a string")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """Give a member of the body that must be a number."""
        value = self.body.get(name)
        value = default if value is None else value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidArgument(f"'{name}' must be a number")
        return value


Answer: TypeAlias = Callable[[Call], Any]
_routes: list[tuple[str, re.Pattern[str], Answer]] = []


def route(method: str, path: str) -> Callable[[Answer], Answer]:
    """Register a function for a path below /session/ID; `:name` stands for any one part."""
    pattern = re.compile(re.sub(r":(\w+)", r"(?P<\1>[^/]+)", path))

    def register(answer: Answer) -> Answer:
        _routes.append((method, pattern, answer))
        return answer

    return register


def find(method: str, path: str) -> tuple[Answer, dict[str, str]]:
    """Give the function for a path, and the parts of it; UnknownCommand if there is none."""
    for its_method, pattern, answer in _routes:
        if its_method == method and (match := pattern.fullmatch(path)):
            return answer, {name: unquote(part) for name, part in match.groupdict().items()}
    raise UnknownCommand
