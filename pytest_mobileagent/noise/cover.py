"""Noise on a screen: added to its screenshot and its view hierarchy, and changed by actions.

The hierarchy keeps its format: the nodes of noise get the same attributes as the existing elements.
Android dumps only the window that has the focus. Noise with its own window (a dialog, a sheet, a
page) therefore replaces the app's window in a dump; other noise is added to the app's window as its
last child, because it is drawn on top. Appium's server lists toasts; a dump does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.action import Key, Open, Type, Wait
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Tap
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.noise import PASSING, Look, State
from pytest_mobileagent.noise.drawing import draw, is_dark
from pytest_mobileagent.noise.fonts import undrawable
from pytest_mobileagent.noise.injection import SHAPES as OF_INJECTIONS
from pytest_mobileagent.noise.injection import UNDRAWN
from pytest_mobileagent.noise.layout import (
    BROWSER,
    PERMISSIONS,
    arrange,
    has_own_window,
    package_of,
)
from pytest_mobileagent.perception.picture import encode
from pytest_mobileagent.screen.xml import parse_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.etree import _Element

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.observation import Reaction
    from pytest_mobileagent.noise import Part
    from pytest_mobileagent.noise.template import Template
    from pytest_mobileagent.screen import Screen

_CLASSES: Final = {
    role: f"android.{name}"
    for name, roles in {
        "widget.LinearLayout": "card sheet bubble",
        "widget.TextView": "title text badge chip line outside",
        "widget.EditText": "address",
        "widget.Button": "button link tonal",
        "widget.ImageView": "picture cross",
        "widget.ImageButton": "up",
        "widget.Toast": "toast",
        "view.View": "spot hidden",
    }.items()
    for role in roles.split()
}
_ACTIVITIES: Final = {
    PERMISSIONS: "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity",
    BROWSER: "com.google.android.apps.chrome.Main",
}
# The attributes that `uiautomator dump` writes. Any others are copied from the screen's elements.
_ATTRIBUTES: Final = (
    "index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked",
    "clickable", "enabled", "focusable", "focused", "scrollable", "long-clickable", "password",
    "selected", "bounds",
)  # fmt: skip
_DECLARATION = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


def look_of(
    screen: Screen,
    *,
    density: int = 0,
    font_scale: float = 1.0,
    mirrored: bool = False,
    dark: bool | None = None,
) -> Look:
    """Return the properties of a screen that noise must fit; a density of 0 means "guess it".

    With `dark` None, the brightness of its screenshot decides whether the screen is dark.

    Raises:
        ScreenError: if the screenshot cannot be decoded.
    """
    size = screen.size
    guessed = density or round(min(size) / 411 * 160)  # most phones are 411 dp wide
    dark = is_dark(screen.image) if dark is None else dark
    return Look(size, guessed, font_scale, dark, mirrored, screen.package)


def cover(screen: Screen, template: Template, look: Look, state: State | None = None) -> Screen:
    """Return a screen with noise on it; `beneath` is the screen without it.

    The same arguments always produce the same pixels.

    Raises:
        ScreenError: if the screenshot cannot be decoded, or the hierarchy cannot be read.
    """
    state = state or State(left=template.wait)
    root = _arranged(template, look, state)
    package = package_of(template, look, state)
    return replace(
        screen,
        png=_painted(screen.png, screen, template, look, state),
        xml=hierarchy(screen, root, package, own_window=has_own_window(template, state)),
        package=package,
        activity=_ACTIVITIES.get(package, screen.activity),
        beneath=screen,
    )


def check_fonts(templates: Iterable[Template]) -> None:
    """Check that the text of all templates can be drawn on this machine.

    Raises:
        HostError: if no font on this machine has the characters of a template.
    """
    for template in templates:
        if why := undrawable("".join(template.texts)):
            raise HostError(f"noise {template.name} cannot be drawn: {why}")


_arranged = lru_cache(8)(arrange)
_last: dict[tuple[Any, ...], bytes] = {}  # the last picture drawn: a screen often stays the same


def _painted(png: bytes, screen: Screen, template: Template, look: Look, state: State) -> bytes:
    if template.shape in UNDRAWN:
        return png
    key = (png, template, look, state)
    if key not in _last:
        drawn = encode(draw(screen.image, _arranged(template, look, state), template, look))
        _last.clear()
        _last[key] = drawn
    return _last[key]


def hierarchy(screen: Screen, root: Part, package: str, *, own_window: bool) -> str:
    """Return a screen's hierarchy with noise added, in the format of the existing hierarchy.

    If the screen has no hierarchy, the result is empty too.

    Raises:
        ScreenError: if the hierarchy cannot be read.
    """
    if not screen.xml.strip():
        return screen.xml
    from lxml import etree

    tree = parse_tree(screen.xml)
    windows = list(tree)
    known = next(tree.iterdescendants(), None)
    is_appium = known is not None and known.tag != "node"
    if root.role == "notification" or (root.role == "toast" and not is_appium):
        return screen.xml
    made = _node(root, package, known, is_appium=is_appium)
    app = next((w for w in windows if w.get("package") == screen.package), None)
    under = app if app is not None else next(iter(windows), tree)
    if own_window or root.role == "toast":
        for window in windows if own_window and len(windows) == 1 else ():
            tree.remove(window)  # a dump contains only the window that has the focus
        if root.role == "toast":
            tree.append(made)
        else:
            tree.insert(0, made)
        for index, window in enumerate(tree):
            window.set("index", str(index))
    else:
        made.set("index", str(len(under)))
        under.append(made)
    if root.role not in {"toast", *OF_INJECTIONS}:
        _take_focus(tree, made)
    text: str = etree.tostring(tree, encoding="unicode")
    return f"{_DECLARATION}{text}" if screen.xml.lstrip().startswith("<?xml") else text


def _take_focus(tree: _Element, made: _Element) -> None:
    """Remove the focus from every other element, because typed text now goes to the noise."""
    own = set(made.iter())
    for node in tree.iter():
        if node.get("focused") == "true" and node not in own:
            node.set("focused", "false")


def _node(
    part: Part, package: str, known: _Element | None, *, is_appium: bool, index: int = 0
) -> _Element:
    """Return the node of a part, with the nodes of its parts as children."""
    from lxml import etree

    class_name = _CLASSES.get(part.role.removeprefix("light-"), "android.widget.FrameLayout")
    if part.role == "picture" and part.parts:  # a full-screen picture that contains other parts
        class_name = "android.widget.FrameLayout"
    touched = "true" if part.does else "false"
    values = {
        "index": str(index),
        "text": part.text,
        "resource-id": part.id,
        "class": class_name,
        "package": package,
        "content-desc": part.description,
        "clickable": touched,
        "enabled": "true",
        "focusable": touched,
        "bounds": part.bounds.describe(),
        "displayed": "true",
    }
    names = dict.fromkeys(() if known is None else map(str, known.attrib))
    names |= dict.fromkeys(_written_attributes(part) if is_appium else _ATTRIBUTES)
    node = etree.Element(class_name if is_appium else "node")
    for name in names:
        node.set(name, values.get(name, _usual(name, known)))
    for place, each in enumerate(part.parts):
        node.append(_node(each, package, known, is_appium=is_appium, index=place))
    return node


def _written_attributes(part: Part) -> list[str]:
    """Return the attributes that Appium writes for a part; some are omitted when empty."""
    wanted = {"resource-id": part.id, "content-desc": part.description, "text": part.text}
    always = ["index", "package", "class", "clickable", "enabled", "bounds"]
    return [*always, *(name for name, value in wanted.items() if value)]


def _usual(name: str, known: _Element | None) -> str:
    """Return the default for an attribute that noise does not set: "false" if it is a flag."""
    value = "" if known is None else known.get(name, "")
    is_flag = known is None or value in {"true", "false"}
    return "false" if is_flag else value if name in {"display-id", "rotation"} else ""


_LEAVING = frozenset({"home", "overview"})  # keys that leave the app in front
_ANYWHERE = frozenset({"volume_up", "volume_down"})  # keys that work whichever window is in front


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an action while noise is on the screen.

    - `reaction`: how the agent reacted to the noise by this action.
    - `passes`: whether the action reaches the phone.
    - `is_gone`: whether the noise is gone afterwards.
    - `leads_away`: whether the noise opens a page, which a live phone may show in its browser.
    """

    reaction: Reaction
    passes: bool = False
    is_gone: bool = False
    leads_away: bool = False


