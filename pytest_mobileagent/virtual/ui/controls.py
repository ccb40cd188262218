"""The views that users interact with: buttons, text fields, toggles, spinners."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal

from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    WRAP,
    Edges,
    Frame,
    Image,
    Menu,
    Row,
    Source,
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(eq=False)
class Button(Text):
    """A Button in one of Material's styles."""

    _: KW_ONLY
    style: Literal["filled", "tonal", "outlined", "text"] = "filled"
    color: str = ""  # empty for the style's own
    bold: bool = True
    gravity: str = "center"
    padding: Edges = (24, 10)
    icon_size: float = 18

    kind: ClassVar[str] = "android.widget.Button"


@dataclass(eq=False)
class ImageButton(Image):
    """An icon to tap; `desc` should describe its action."""

    _: KW_ONLY
    padding: Edges = 12

    kind: ClassVar[str] = "android.widget.ImageButton"


@dataclass(eq=False)
class Fab(ImageButton):
    """The floating action button; in a Frame it is placed at the lower right."""

    source: Source = "add"
    _: KW_ONLY
    padding: Edges = 16
    margin: Edges = 16
    align: str = "bottom|end"
    color: str = "on_primary_container"
    background: str = "primary_container"
    corner: float = 16
    elevation: float = 6


@dataclass(eq=False)
class Input(View):
    """An EditText that shows `text`, which the app keeps; `on_change` receives the edited text.

    `action` is the action key at the lower right of the keyboard; that key and Enter call
    `on_submit`. With `autofocus`, the field is focused and the keyboard is shown as soon as its
    dialog opens. A `numeric` field takes digits, and points if it is also `decimal`.
    """

    text: str = ""
    _: KW_ONLY
    hint: str = ""
    on_change: Callable[[str], object] | None = None
    on_submit: Callable[[str], object] | None = None
    password: bool = False
    multiline: bool = False
    numeric: bool = False
    decimal: bool = False
    autofocus: bool = False
    action: Literal["done", "search", "next", "go", "send"] = "done"
    icon: Source = ""
    style: Literal["outlined", "filled", "plain"] = "outlined"
    size: float = 16
    color: str = "on_surface"
    width: float = MATCH
    min_height: float = 56
    padding: Edges = (16, 8)
    corner: float = 4

    kind: ClassVar[str] = "android.widget.EditText"
    focusable: ClassVar[bool] = True

    @property
    def clickable(self) -> bool:
        """Always true: a tap places the cursor."""
        return True

    @property
    def long_clickable(self) -> bool:
        """Always true: a long press selects a word."""
        return True

    @property
    def shown(self) -> str:
        """The text as drawn, with dots for a password."""
        return "\N{BULLET}" * len(self.text) if self.password else self.text

    @property
    def label(self) -> str:
        """The text as drawn, or the hint if the field is empty."""
        return self.shown or self.hint


@dataclass(eq=False)
class Toggle(Text):
    """A view that is on or off, with text beside it; the app keeps the state."""

    checked: bool = False
    on_change: Callable[[bool], object] | None = None
    _: KW_ONLY
    min_height: float = 48
    gravity: str = "center_vertical"

    @property
    def checkable(self) -> bool:
        """Always true."""
        return True

    @property
    def clickable(self) -> bool:
        """Whether tapping this view itself, rather than the row that contains it, changes it."""
        return self.on_change is not None or super().clickable

    @property
    def is_checked(self) -> bool:
        """Whether the toggle is on."""
        return self.checked

    def click(self) -> None:
        """Ask the app to flip the state."""
        if self.on_change:
            self.on_change(not self.checked)
        super().click()


@dataclass(eq=False)
class CheckBox(Toggle):
    """A box with a tick mark, before its text."""

    kind: ClassVar[str] = "android.widget.CheckBox"


@dataclass(eq=False)
class RadioButton(Toggle):
    """A circle with a dot, before its text."""

    kind: ClassVar[str] = "android.widget.RadioButton"


@dataclass(eq=False)
class Switch(Toggle):
    """A track with a thumb, after its text."""

    kind: ClassVar[str] = "android.widget.Switch"


@dataclass(eq=False)
class Chip(Toggle):
    """A small rounded choice: a filter with `on_change`, or an action with `on_click`."""

    _: KW_ONLY
    bold: bool = True
    gravity: str = "center"
    min_height: float = 32
    padding: Edges = (16, 6)
    corner: float = 8
    icon_size: float = 18

    kind: ClassVar[str] = "android.widget.CompoundButton"

    def __post_init__(self) -> None:
        """Use the class of a button if the chip is not checkable."""
        if not self.checkable:
            self.class_name = self.class_name or "android.widget.Button"

    @property
    def checkable(self) -> bool:
        """Whether the chip is a filter."""
        return self.on_change is not None or self.checked


@dataclass(eq=False)
class Spinner(Frame):
    """A drop-down that shows one of `options` and opens them as a menu."""

    children: Sequence[View] = field(init=False, default=())
    options: Sequence[str] = ()
    chosen: int = 0
    on_select: Callable[[int], object] | None = None
    _: KW_ONLY
    width: float = WRAP
    padding: Edges = (8, 12)
    menu: Menu = field(init=False, default=())

    kind: ClassVar[str] = "android.widget.Spinner"

    def __post_init__(self) -> None:
        """Show the chosen option and build the menu of all options."""
        select = self.on_select or (lambda _: None)
        self.menu = [(option, partial(select, i)) for i, option in enumerate(self.options)]
        shown = Text(self.options[self.chosen], id="android:id/text1", size=16, max_lines=1)
        arrow = Image("arrow_drop_down", class_name="android.view.View")
        self.children = [Row([shown, arrow], width=WRAP)]


@dataclass(eq=False)
class ProgressBar(View):
    """A bar filled to `value` out of `maximum`."""

    value: float = 0
    maximum: float = 100

    kind: ClassVar[str] = "android.widget.ProgressBar"


@dataclass(eq=False)
class Hand(View):
    """The hand of a dial: `turn` is clockwise from the top, and `reach` 1 ends at the edge."""

    turn: float = 0
    reach: float = 1
    _: KW_ONLY
    width: float = MATCH
    height: float = MATCH
