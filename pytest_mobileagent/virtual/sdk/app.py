"""Apps and activities as authors write them, with all the services of the phone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pytest_mobileagent.virtual.app import app
from pytest_mobileagent.virtual.content.intent import (
    EXTRA_STREAM,
    EXTRA_SUBJECT,
    EXTRA_TEXT,
    SEND,
    Intent,
    chooser,
    class_name,
)
from pytest_mobileagent.virtual.ui import Dialog, Input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_mobileagent.virtual.content.locale import Locale
    from pytest_mobileagent.virtual.phone import Phone


def uses_permissions(names: str) -> tuple[str, ...]:
    """Return Android's permissions by their names, separated by spaces, as an app declares them."""
    return tuple(f"android.permission.{name}" for name in names.split())


class App(app.App):
    """An installed app; it keeps no state in memory, only in its databases and preferences."""

    phone: Phone
    defaults: Mapping[str, Any] = {}  # of preferences
    preferences_file: ClassVar[str | None] = None  # that has them, by default the app's default one

    def preference(self, key: str) -> Any:
        """Return a preference, its default, or None."""
        return self.preferences(self.preferences_file).get(key, self.defaults.get(key))

    def put(self, **values: Any) -> None:
        """Set preferences; None removes one."""
        self.preferences(self.preferences_file).put_all(values)

    def notify(
        self,
        tag: str,
        title: str,
        text: str = "",
        *,
        intent: Intent | type[app.Activity] | None = None,
        **more: Any,
    ) -> None:
        """Post a notification, or replace the one with this tag; tapping it starts `intent`.

        `channel` names its channel, and `importance` 4 shows it as a heads-up over the current
        screen. An `ongoing` notification cannot be swiped away, `long_text` is shown when it is
        expanded, and `deeds` are its buttons (`Deed`). Nothing is posted while the app lacks the
        permission to post.
        """
        if isinstance(intent, type):
            intent = Intent(component=intent.component(self.package))
        self.phone.notifications.post(self.package, tag, title, text, intent=intent, **more)

    def cancel_notification(self, tag: str) -> None:
        """Remove a notification that this app posted."""
        self.phone.notifications.cancel(self.package, tag)

    def has_permission(self, permission: str) -> bool:
        """Return whether the app has a permission and may use it now."""
        return self.phone.permissions.allowed(self.package, permission)

    def log(self, tag: str, message: str, level: str = "I") -> None:
        """Write a line to the phone's log, from this app's process."""
        self.phone.log.write(level, tag, message, pid=self.phone.proc.pid(self.package))


T = TypeVar("T")


