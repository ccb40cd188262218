"""System properties: their values, and the rules that setprop enforces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from typing import Any

LIMIT = 92  # bytes of a value, including its terminating zero
_FILE = resources.files(__package__) / "build.prop"
BUILT = {
    name: value
    for line in _FILE.read_text("utf-8").splitlines()
    for name, found, value in [line.partition("=")]
    if found
}

Watcher = Callable[[str], None]


class Properties(Mapping[str, str]):
    """The properties; a watcher is called at every change of its property."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._values = {**BUILT, **given}
        self._watchers: dict[str, Watcher] = {}

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def watch(self, name: str, watcher: Watcher) -> None:
        """Call `watcher` with the value whenever the property is set."""
        self._watchers[name] = watcher

    def set(self, name: str, value: str) -> None:
        """Set a property, as init does; ValueError, with setprop's message, if not allowed."""
        if problem := refusal(name, value):
            raise ValueError(problem)
        if name.startswith("ro."):
            raise ValueError(f"Failed to set property '{name}' to '{value}'.\n{HINT}")
        self._values[name] = value
        if name in self._watchers:
            self._watchers[name](value)

    def save(self) -> dict[str, str]:
        """Return all properties."""
        return self._values

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the properties; watchers are not called, because the whole phone is restored."""
        self._values = saved


HINT = "See dmesg for error reason."


def refusal(name: str, value: str) -> str | None:
    """Return why a name or value is invalid, or None if both are valid."""
    if name.startswith(".") or name.endswith("."):
        return "Property names must not start or end with a '.'"
    if ".." in name:
        return "'..' is not allowed in a property name"
    if wrong := re.search(r"[^A-Za-z0-9_.\-@:]", name):
        return f"Invalid character '{wrong[0]}' in name '{name}'"
    size = len(value.encode())
    if size >= LIMIT and not name.startswith("ro."):
        return f"Value '{value}' is too long, {size} bytes vs a max of {LIMIT - 1}"
    return None
