"""The input method service: which keyboards there are, which one is used, and what it types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, get_args

from pytest_mobileagent.virtual.ui import Text, View, editing
from pytest_mobileagent.virtual.ui.keyboard import Layer, keyboard

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.activities.tasks import Record
    from pytest_mobileagent.virtual.system.packages.packages import Packages
    from pytest_mobileagent.virtual.system.window.window import Window
    from pytest_mobileagent.virtual.ui.controls import Input
    from pytest_mobileagent.virtual.ui.layout import UiState

LATIN = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
ADB = "com.android.adbkeyboard/.AdbIME"
SEPARATOR = ":"


@dataclass(frozen=True, slots=True)
class Keyboard:
    """An installed input method."""

    id: str
    label: str
    package: str


INSTALLED = (
    Keyboard(LATIN, "Gboard", "com.google.android.inputmethod.latin"),
    Keyboard(ADB, "ADB Keyboard", "com.android.adbkeyboard"),
)


class UnknownInputMethod(LookupError):  # noqa: N818 - Android's own words
    """No such input method, or it is not enabled."""


class Focus(Protocol):
    """The windows, in one of which a field has the focus."""

    @property
    def active(self) -> Window:
        """The window that has the focus."""

    def focused_field(self) -> Input | None:
        """Give the text field that has the input focus."""

    def focus_next(self, *, fields_only: bool) -> bool:
        """Move the focus on; False if there is no other field."""

    def reveal(self) -> None:
        """Scroll so that the focused field is seen."""


class Guarding(Protocol):
    """The activities, whose own failures are theirs."""

    def guard(self, record: Record) -> AbstractContextManager[None]:
        """Let a failure of an activity's own code end its app, and nothing else."""


class InputMethods:
    """The soft keyboard of the window that has the focus."""

    def __init__(self, changes: Changes, settings: Settings, packages: Packages) -> None:
        self._changes = changes
        self._settings = settings
        self._packages = packages
        self.shown = False
        self.layer: Layer = "letters"

    def link(self, activities: Guarding, windows: Focus) -> None:
        """Learn where it types."""
        self._activities, self._windows = activities, windows

    # Which.

    def installed(self) -> list[Keyboard]:
        """Give every input method whose app is enabled."""
        more = [
            Keyboard(name, label, app.package)
            for app in self._packages.apps()
            for name, label in app.input_methods.items()
        ]
        found = [*INSTALLED, *more]
        return [each for each in found if self._packages.enabled(each.package)]

    def enabled(self) -> list[Keyboard]:
        """Give those that may be chosen."""
        ids = self._settings.text("secure", "enabled_input_methods").split(SEPARATOR)
        return [each for each in self.installed() if each.id in ids]

    @property
    def current(self) -> str:
        """The id of the one in use."""
        return self._settings.text("secure", "default_input_method")

    def enable(self, id: str) -> bool:
        """Enable one; False if it was already."""
        if id not in {each.id for each in self.installed()}:
            raise UnknownInputMethod(id)
        ids = [each.id for each in self.enabled()]
        if id in ids:
            return False
        self._put_enabled([*ids, id])
        return True

    def disable(self, id: str) -> None:
        """Disable one; Gboard takes over from it."""
        if id not in {each.id for each in self.installed()}:
            raise UnknownInputMethod(id)
        self._put_enabled([each.id for each in self.enabled() if each.id != id])
        if self.current == id:
            self._settings.put("secure", "default_input_method", LATIN)

    def choose(self, id: str) -> None:
        """Use an enabled one."""
        if id not in {each.id for each in self.enabled()}:
            raise UnknownInputMethod(id)
        self._settings.put("secure", "default_input_method", id)

    def reset(self) -> None:
        """Go back to Gboard alone."""
        self._put_enabled([LATIN])
        self.choose(LATIN)

    def _put_enabled(self, ids: list[str]) -> None:
        self._settings.put("secure", "enabled_input_methods", SEPARATOR.join(ids))

    # Showing and typing.

    def show(self) -> None:
        """Come up for the focused field."""
        if not self.shown:
            self.shown, self.layer = True, "letters"

    def hide(self) -> None:
        """Go away."""
        self.shown = False

    def view(self, field: Input) -> View:
        """Build the keyboard for a field; ADBKeyboard is but a bar that says it is there."""
        if self.current == ADB:
            return Text(
                "ADB Keyboard {ON}",
                width=-1,
                padding=(16, 12, 16, 36),
                align="bottom",
                background="surface_container",
            )
        if self.current not in (each.id for each in INSTALLED):
            return View(width=-1, height=0, align="bottom")
        layer: Layer = "digits" if field.numeric else self.layer
        return keyboard(layer, self.press, action="enter" if field.multiline else field.action)

    def press(self, key: str) -> None:
        """Take a key of the soft keyboard: a character, or the layer that it leads to."""
        if key in get_args(Layer):
            self.layer = key  # type: ignore[assignment]
        elif key == "\n":
            self.enter()
        elif key == "\b":
            self._edit(editing.delete)
        else:
            self.commit(key)
            if self.layer == "capitals":
                self.layer = "letters"

    def typed(self, text: str) -> bool:
        """Give the input method in use what a keyboard types; False if it leaves that alone."""
        package = self.current.partition("/")[0]
        return package in self._packages and self._packages.app(package).on_typed(text)

    def commit(self, text: str) -> bool:
        """Type text into the focused field; False if there is none."""
        return self._edit(lambda field, state: editing.insert(field, text, state))

    def clear(self) -> bool:
        """Empty the focused field; False if there is none."""
        return self._edit(editing.clear)

    def enter(self) -> bool:
        """Do what the enter key does in the focused field; False if there is none."""
        field = self._windows.focused_field()
        if field is None:
            return False
        if field.multiline:
            return self.commit("\n")
        window = self._windows.active
        with self._activities.guard(window.record):
            editing.submit(field)
        if field.action == "next" and self._windows.focus_next(fields_only=True):
            return True
        if field.action != "send":
            self.hide()
        self._changes.note()
        return True

    def _edit(self, change: Callable[[Input, UiState], object]) -> bool:
        field, window = self._windows.focused_field(), self._windows.active
        if field is None:
            return False
        with self._activities.guard(window.record):
            change(field, window.state)
        self._windows.reveal()
        self._changes.note()
        return True

    def save(self) -> dict[str, Any]:
        """Give what is shown."""
        return {"shown": self.shown, "layer": self.layer}

    def load(self, saved: dict[str, Any]) -> None:
        """Show it again."""
        self.shown, self.layer = saved["shown"], saved["layer"]