class Overlay:
    """A piece of noise on the app in front; its time passes with the agent's actions."""

    def __init__(self, template: Template, look: Look) -> None:
        self.template, self.look = template, look
        self.state = State(left=template.wait)

    def over(self, screen: Screen) -> Screen:
        """Return a screen of the phone with this noise on it."""
        self.look = replace(self.look, size=screen.size)  # the screen may have been rotated
        return cover(screen, self.template, self.look, self.state)

    def handle(self, action: Action) -> Effect:
        """Apply an action of the agent to the noise, and return its effect."""
        if self.template.kind in PASSING:
            return Effect("", passes=True, is_gone=True)
        if isinstance(action, Open) or (isinstance(action, Key) and action.name in _LEAVING):
            return Effect("left", passes=True, is_gone=True)
        if isinstance(action, Key) and action.name in _ANYWHERE:
            return Effect("", passes=True)
        is_wait = isinstance(action, Wait)
        if self.template.kind == "countdown-ad" and self.state.left == 1 and not self.state.opened:
            # The ad has closed while the agent was thinking, so the action hits the app instead.
            return Effect("waited" if is_wait else "mis-tapped", passes=True, is_gone=True)
        effect = Effect("waited", passes=True) if is_wait else self._touched(action)
        if self.state.left and not self.state.opened:
            self.state = replace(self.state, left=self.state.left - 1)
        return effect

    def _touched(self, action: Action) -> Effect:
        match self._does(action):
            case "close" if self.state.opened:
                return Effect("recovered", is_gone=True)
            case "close":
                return Effect("closed", is_gone=True)
            case "next" if self.state.page + 1 < len(self.template.pages):
                self.state = replace(self.state, page=self.state.page + 1)
                return Effect("closed")  # this page only: another one follows
            case "next":
                return Effect("closed", is_gone=True)
            case "open":
                self.state = replace(self.state, opened=True)
                return Effect("mis-tapped", leads_away=True)
        return Effect("mis-tapped")

    def _does(self, action: Action) -> str:
        """Return what an action does to the noise, as one of `Button.does`."""
        if isinstance(action, Key) and action.name == "back":
            may_close = self.state.opened or (self.template.back and not self._is_locked)
            return "close" if may_close else "nothing"
        match action:
            case Tap(x, y) | LongPress(x, y) | DoubleTap(x, y) | Type(at=(x, y)):
                return arrange(self.template, self.look, self.state).at(x, y)
        return "nothing"

    @property
    def _is_locked(self) -> bool:
        """Whether the noise cannot be closed yet."""
        return self.template.kind == "late-ad" and self.state.left > 0
