"""The views that an app's screen is composed of: plain values, rebuilt after every event.

A view describes what is shown and what happens on touch; it knows neither its size and place nor
the phone. `layout` computes its bounds, `draw` its pixels, and `dump` its line in the hierarchy.

Sizes are in dp, text sizes in sp. A colour is a role of the theme ("primary", "on_surface", …; see
`theme`) or a literal, "#rrggbb" or "#aarrggbb". Groups take a sequence of children as their first
argument; the options common to all views are keyword arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from PIL import Image as Pictures

MATCH: Final = -1.0  # as large as the parent allows; along a Row or Column: the remaining room
WRAP: Final = -2.0  # as large as the content needs

Action: TypeAlias = Callable[[], object]
Edges: TypeAlias = float | tuple[float, float] | tuple[float, float, float, float]
Menu: TypeAlias = Sequence[tuple[str, Action]]


@dataclass(frozen=True, slots=True)
class Icon:
    """A round app icon: a letter, or an icon from `icons.txt`, in `ink` on a coloured circle."""

    glyph: str
    color: str = "#3f51b5"
    ink: str = "#ffffff"


Source: TypeAlias = str | bytes | Icon  # the name of an icon, an encoded picture, an app icon


@dataclass(frozen=True, slots=True)
class Touch:
    """A finger's path over a view, in pixels from the view's upper left corner.

    The path begins where the finger touched the view and ends where it was lifted, which may be
    outside; a tap has one point. `width` and `height` are the view's, in pixels.
    """

    path: tuple[tuple[int, int], ...]
    width: int
    height: int


@dataclass(kw_only=True, eq=False)
class View:
    """The common base of all views; by itself an empty rectangle.

    `id` is a short name ("title" is dumped as "<package>:id/title") unless it contains a colon.
    `gravity` aligns the content in the view, `align` the view in its parent; both take Android's
    keywords, joined by "|": start, end, center_horizontal, top, bottom, center_vertical, center.
    `menu` opens under the view on a tap, or on a long press if `on_click` is set. `key` identifies
    the view across rebuilds (focus, scroll position); it defaults to the id, otherwise the
    position. `on_touch` gets the whole path of every finger that touches the view, which then
    neither clicks nor scrolls. `touch_padding` extends the touch area beyond each side of the view;
    by default, the touch area of a clickable view is at least 48 x 48 dp. Four values of padding or
    margin are start, top, end, bottom. `direction` "ltr" prevents mirroring in right-to-left
    layouts, for example of a dial. A view that only contains others, such as a CoordinatorLayout,
    is in a compressed dump only if it is declared `important` for accessibility.
    """

    id: str = ""
    desc: str = ""
    on_click: Action | None = None
    on_long_click: Action | None = None
    on_touch: Callable[[Touch], object] | None = None
    enabled: bool = True
    selected: bool = False
    visible: bool = True
    width: float = WRAP
    height: float = WRAP
    min_height: float = 0
    weight: float = 0
    padding: Edges = 0
    margin: Edges = 0
    background: str = ""
    outline: str = ""
    gravity: str = ""
    align: str = ""
    elevation: float = 0
    corner: float = 0
    class_name: str = ""
    key: str = ""
    touch_padding: float | None = None
    direction: Literal["", "ltr"] = ""
    menu: Menu = ()
    important: bool = False
    children: Sequence[View] = field(init=False, default=())  # in drawing order

    kind: ClassVar[str] = "android.view.View"  # the class in a dump unless class_name is given
    focusable: ClassVar[bool] = False  # even if not clickable

    @property
    def clickable(self) -> bool:
        """Whether a tap is consumed, even if it has no effect because the view is disabled."""
        return self.on_click is not None or bool(self.menu)

    @property
    def long_clickable(self) -> bool:
        """Whether a long press is handled."""
        return self.on_long_click is not None or bool(self.on_click and self.menu)

    @property
    def checkable(self) -> bool:
        """Whether the view has an on/off state."""
        return False

    @property
    def is_checked(self) -> bool:
        """Whether the view is checked."""
        return False

    @property
    def label(self) -> str:
        """The text that accessibility reads from the view itself."""
        return ""

    def click(self) -> None:
        """Perform the action of a tap."""
        if self.on_click:
            self.on_click()


@dataclass(eq=False)
class Group(View):
    """A view that contains others."""

    children: Sequence[View] = ()

    kind: ClassVar[str] = "android.view.ViewGroup"


@dataclass(eq=False)
class Column(Group):
    """Children stacked vertically; if there is too little room for them, they scroll."""

    _: KW_ONLY
    width: float = MATCH

    kind: ClassVar[str] = "android.widget.LinearLayout"


@dataclass(eq=False)
class Row(Group):
    """Children side by side, centred vertically unless `gravity` differs."""

    _: KW_ONLY
    width: float = MATCH
    gravity: str = "center_vertical"

    kind: ClassVar[str] = "android.widget.LinearLayout"


@dataclass(eq=False)
class Panes(Column):
    """Children stacked vertically, or side by side on a display that is wider than high."""

    _: KW_ONLY
    height: float = MATCH


@dataclass(eq=False)
class Frame(Group):
    """Children on top of each other, each positioned by its own `align`."""

    _: KW_ONLY
    width: float = MATCH

    kind: ClassVar[str] = "android.widget.FrameLayout"


@dataclass(eq=False)
class Card(Column):
    """A rounded, slightly raised Column."""

    _: KW_ONLY
    corner: float = 12
    background: str = "surface_container"

    kind: ClassVar[str] = "androidx.cardview.widget.CardView"


@dataclass(eq=False)
class Grid(Group):
    """Children in rows of `columns` cells of equal width; it does not scroll by itself.

    If `cell` (dp) is set, there are as many columns of that width as fit, but at least `columns`.
    """

    columns: int = 2
    _: KW_ONLY
    cell: float = 0
    width: float = MATCH

    kind: ClassVar[str] = "android.widget.GridLayout"


@dataclass(eq=False)
class List(Group):
    """A RecyclerView: rows that scroll vertically, or a grid if `columns` is more than 1."""

    _: KW_ONLY
    width: float = MATCH
    height: float = MATCH
    columns: int = 1
    cell: float = 0

    kind: ClassVar[str] = "androidx.recyclerview.widget.RecyclerView"
    focusable: ClassVar[bool] = True


@dataclass(eq=False)
class Scroll(View):
    """A ScrollView: one child, as tall as it prefers."""

    child: View = field(default_factory=View)
    _: KW_ONLY
    width: float = MATCH
    height: float = MATCH

    kind: ClassVar[str] = "android.widget.ScrollView"
    focusable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Set the only child."""
        self.children = (self.child,)


