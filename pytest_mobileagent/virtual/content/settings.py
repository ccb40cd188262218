"""The settings: three namespaces of strings; changes take effect immediately."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import Log

NAMESPACES = ("system", "secure", "global")
_FILE = resources.files(__package__) / "settings.toml"
_TABLE: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
DEFAULTS: dict[str, dict[str, str]] = {space: _TABLE[space] for space in NAMESPACES}

Watcher = Callable[[str], None]


class Settings:
    """Strings by namespace and key; watchers are notified of every change."""

    def __init__(self, log: Log, changes: Changes) -> None:
        self._log, self._changes = log, changes
        self._values = {space: dict(values) for space, values in DEFAULTS.items()}
        self._watchers: dict[tuple[str, str], list[Watcher]] = {}

    def text(self, namespace: str, key: str, default: str = "") -> str:
        """Return a setting's value, or the default; KeyError if there is no such namespace."""
        return self._values[namespace].get(key, default)

    def on(self, namespace: str, key: str) -> bool:
        """Return whether a setting is switched on."""
        return self.text(namespace, key, "0") not in ("", "0")

    def put(self, namespace: str, key: str, value: str) -> None:
        """Change a setting; ValueError, with Android's message, if the value is invalid."""
        if namespace == "system" and not _is_valid(key, value):
            raise ValueError(f"Invalid value: {value} for setting: {key}")
        self._values[namespace][key] = value
        self._changed(namespace, key, value)

    def delete(self, namespace: str, key: str) -> bool:
        """Delete a setting; return False if it does not exist."""
        if self._values[namespace].pop(key, None) is None:
            return False
        self._changed(namespace, key, "")
        return True

    def reset(self, namespace: str, *, clear: bool = False) -> None:
        """Reset to a new phone's values; with `clear`, delete settings that it lacks."""
        for key, value in self.list(namespace).items():
            default = DEFAULTS[namespace].get(key)
            if default is not None and value != default:
                self.put(namespace, key, default)
            elif default is None and clear:
                self.delete(namespace, key)

    def list(self, namespace: str) -> dict[str, str]:
        """Return all settings of a namespace."""
        return dict(self._values[namespace])

    def watch(self, namespace: str, key: str, watcher: Watcher) -> None:
        """Call `watcher` with the new value whenever the setting changes."""
        self._watchers.setdefault((namespace, key), []).append(watcher)

    def _changed(self, namespace: str, key: str, value: str) -> None:
        uri = f"content://settings/{namespace}/{key}"
        self._log.system("V", "SettingsProvider", f"Notifying for 0: {uri}")
        for watcher in self._watchers.get((namespace, key), ()):
            watcher(value)
        self._changes.note()

    def save(self) -> dict[str, dict[str, str]]:
        """Return all settings."""
        return self._values

    def load(self, saved: dict[str, Any]) -> None:
        """Restore the settings; watchers are not called, because the whole phone is restored."""
        self._values = saved


def _is_valid(key: str, value: str) -> bool:
    """Return whether a value is in the range of its system setting, which Android validates."""
    if key not in _TABLE["valid"]:
        return True
    low, high = _TABLE["valid"][key]
    if isinstance(low, int):
        return value.isdecimal() and low <= int(value) <= high
    try:
        return bool(low <= float(value) <= high)
    except ValueError:
        return False
