"""The notification shade: whether it is pulled down, how far, and what is done in it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.notifications import Notification, Notifications


class Shade:
    """Open or not, and how far; what it shows comes from settings and notifications."""

    def __init__(self, changes: Changes, ime: InputMethods, notifications: Notifications) -> None:
        self._changes, self._ime, self._notifications = changes, ime, notifications
        self.open = False
        self.full = False  # quick settings are pulled down all the way
        self.expanded: list[str] = []  # keys of notifications
        self.replying = ""  # the key of the notification that is being answered
        self.reply = ""
        self.ui = UiState()

    def pull(self, *, full: bool = False) -> None:
        """Open it; a second pull brings all of quick settings."""
        self.full = full or self.open
        self.open = True
        self._notifications.hide()
        self._changed()

    def push(self) -> None:
        """Close it, or quick settings first if they are open all the way."""
        self.open = self.full and self.open
        self.full = False
        self._changed()

    def close(self) -> None:
        """Close all of it."""
        self.open = self.full = False
        self.replying = self.reply = ""
        self.expanded, self.ui = [], UiState()
        self._changed()

    def _changed(self) -> None:
        self._ime.hide()
        self._changes.note()

    def is_expanded(self, each: Notification) -> bool:
        """Tell whether a notification is shown with all it has: the first one is by itself."""
        first = self._notifications.posted[0].key == each.key
        return first is not (each.key in self.expanded)

    def toggle(self, each: Notification) -> None:
        """Expand a notification, or fold it up."""
        known = each.key in self.expanded
        self.expanded = [key for key in self.expanded if key != each.key]
        if not known:
            self.expanded.append(each.key)
        self._changes.note()

    def answer(self, each: Notification) -> None:
        """Open the field for an answer."""
        self.replying, self.reply = each.key, ""
        self.ui.focused = f"reply:{each.key}"
        self._ime.show()
        self._changes.note()

    def typed(self, text: str) -> None:
        """Keep what is typed as an answer."""
        self.reply = text

    def send(self, each: Notification, *_: object) -> None:
        """Send the answer."""
        deed = next((deed for deed in each.deeds if deed.reply), None)
        words, self.replying, self.reply = self.reply, "", ""
        self._ime.hide()
        if deed and words:
            self._notifications.do(each, deed, words)

    def swiped(self, key: str) -> bool:
        """Dismiss the notification that was swiped aside; False if there is none."""
        each = next((n for n in self._notifications.posted if n.key == key), None)
        if each:
            self._notifications.dismiss(each)
        return each is not None

    def save(self) -> dict[str, Any]:
        """Tell how far it is open."""
        return {
            "open": self.open,
            "full": self.full,
            "expanded": self.expanded,
            "replying": self.replying,
            "reply": self.reply,
            "ui": asdict(self.ui),
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Open or close it again."""
        self.open, self.full, self.expanded = saved["open"], saved["full"], saved["expanded"]
        self.replying, self.reply = saved["replying"], saved["reply"]
        self.ui = UiState(**saved["ui"])
