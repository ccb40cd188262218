"""The notification shade: whether it is pulled down, how far, and what is done in it."""

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
    """Open or not, and how far; what it shows comes from settings and notifications."""

    KEPT = ("open", "full", "expanded", "replying", "reply", "ui")

    changes: Changes
    ime: InputMethods
    notifications: Notifications
    open: bool = False
    full: bool = False  # quick settings are pulled down all the way
    expanded: list[str] = field(default_factory=list)  # keys of notifications
    replying: str = ""  # the key of the notification that is being answered
    reply: str = ""
    ui: UiState = field(default_factory=UiState)

    def pull(self, *, full: bool = False) -> None:
        """Open it; a second pull brings all of quick settings."""
        self.full = full or self.open
        self.open = True
        self.notifications.hide()
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
        self.ime.hide()
        self.changes.note()

    def is_expanded(self, each: Notification) -> bool:
        """Tell whether a notification is shown with all it has: the first one is by itself."""
        first = self.notifications.posted[0].key == each.key
        return first is not (each.key in self.expanded)

    def toggle(self, each: Notification) -> None:
        """Expand a notification, or fold it up."""
        known = each.key in self.expanded
        self.expanded = [key for key in self.expanded if key != each.key]
        if not known:
            self.expanded.append(each.key)
        self.changes.note()

    def answer(self, each: Notification) -> None:
        """Open the field for an answer."""
        self.replying, self.reply = each.key, ""
        self.ui.focused = f"reply:{each.key}"
        self.ime.show()
        self.changes.note()

    def typed(self, text: str) -> None:
        """Keep what is typed as an answer."""
        self.reply = text

    def send(self, each: Notification, *_: object) -> None:
        """Send the answer."""
        deed = next((deed for deed in each.deeds if deed.reply), None)
        words, self.replying, self.reply = self.reply, "", ""
        self.ime.hide()
        if deed and words:
            self.notifications.do(each, deed, words)

    def swiped(self, key: str) -> bool:
        """Dismiss the notification that was swiped aside; False if there is none."""
        each = next((n for n in self.notifications.posted if n.key == key), None)
        if each:
            self.notifications.dismiss(each)
        return each is not None
