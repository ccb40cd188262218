"""Apps and activities as authors write them: on a phone with all its services."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app import app
from pytest_mobileagent.virtual.content.filters import SEND
from pytest_mobileagent.virtual.content.intent import (
    EXTRA_STREAM,
    EXTRA_SUBJECT,
    EXTRA_TEXT,
    Intent,
    chooser,
)
from pytest_mobileagent.virtual.ui.controls import Input

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.phone import Phone


class App(app.App):
    """One installed app; it keeps nothing in memory, only in its databases and preferences."""

    phone: Phone

    def notify(
        self,
        tag: str,
        title: str,
        text: str = "",
        *,
        intent: Intent | type[app.Activity] | None = None,
        **more: Any,
    ) -> None:
        """Post a notification, or replace the one with this tag; a tap on it starts `intent`.

        `channel` names its channel, `importance` 4 announces it over what is on the screen,
        `ongoing` keeps it from being swiped away, `long_text` is shown when it is expanded, and
        `deeds` are its buttons (`Deed`). Nothing is posted while the app may not.
        """
        if isinstance(intent, type):
            intent = Intent(component=intent.component(self.package))
        self.phone.notifications.post(self.package, tag, title, text, intent=intent, **more)

    def cancel_notification(self, tag: str) -> None:
        """Take a notification of the app's own away."""
        self.phone.notifications.cancel(self.package, tag)

    def has_permission(self, permission: str) -> bool:
        """Tell whether the app may do what a permission is for."""
        return self.phone.permissions.allowed(self.package, permission)

    def log(self, tag: str, message: str, level: str = "I") -> None:
        """Write a line to the phone's log, from this app's process."""
        self.phone.log.write(level, tag, message, pid=self.phone.proc.pid(self.package))


class Activity(app.Activity):
    """One screen of an app. `content` is a pure function of state, extras and the app's data."""

    app: App

    @property
    def phone(self) -> Phone:
        """The phone that the app runs on."""
        return self.app.phone

    @property
    def extras(self) -> dict[str, Any]:
        """What the starter has given along."""
        return dict(self.intent.extras)

    @property
    def locale(self) -> Locale:
        """The language that the app speaks: how it writes dates, times and numbers."""
        return self.app.locale

    def set(self, **state: Any) -> None:
        """Change state; the screen is built anew."""
        self.state.update(state)
        self.phone.changed()

    def start(self, target: type[Activity] | Intent, *, request: str = "", **extras: Any) -> None:
        """Start an activity of this app, or any by intent; `request` names its result."""
        if isinstance(target, type):
            target = Intent(component=target.component(self.app.package))
        intent = replace(target, extras={**target.extras, **extras})
        self.phone.activities.start_from(self, intent, request)

    def request_permission(self, *permissions: str, request: str = "") -> None:
        """Ask for permissions, which the app's class names too; `on_permission` gets the answer.

        The user is asked only about those that are neither granted nor refused for good.
        """
        self.phone.activities.ask_permission(self, permissions, request)

    def share(self, text: str = "", *, subject: str = "", stream: str = "", type: str = "") -> None:
        """Let the user choose an app that shall get a text, or the file at a URI."""
        extras = {EXTRA_TEXT: text, EXTRA_SUBJECT: subject, EXTRA_STREAM: stream}
        kept = {name: value for name, value in extras.items() if value}
        kind = type or ("*/*" if stream else "text/plain")
        self.start(chooser(Intent(SEND, type=kind, extras=kept)))

    def finish(self, **result: Any) -> None:
        """Leave this activity, giving a result to the one that started it."""
        self.phone.activities.finish(self, result)

    def reveal(self, key: str) -> None:
        """Scroll a list, once, so that its row with this key is seen."""
        if record := self.phone.activities.record_of(self):
            record.ui.reveal = key
            self.phone.changed()

    def focus(self, name: str, *, select: bool = False) -> None:
        """Put the cursor into the field bound to `state[name]`, and bring up the keyboard.

        With `select` all that is in it is selected, for typing to replace it.
        """
        if record := self.phone.activities.record_of(self):
            record.ui.focused = f"field:{name}"
            record.ui.cursor, record.ui.anchor = len(str(self.state.get(name, ""))), None
            if select:
                record.ui.anchor = 0
            self.phone.ime.show()
            self.phone.changed()

    def blur(self) -> None:
        """Take the input focus away, and with it the keyboard."""
        if record := self.phone.activities.record_of(self):
            record.ui.focused = None
            self.phone.ime.hide()
            self.phone.changed()

    def toast(self, text: str, *, long: bool = False) -> None:
        """Show a text for some seconds."""
        self.phone.windows.show_toast(self.app.package, text, 3.5 if long else 2.0)

    def field(self, name: str, **options: Any) -> Input:
        """Make a text field bound to `state[name]`; `on_change` is told after the state is."""
        told: Callable[[str], None] | None = options.pop("on_change", None)

        def changed(text: str) -> None:
            self.state[name] = text
            if told:
                told(text)

        options.setdefault("key", f"field:{name}")
        return Input(str(self.state.get(name, "")), on_change=changed, **options)