@dataclass(eq=False)
class HScroll(Scroll):
    """A HorizontalScrollView: one child, as wide as it prefers."""

    _: KW_ONLY
    height: float = WRAP

    kind: ClassVar[str] = "android.widget.HorizontalScrollView"


@dataclass(eq=False)
class Text(View):
    """A TextView; `icon` is placed before the text or, with `icon_top`, above it.

    A `shadow` keeps the text readable over any picture; `strike` draws a line through it.
    """

    text: str = ""
    _: KW_ONLY
    size: float = 14
    color: str = "on_surface"
    shadow: bool = False
    bold: bool = False
    strike: bool = False
    max_lines: int = 0
    icon: Source = ""
    icon_size: float = 24
    icon_top: bool = False

    kind: ClassVar[str] = "android.widget.TextView"

    @property
    def label(self) -> str:
        """The text."""
        return self.text


@dataclass(eq=False)
class Image(View):
    """An ImageView: an icon by name in `color`, an app's icon, or an encoded picture."""

    source: Source = ""
    _: KW_ONLY
    size: float = 24
    color: str = "on_surface_variant"

    kind: ClassVar[str] = "android.widget.ImageView"


@dataclass(eq=False)
class Drawing(View):
    """A view that the app paints: `draw` gets its size in pixels, and returns a picture of it."""

    draw: Callable[[int, int], Pictures.Image] | None = None
    _: KW_ONLY
    width: float = MATCH
    height: float = MATCH


@dataclass(eq=False)
class SeekBar(View):
    """A slider from 0 to `maximum`."""

    value: float = 0
    maximum: float = 100
    on_change: Callable[[float], object] | None = None
    _: KW_ONLY
    width: float = MATCH

    kind: ClassVar[str] = "android.widget.SeekBar"
    focusable: ClassVar[bool] = True


@dataclass(eq=False)
class Divider(View):
    """A thin horizontal line."""

    _: KW_ONLY
    width: float = MATCH
    height: float = 1
    background: str = "outline_variant"


@dataclass(eq=False)
class Space(View):
    """Empty room, which takes the remaining room unless it is given a size."""

    _: KW_ONLY
    width: float = MATCH
    height: float = MATCH

    kind: ClassVar[str] = "android.widget.Space"
