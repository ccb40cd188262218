"""Notifications posted by apps, the heads-up notification on top, and the shade that lists them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import NEW_TASK, Intent
from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.ui.layout import UiState

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.kernel.clock import Clock
    from pytest_mobileagent.virtual.system.activities import Activities
    from pytest_mobileagent.virtual.system.hardware import Power
    from pytest_mobileagent.virtual.system.input.ime import InputMethods
    from pytest_mobileagent.virtual.system.interfaces import (
        EventSender,
        KeyguardControl,
        ShadeControl,
    )
    from pytest_mobileagent.virtual.system.packages.packages import Packages
    from pytest_mobileagent.virtual.system.packages.permissions import Permissions


DEFAULT, HIGH = 3, 4  # the importance of a channel
ANNOUNCED = 5.0  # seconds that a heads-up notification is shown
POST = "android.permission.POST_NOTIFICATIONS"
REPLY = "reply"  # the extra that contains the text of a reply


@dataclass(frozen=True, slots=True)
class Deed:
    """A notification's button: starts its intent or, with `told`, broadcasts it to its own app."""

    label: str
    intent: Intent
    told: bool = False
    reply: str = ""  # the hint of the reply field that it opens
    color: str = ""  # background of the buttons of a call


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification; tapping it starts `intent`, or the app if there is no intent."""

    package: str
    tag: str
    title: str
    text: str
    time: float
    id: int = 0
    channel: str = "default"
    importance: int = DEFAULT
    long_text: str = ""  # replaces the text when expanded
    deeds: tuple[Deed, ...] = ()
    intent: Intent | None = None
    ongoing: bool = False
    full_screen: bool = False  # opens by itself, or stays over the app, as an incoming call does

    @property
    def key(self) -> str:
        """What identifies the notification: posting with the same key replaces it."""
        return f"{self.package}|{self.tag}"

    def system_key(self, uid: int) -> str:
        """Return the key in the format of the notification service."""
        return f"0|{self.package}|{self.id}|{self.tag or 'null'}|{uid}"


@dataclass(eq=False)
class Notifications(Kept):
    """All posted notifications."""

    KEPT = ("_posted", "_announced", "_until", "_blocked")

    clock: Clock
    changes: Changes
    settings: Settings
    power: Power
    packages: Packages
    permissions: Permissions
    activities: Activities
    _posted: dict[str, Notification] = field(default_factory=dict)
    _announced: str = ""  # key of the heads-up notification, or ""
    _until: float = 0.0  # uptime when it disappears
    _blocked: list[str] = field(default_factory=list)

    def link(self, shade: ShadeControl, keyguard: KeyguardControl, events: EventSender) -> None:
        """Connect the services that show notifications and report them."""
        self._shade, self._keyguard, self._events = shade, keyguard, events

    # Called by apps

    def post(
        self, package: str, tag: str, title: str, text: str, **more: Any
    ) -> Notification | None:
        """Post or replace a notification; return None if the app may not post."""
        if not self.allowed(package):
            return None
        posted = Notification(package, tag, title, text, self.clock.time(), **more)
        known = self._posted.pop(posted.key, None)
        self._posted[posted.key] = posted
        if known is None and posted.importance >= HIGH:
            self._announce(posted)
        self.changes.note()
        self._events.notification(package, tag, (title, text))
        return posted

    def cancel(self, package: str, tag: str) -> None:
        """Remove a notification."""
        self._posted.pop(f"{package}|{tag}", None)
        self.changes.note()

    def cancel_all(self, package: str = "") -> None:
        """Remove a package's notifications; without a package, all that the user can clear."""
        self._posted = {
            key: posted
            for key, posted in self._posted.items()
            if (posted.package != package if package else posted.ongoing)
        }
        self.changes.note()

    # Actions of the user

    def open(self, posted: Notification) -> None:
        """Open a notification, as a tap on it does."""
        if self._keyguard.locked:
            self._shade.close()
            self._keyguard.dismiss(pending=posted.key)
            return
        self.dismiss(posted)
        self._announced = ""
        self._shade.close()
        self._start(posted)

    def _start(self, posted: Notification) -> None:
        app = self.packages.app(posted.package)
        if posted.intent:
            self._start_intent(posted.intent, app.uid)
        elif app.activities:
            self.activities.launch(posted.package, uid=1000)

    def _start_intent(self, intent: Intent, uid: int) -> None:
        self.activities.start(replace(intent, flags=intent.flags | NEW_TASK), uid=uid)

    def do(self, posted: Notification, deed: Deed, reply: str = "") -> None:
        """Press one of its buttons."""
        app, intent = self.packages.app(posted.package), deed.intent
        if reply:
            intent = replace(intent, extras={**intent.extras, REPLY: reply})
        self._announced = ""
        if deed.told:
            with self.activities.guard(posted.package):
                app.on_broadcast(intent)
            self.changes.note()
        else:
            self._shade.push()
            self._start_intent(intent, app.uid)

    def dismiss(self, posted: Notification) -> None:
        """Swipe a notification away, unless it is ongoing."""
        if not posted.ongoing:
            self.cancel(posted.package, posted.tag)

    def hide(self) -> None:
        """Hide the heads-up notification; it stays in the shade."""
        self._announced = ""
        self.changes.note()

    def block(self, package: str, *, blocked: bool) -> None:
        """Block or unblock the notifications of an app."""
        self._blocked = [name for name in self._blocked if name != package]
        if blocked:
            self._blocked.append(package)
            self.cancel_all(package)
        self.changes.note()

    # Queries

    def allowed(self, package: str) -> bool:
        """Return whether an app may post: it is not blocked and has the permission."""
        if package in self._blocked or package not in self.packages:
            return False
        asks = POST in self.packages.app(package).permissions
        return not asks or self.permissions.granted(package, POST)

    @property
    def posted(self) -> list[Notification]:
        """All posted notifications, the latest first."""
        return list(reversed(self._posted.values()))

    def announced(self) -> Notification | None:
        """Return the notification that is currently shown over the app, or None."""
        posted = self._posted.get(self._announced)
        stays = posted is not None and posted.full_screen
        return posted if stays or self._until > self.clock.uptime() else None

    def _announce(self, posted: Notification) -> None:
        """Show a heads-up, or the full-screen activity if the phone is not in use."""
        zen = self.settings.text("global", "zen_mode", "0")
        on = self.settings.text("global", "heads_up_notifications_enabled", "1") == "1"
        used = self.power.awake and not self._keyguard.locked
        if zen == "0" and posted.full_screen and not used:
            self.power.wake()
            self._start(posted)
        elif zen == "0" and on and used and not self._shade.open:
            self._announced, self._until = posted.key, self.clock.uptime() + ANNOUNCED


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
