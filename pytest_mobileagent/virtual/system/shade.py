"""The notification shade: whether it is open and how far, and the user's actions in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.snapshots.kept import Kept
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.notifications import Notification, Notifications


@dataclass(eq=False)
class Shade(Kept):
    """Whether the shade is open, and how far; its content is in settings and notifications."""

    KEPT = ("open", "full", "expanded", "replying", "reply", "ui")

    changes: Changes
    ime: InputMethods
    notifications: Notifications
    open: bool = False
    full: bool = False  # quick settings are fully expanded
    expanded: list[str] = field(default_factory=list)  # keys of notifications
    replying: str = ""  # the key of the notification being replied to
    reply: str = ""
    ui: UiState = field(default_factory=UiState)

    def pull(self, *, full: bool = False) -> None:
        """Open the shade; a second pull expands quick settings fully."""
        self.full = full or self.open
        self.open = True
        self.notifications.hide()
        self._changed()

    def push(self) -> None:
        """Close the shade or, if quick settings are fully expanded, collapse them first."""
        self.open = self.full and self.open
        self.full = False
        self._changed()

    def close(self) -> None:
        """Close the shade completely."""
        self.open = self.full = False
        self.replying = self.reply = ""
        self.expanded, self.ui = [], UiState()
        self._changed()

    def _changed(self) -> None:
        self.ime.hide()
        self.changes.note()

    def is_expanded(self, each: Notification) -> bool:
        """Return whether a notification is expanded, as the first one is by default."""
        first = self.notifications.posted[0].key == each.key
        return first is not (each.key in self.expanded)

    def toggle(self, each: Notification) -> None:
        """Expand or collapse a notification."""
        known = each.key in self.expanded
        self.expanded = [key for key in self.expanded if key != each.key]
        if not known:
            self.expanded.append(each.key)
        self.changes.note()

    def answer(self, each: Notification) -> None:
        """Open the field for a reply."""
        self.replying, self.reply = each.key, ""
        self.ui.focused = f"reply:{each.key}"
        self.ime.show()
        self.changes.note()

    def typed(self, text: str) -> None:
        """Store the text typed as a reply."""
        self.reply = text

    def send(self, each: Notification, *_: object) -> None:
        """Send the reply."""
        deed = next((deed for deed in each.deeds if deed.reply), None)
        words, self.replying, self.reply = self.reply, "", ""
        self.ime.hide()
        if deed and words:
            self.notifications.do(each, deed, words)

    def swiped(self, key: str) -> bool:
        """Dismiss the notification that was swiped aside; return False if there is none."""
        each = next((n for n in self.notifications.posted if n.key == key), None)
        if each:
            self.notifications.dismiss(each)
        return each is not None
