"""The server's error responses: WebDriver's errors, with Appium's messages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

Name: TypeAlias = Literal[
    "unknown error", "no such element", "stale element reference", "invalid selector",
    "invalid argument", "invalid element state", "no such alert", "invalid session id",
    "unknown command",
]  # fmt: skip
_FILE = Path(__file__).with_name("errors.toml")
_TABLE: Final[dict[str, dict[str, Any]]] = tomllib.loads(_FILE.read_text("utf-8"))


class WebDriverError(Exception):
    """An error by its name in the WebDriver standard, with its HTTP status."""

    def __init__(self, name: Name, message: str = "") -> None:
        super().__init__(message or _TABLE[name].get("message", name))
        self.name = name
        self.status: int = _TABLE[name]["status"]


class InvalidArgument(WebDriverError):
    """A value is missing or wrong."""

    def __init__(self, message: str) -> None:
        super().__init__("invalid argument", message)