class FromApp(Generic[T]):
    """An attribute of activities: what `make` makes of their app, such as its store, each time."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make

    def __get__(self, activity: Any, kind: object = None) -> T:
        """Make it, for an activity or what else has an `app`."""
        return self._make(activity.app)


class Activity(app.Activity):
    """A screen of an app. `content` is a pure function of state, extras and the app's data."""

    app: App

    @property
    def phone(self) -> Phone:
        """The phone that the app runs on."""
        return self.app.phone

    @property
    def extras(self) -> dict[str, Any]:
        """The extras of the intent that started the activity."""
        return dict(self.intent.extras)

    @property
    def locale(self) -> Locale:
        """The app's language, which determines how dates, times and numbers are written."""
        return self.app.locale

    def set(self, **state: Any) -> None:
        """Update the state and rebuild the screen."""
        self.state.update(state)
        self.phone.changed()

    def ask(self, question: str, **state: Any) -> None:
        """Open the dialog that the method `ask_<question>` builds, and update the state."""
        self.set(asks=question, **state)

    def close(self) -> None:
        """Close the dialog that `ask` opened."""
        self.set(asks="")

    def dialog(self) -> Dialog | None:
        """Build the dialog that `ask` opened; override this to choose dialogs in another way.

        Back and a tap outside close it, unless it says what else they do (`on_cancel`).
        """
        if not (asked := self.state.get("asks")):
            return None
        dialog: Dialog = getattr(self, f"ask_{asked}")()
        dialog.on_cancel = dialog.on_cancel or self.close
        return dialog

    def choice(
        self, options: Iterable[str], act: Callable[[str], object], title: str = ""
    ) -> Dialog:
        """Return a dialog in which one of several words is chosen, for `act`, which closes it."""
        return Dialog(title, items=[(each, partial(act, each)) for each in options])

    def question(
        self,
        words: str,
        act: Callable[[], object],
        yes: str = "OK",
        no: str = "Cancel",
        **more: Any,
    ) -> Dialog:
        """Return a dialog that asks before `act`, which closes it, as its other button does.

        The buttons are labelled in the app's language; `more` are arguments of the dialog.
        """
        buttons = [(self.t(yes), act), (self.t(no), self.close)]
        return Dialog(message=words, buttons=buttons, on_cancel=self.close, **more)

    def start(
        self, target: type[Activity] | str | Intent, *, request: str = "", **extras: Any
    ) -> None:
        """Start an activity of this app, by its class or its name, or any activity by intent.

        `request` identifies the call when its result arrives in `on_result`.
        """
        package = self.app.package
        if isinstance(target, str):
            target = Intent(component=f"{package}/{class_name(package, target)}")
        elif isinstance(target, type):
            target = Intent(component=target.component(package))
        intent = replace(target, extras={**target.extras, **extras})
        self.phone.activities.start_from(self, intent, request)

    def request_permission(self, *permissions: str, request: str = "") -> None:
        """Ask for permissions declared by the app's class; `on_permission` receives the answer."""
        self.phone.activities.ask_permission(self, permissions, request)

    def share(self, text: str = "", *, subject: str = "", stream: str = "", type: str = "") -> None:
        """Open the share sheet for the text, or for the file at the URI `stream`."""
        extras = {EXTRA_TEXT: text, EXTRA_SUBJECT: subject, EXTRA_STREAM: stream}
        kept = {name: value for name, value in extras.items() if value}
        kind = type or ("*/*" if stream else "text/plain")
        self.start(chooser(Intent(SEND, type=kind, extras=kept)))

    def finish(self, **result: Any) -> None:
        """Finish this activity and pass a result to the activity that started it."""
        self.phone.activities.finish(self, result)

    def leave(self) -> None:
        """Leave this activity as the back key does: unless `on_back` has handled it."""
        if not self.on_back():
            self.finish()

    def reveal(self, key: str) -> None:
        """Scroll a list, once, until the row with this key is visible."""
        if record := self.phone.activities.record_of(self):
            record.ui.reveal = key
            self.phone.changed()

    def focus(self, name: str, *, select: bool = False) -> None:
        """Focus the field of `state[name]`, or with `select` its whole text; show the keyboard."""
        if record := self.phone.activities.record_of(self):
            record.ui.focused = f"field:{name}"
            record.ui.cursor = len(str(self.state.get(name, "")))
            record.ui.anchor = 0 if select else None
            self.phone.ime.show()
            self.phone.changed()

    def focused(self, name: str) -> bool:
        """Return whether the cursor is in the field bound to `state[name]`."""
        record = self.phone.activities.record_of(self)
        return record is not None and record.ui.focused == f"field:{name}"

    def blur(self) -> None:
        """Clear the input focus and hide the keyboard."""
        if record := self.phone.activities.record_of(self):
            record.ui.focused = None
            self.phone.ime.hide()
            self.phone.changed()

    def toast(self, text: str, *, long: bool = False) -> None:
        """Show a toast for 2 seconds, or 3.5 seconds if `long`."""
        self.phone.windows.show_toast(self.app.package, text, 3.5 if long else 2.0)

    def field(self, name: str, **options: Any) -> Input:
        """Create a text field bound to `state[name]`; `on_change` runs after `state` is updated."""
        told: Callable[[str], None] | None = options.pop("on_change", None)

        def changed(text: str) -> None:
            self.state[name] = text
            if told:
                told(text)

        options.setdefault("key", f"field:{name}")
        return Input(str(self.state.get(name, "")), on_change=changed, **options)

    def search_field(self, id: str, hint: str, name: str = "query", **options: Any) -> Input:
        """Create the field of a search in a bar; the hint is shown in the app's language."""
        looks = {"style": "plain", "action": "search", "weight": 1, **options}
        return self.field(name, id=id, hint=self.t(hint), **looks)

    def search_box(
        self, id: str, hint: str, seek: Callable[[str], object], name: str = "query", **options: Any
    ) -> Input:
        """Create the field of a search above a page; `seek` gets the words that are entered."""
        looks = {"style": "filled", "corner": 28, "margin": (16, 12), "icon": "search", **options}
        return self.search_field(id, hint, name, on_submit=seek, **{"weight": 0, **looks})

    def begin_search(self) -> None:
        """Begin a search: `state["searching"]` holds, and the cursor is in its field."""
        self.set(searching=True, query="")
        self.focus("query")

    def end_search(self) -> bool:
        """End the search, and clear its words; return whether there was one."""
        was = bool(self.state["searching"])
        self.set(searching=False, query="")
        self.blur()
        return was


SETTING = ("system", "next_alarm_formatted")


def set_next_alarm(phone: Phone, at: datetime | None) -> None:
    """Publish the time of the next alarm; a change is also logged."""
    shown = f"{at:%a} {at.hour % 12 or 12}:{at:%M} {'AM' if at.hour < 12 else 'PM'}" if at else ""
    if phone.settings.text(*SETTING) == shown:
        return
    phone.settings.put(*SETTING, shown)
    alarm = at or datetime.fromtimestamp(0, phone.clock.zone)
    times = f"now={_java(phone.clock.now())}, nextUserAlarmTime={_java(alarm)}"
    line = f"evaluateSubscriptionLocked cal=null, {times}"
    phone.log.system("D", "ConditionProviders.SCP", line)


def _java(moment: datetime) -> str:
    """Format a time as `java.util.Date.toString` does, followed by its milliseconds."""
    return f"{moment:%a %b %d %H:%M:%S %Z %Y} ({int(moment.timestamp() * 1000)})"
