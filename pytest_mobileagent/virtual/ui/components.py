"""Views composed of others, and their few texts in the app's language."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pytest_mobileagent.virtual.ui.controls import Button, ImageButton, Switch
from pytest_mobileagent.virtual.ui.views import (
    MATCH,
    WRAP,
    Action,
    Column,
    Edges,
    Frame,
    HScroll,
    Image,
    Menu,
    Panes,
    Row,
    Source,
    Text,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_translate: list[Callable[[str], str]] = [str]


def word(english: str) -> str:
    """Return one of the toolkit's texts in the current language."""
    return _translate[-1](english)


@contextmanager
def spoken(translate: Callable[[str], str]) -> Iterator[None]:
    """Translate the texts of views created within the context."""
    _translate.append(translate)
    try:
        yield
    finally:
        _translate.pop()


@dataclass(eq=False)
class AppBar(Row):
    """A Toolbar: the up button, a title, actions, and the overflow menu behind three dots."""

    children: Sequence[View] = field(init=False, default=())
    title: str = ""
    _: KW_ONLY
    title_id: str = ""
    up: Action | None = None
    up_icon: str = "arrow_back"
    up_desc: str = "Navigate up"
    actions: Sequence[View] = ()
    overflow: Menu = ()
    child: View | None = None  # in place of the title, such as a search field
    id: str = "toolbar"
    height: float = 64
    padding: Edges = (4, 0)

    kind: ClassVar[str] = "android.view.ViewGroup"

    def __post_init__(self) -> None:
        """Arrange the parts in a row."""
        parts: list[View] = []
        if self.up:
            up = ImageButton(self.up_icon, desc=word(self.up_desc), on_click=self.up)
            up.color = "on_surface"
            parts.append(up)
        title = Text(self.title, id=self.title_id, size=22, max_lines=1, margin=(12, 0), weight=1)
        parts.append(self.child or title)
        buttons = list(self.actions)
        for button in buttons:
            if isinstance(button, ImageButton):
                button.class_name = button.class_name or "android.widget.Button"
        if self.overflow:
            more = ImageButton("more_vert", desc=word("More options"), menu=self.overflow)
            more.class_name = "android.widget.ImageView"
            buttons.append(more)
        if buttons:
            menu = "androidx.appcompat.widget.LinearLayoutCompat"
            parts.append(Row(buttons, width=WRAP, class_name=menu))
        self.children = parts


@dataclass(frozen=True, slots=True)
class NavItem:
    """An item of a bottom navigation."""

    id: str
    icon: str
    label: str


@dataclass(eq=False)
class BottomNav(Frame):
    """A BottomNavigationView, lower on a wide display; the selected item's icon has a pill."""

    children: Sequence[View] = field(init=False, default=())
    items: Sequence[NavItem] = ()
    chosen: int = 0
    on_select: Callable[[int], object] | None = None
    _: KW_ONLY
    id: str = "bottom_navigation"
    background: str = "surface_container"

    def __post_init__(self) -> None:
        """Arrange the items in a row."""
        select = self.on_select or (lambda _: None)
        items = [
            self._item(item, i == self.chosen, partial(select, i))
            for i, item in enumerate(self.items)
        ]
        self.children = [Row(items, height=MATCH, class_name="android.view.ViewGroup")]

    @staticmethod
    def _item(item: NavItem, chosen: bool, action: Action) -> View:
        prefix = "navigation_bar_item_"
        icon = Image(item.icon, id=prefix + "icon_view", align="center")
        pill = Frame([icon], id=prefix + "icon_container", width=56, height=32, corner=16)
        label = Text(item.label, size=12, bold=chosen, max_lines=1)
        label.id = prefix + ("large_label_view" if chosen else "small_label_view")
        if chosen:
            icon.color, pill.background = "on_secondary_container", "secondary_container"
        else:
            icon.color = label.color = "on_surface_variant"
        group = Frame([label], id=prefix + "labels_group", width=WRAP, margin=(4, 4, 4, 0))
        group.class_name, group.min_height = "android.view.ViewGroup", 20
        panes = Panes([pill, group], id=item.id, desc=item.label, selected=chosen, weight=1)
        panes.on_click, panes.gravity, panes.padding = action, "center", (0, 12)
        panes.class_name = "android.widget.FrameLayout"
        return panes


