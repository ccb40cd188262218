"""The settings provider: three namespaces of texts; what it says holds at once."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.log import Log

NAMESPACES = ("system", "secure", "global")
_TABLE: dict[str, Any] = tomllib.loads(
    (resources.files(__package__) / "settings.toml").read_text("utf-8")
)
DEFAULTS: dict[str, dict[str, str]] = {space: _TABLE[space] for space in NAMESPACES}


Watcher = Callable[[str], None]


class Settings:
    """Texts by namespace and key; a watcher is told of every change of its setting."""

    def __init__(self, log: Log, changes: Changes) -> None:
        self._log, self._changes = log, changes
        self._values = {space: dict(values) for space, values in DEFAULTS.items()}
        self._watchers: dict[tuple[str, str], list[Watcher]] = {}

    def text(self, namespace: str, key: str, default: str = "") -> str:
        """Give a setting's text, or the default; KeyError if there is no such namespace."""
        return self._values[namespace].get(key, default)

    def on(self, namespace: str, key: str) -> bool:
        """Tell whether a setting is switched on."""
        return self.text(namespace, key, "0") not in ("", "0")

    def put(self, namespace: str, key: str, value: str) -> None:
        """Change a setting; ValueError, in Android's words, if the value is invalid."""
        if namespace == "system" and not _is_valid(key, value):
            raise ValueError(f"Invalid value: {value} for setting: {key}")
        self._values[namespace][key] = value
        self._changed(namespace, key, value)

    def delete(self, namespace: str, key: str) -> bool:
        """Remove a setting; False if there was none."""
        if self._values[namespace].pop(key, None) is None:
            return False
        self._changed(namespace, key, "")
        return True

    def reset(self, namespace: str, *, clear: bool = False) -> None:
        """Go back to the values of a new phone; with `clear` forget what that one does not have."""
        for key, value in self.list(namespace).items():
            default = DEFAULTS[namespace].get(key)
            if default is not None and value != default:
                self.put(namespace, key, default)
            elif default is None and clear:
                self.delete(namespace, key)

    def list(self, namespace: str) -> dict[str, str]:
        """Give all settings of a namespace."""
        return dict(self._values[namespace])

    def watch(self, namespace: str, key: str, watcher: Watcher) -> None:
        """Tell `watcher` the new text whenever the setting changes."""
        self._watchers.setdefault((namespace, key), []).append(watcher)

    def _changed(self, namespace: str, key: str, value: str) -> None:
        uri = f"content://settings/{namespace}/{key}"
        self._log.system("V", "SettingsProvider", f"Notifying for 0: {uri}")
        for watcher in self._watchers.get((namespace, key), ()):
            watcher(value)
        self._changes.note()

    def save(self) -> dict[str, dict[str, str]]:
        """Give every setting."""
        return self._values

    def load(self, saved: dict[str, Any]) -> None:
        """Take the settings back; nobody is told, as all of the phone goes back."""
        self._values = saved


def _is_valid(key: str, value: str) -> bool:
    """Tell whether a value of the system namespace, which Android validates, is in its range."""
    if key not in _TABLE["valid"]:
        return True
    low, high = _TABLE["valid"][key]
    if isinstance(low, int):
        return value.isdecimal() and low <= int(value) <= high
    try:
        return bool(low <= float(value) <= high)
    except ValueError:
        return False
