"""The input method service: which keyboards are installed, which is used, and what it types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.ui import Text, View, editing
from pytest_mobileagent.virtual.ui.chrome import LAYERS, keyboard

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.content.settings import Settings
    from pytest_mobileagent.virtual.kernel.changes import Changes
    from pytest_mobileagent.virtual.system.interfaces import ActivityService, FocusService
    from pytest_mobileagent.virtual.system.packages.packages import Packages
    from pytest_mobileagent.virtual.ui import Input
    from pytest_mobileagent.virtual.ui.layout import UiState


@dataclass(eq=False)
class Clipboard(Kept):
    """Holds the last copied text."""

    KEPT = ("text",)

    text: str = ""


LATIN = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
ADB = "com.android.adbkeyboard/.AdbIME"
SEPARATOR = ":"


@dataclass(frozen=True, slots=True)
class Keyboard:
    """An installed input method."""

    id: str
    label: str


class UnknownInputMethod(LookupError):
    """The input method does not exist, or is not enabled."""


@dataclass(eq=False)
class InputMethods(Kept):
    """The soft keyboard of the focused window."""

    KEPT = ("shown", "layer")

    changes: Changes
    settings: Settings
    packages: Packages
    shown: bool = False
    layer: str = "letters"

    def link(self, activities: ActivityService, windows: FocusService) -> None:
        """Connect the services that the keyboard types into."""
        self._activities, self._windows = activities, windows

    # Choosing an input method

    def installed(self) -> list[Keyboard]:
        """Return the input methods of all enabled apps."""
        return [
            Keyboard(name, label)
            for app in self.packages.apps()
            if self.packages.enabled(app.package)
            for name, label in app.input_methods.items()
        ]

    def enabled(self) -> list[Keyboard]:
        """Return the enabled input methods."""
        ids = self.settings.text("secure", "enabled_input_methods").split(SEPARATOR)
        return [each for each in self.installed() if each.id in ids]

    @property
    def current(self) -> str:
        """The id of the input method in use."""
        return self.settings.text("secure", "default_input_method")

    def enable(self, id: str) -> bool:
        """Enable an input method; return False if it was already enabled."""
        if id not in {each.id for each in self.installed()}:
            raise UnknownInputMethod(id)
        ids = [each.id for each in self.enabled()]
        if id in ids:
            return False
        self._put_enabled([*ids, id])
        return True

    def disable(self, id: str) -> None:
        """Disable an input method; if it was in use, Gboard replaces it."""
        if id not in {each.id for each in self.installed()}:
            raise UnknownInputMethod(id)
        self._put_enabled([each.id for each in self.enabled() if each.id != id])
        if self.current == id:
            self.settings.put("secure", "default_input_method", LATIN)

    def choose(self, id: str) -> None:
        """Switch to an enabled input method."""
        if id not in {each.id for each in self.enabled()}:
            raise UnknownInputMethod(id)
        self.settings.put("secure", "default_input_method", id)

    def reset(self) -> None:
        """Reset to Gboard as the only enabled input method."""
        self._put_enabled([LATIN])
        self.choose(LATIN)

    def _put_enabled(self, ids: list[str]) -> None:
        self.settings.put("secure", "enabled_input_methods", SEPARATOR.join(ids))

    # Showing and typing

    def show(self) -> None:
        """Show the keyboard for the focused field."""
        if not self.shown:
            self.shown, self.layer = True, "letters"

    def hide(self) -> None:
        """Hide the keyboard."""
        self.shown = False

    def view(self, field: Input) -> View:
        """Build the keyboard for a field; ADBKeyboard is only a bar with its name."""
        if self.current == ADB:
            look: dict[str, Any] = {"padding": (16, 12, 16, 36), "background": "surface_container"}
            return Text("ADB Keyboard {ON}", width=-1, align="bottom", **look)
        if self.current != LATIN:
            return View(width=-1, height=0, align="bottom")
        layer = "digits" if field.numeric else self.layer
        return keyboard(layer, self.press, action="enter" if field.multiline else field.action)

    def press(self, key: str) -> None:
        """Handle a key of the soft keyboard: a character, or the layer it switches to."""
        if key in LAYERS:
            self.layer = key
        elif key == "\n":
            self.enter()
        elif key == "\b":
            self.edit(editing.delete)
        else:
            self.commit(key)
            if self.layer == "capitals":
                self.layer = "letters"

    def typed(self, text: str) -> bool:
        """Pass typed text to the current input method; return False if it does not handle it."""
        package = self.current.partition("/")[0]
        return package in self.packages and self.packages.app(package).on_typed(text)

    def commit(self, text: str) -> bool:
        """Type text into the focused field; return False if there is none."""
        return self.edit(lambda field, state: editing.insert(field, text, state))

    def clear(self) -> bool:
        """Clear the focused field; return False if there is none."""
        return self.edit(lambda field, state: editing.set_text(field, "", state))

    def enter(self) -> bool:
        """Press Enter in the focused field; return False if there is none."""
        field = self._windows.focused_field()
        if field is None:
            return False
        if field.multiline:
            return self.commit("\n")
        window = self._windows.active
        with self._activities.guard(window.record.package):
            editing.submit(field)
        if field.action == "next" and self._windows.focus_next(fields_only=True):
            return True
        if field.action != "send":
            self.hide()
        self.changes.note()
        return True

    def edit(self, change: Callable[[Input, UiState], object]) -> bool:
        """Change the focused field; return False if there is none."""
        field, window = self._windows.focused_field(), self._windows.active
        if field is None:
            return False
        with self._activities.guard(window.record.package):
            change(field, window.state)
        self._windows.reveal()
        self.changes.note()
        return True