@dataclass(eq=False)
class Tabs(HScroll):
    """A TabLayout; the selected tab is underlined."""

    child: View = field(init=False)
    labels: Sequence[str] = ()
    chosen: int = 0
    on_select: Callable[[int], object] | None = None
    _: KW_ONLY
    id: str = "tabs"
    height: float = 48
    background: str = "surface"

    def __post_init__(self) -> None:
        """Arrange the tabs in a row."""
        select = self.on_select or (lambda _: None)
        tabs = [
            self._tab(label, i == self.chosen, partial(select, i))
            for i, label in enumerate(self.labels)
        ]
        self.child = Row(tabs, height=MATCH)
        self.children = [self.child]

    def _tab(self, label: str, chosen: bool, action: Action) -> View:
        color = "primary" if chosen else "on_surface_variant"
        text = Text(label, bold=True, color=color, max_lines=1, align="center")
        line = View(width=MATCH, height=3, align="bottom", background="primary", visible=chosen)
        tab = Frame([text, line], desc=label, selected=chosen, on_click=action, weight=1)
        tab.width, tab.height, tab.padding = WRAP, MATCH, (16, 0)
        tab.class_name = "android.widget.LinearLayout"
        return tab


@dataclass(eq=False)
class Preference(Row):
    """A row of a settings screen, with Android's own ids; if `checked` is set, it has a switch."""

    children: Sequence[View] = field(init=False, default=())
    title: str = ""
    summary: str = ""
    _: KW_ONLY
    icon: Source = ""
    checked: bool | None = None
    min_height: float = 72
    padding: Edges = (24, 12)

    def __post_init__(self) -> None:
        """Arrange icon, texts and switch in a row."""
        parts: list[View] = []
        if self.icon:
            image = Image(self.icon, id="android:id/icon")
            parts.append(Row([image], id="icon_frame", width=WRAP, padding=(0, 0, 24, 0)))
        ink = "on_surface" if self.enabled else "outline"
        title = Text(self.title, id="android:id/title", size=20, color=ink, enabled=self.enabled)
        texts: list[View] = [title]
        if self.summary:
            faint = "on_surface_variant" if self.enabled else "outline"
            texts.append(Text(self.summary, id="android:id/summary", color=faint))
        relative = "android.widget.RelativeLayout"
        parts.append(Column(texts, weight=1, class_name=relative))
        if self.checked is not None:
            switch = Switch("", self.checked, id="android:id/switch_widget", enabled=self.enabled)
            parts.append(Row([switch], id="android:id/widget_frame", width=WRAP, margin=(16, 0)))
        self.children = parts


@dataclass(eq=False)
class Snackbar(Row):
    """A short message at the bottom of a Frame, with an optional action."""

    children: Sequence[View] = field(init=False, default=())
    text: str = ""
    action: tuple[str, Action] | None = None
    _: KW_ONLY
    align: str = "bottom"
    margin: Edges = 16
    min_height: float = 48
    padding: Edges = (16, 4, 8, 4)
    background: str = "inverse_surface"
    corner: float = 4
    elevation: float = 6

    def __post_init__(self) -> None:
        """Arrange text and button in a row."""
        message = Text(self.text, id="snackbar_text", color="inverse_on_surface", weight=1)
        self.children = [message]
        if self.action:
            label, act = self.action
            button = Button(label, id="snackbar_action", on_click=act, style="text")
            button.color, button.padding = "inverse_primary", (12, 10)
            self.children = [message, button]
