"""The one parser of view hierarchies: raw UIAutomator dumps and Appium's page sources."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen.element import Bounds, Element

if TYPE_CHECKING:
    from lxml.etree import _Element

# Ten digits, as Android's integers have at most.
_BOUNDS = re.compile(r"\[(-?\d{1,10}),(-?\d{1,10})\]\[(-?\d{1,10}),(-?\d{1,10})\]")
# Some serializers write an emoji as references to two surrogates, which no XML parser accepts.
_SURROGATE = re.compile(r"&#(?:x0*(d[89a-f][\da-f]{2})|0*(5[5-7]\d{3}));", re.ASCII | re.IGNORECASE)
# A document type can only stand before the root, after comments and instructions.
_DOCTYPE = re.compile(r"\ufeff?(?:\s++|(?><\?.*?\?>)|(?><!--.*?-->))*+<!DOCTYPE", re.DOTALL)


def parse(xml: str) -> Element:
    """Return the root of a view hierarchy: an element of class "hierarchy" holding the windows.

    Both dialects are read: `<node class="…">` (uiautomator dump) and `<android.widget.Button>`
    (Appium), with one window or several. Elements are in document order; attributes that a dialect
    leaves out are empty.

    Raises:
        ScreenError: the text is not XML, or not a view hierarchy.
    """
    # Children before their parents, without recursion: documents may be deep.
    built: dict[Any, Element] = {}
    tree = _plain_tree(xml)
    for node in reversed(list(tree.iter())):
        built[node] = _element(node, tuple([built[child] for child in node]) if len(node) else ())
    return built[tree]


def _plain_tree(xml: str) -> Any:
    """Return the tree of a hierarchy in plain Python, whose attributes are read twice as fast.

    Whatever is not simply a hierarchy is left to lxml.
    """
    from xml.etree import ElementTree as ET  # collection must not pay for it

    parser = ET.XMLParser(encoding="utf-8")  # noqa: S314 - `_checked` refuses entities
    try:
        parser.feed(_checked(xml))
        tree = parser.close()
    except ET.ParseError:
        return parse_tree(xml)
    return tree if tree.tag == "hierarchy" else parse_tree(xml)


def parse_tree(xml: str) -> _Element:
    """Return the lxml tree of a view hierarchy (see `parse`)."""
    from lxml import etree  # collection must not pay for it

    text = _checked(xml)
    # Text is decoded already, whatever encoding its declaration names.
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        tree = etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        begin = text.decode()
        excerpt = begin[:80] + ("…" if len(begin) > 80 else "")
        msg = f"not a view hierarchy: {error} (it begins {excerpt!r})"
        raise ScreenError(msg) from error
    if tree.tag == "displays":
        return _joined(tree)
    if tree.tag != "hierarchy":
        msg = f"not a view hierarchy: the root is <{tree.tag}>, not <hierarchy>"
        raise ScreenError(msg)
    return tree


def _joined(displays: _Element) -> _Element:
    """Return one hierarchy of all windows on the first display, as Appium shows several.

    `uiautomator dump --windows` writes displays, their windows, and a hierarchy in each.
    """
    from lxml import etree

    first = next(iter(displays), etree.Element("display"))
    joined = etree.Element("hierarchy")
    for hierarchy in list(first.iter("hierarchy")):
        joined.set("rotation", hierarchy.get("rotation", "0"))
        joined.extend(list(hierarchy))
    return joined


def in_other_dialect(tree: _Element) -> _Element:
    """Return a copy of the hierarchy in the other dialect, its nodes in the same order."""
    import copy

    other = copy.deepcopy(tree)
    for node in other.iterdescendants():
        class_name = class_of(node)
        _rename(node, _tag(class_name) if node.tag == "node" else "node")
        node.set("class", class_name)
    return other


def in_appiums_dialect(xml: str, size: tuple[int, int]) -> str:
    """Return a view hierarchy as Appium's UiAutomator2 driver writes its page source.

    Its root tells the screen's width and height in pixels (`size`), what is shown is `displayed`,
    and ids and descriptions that an element has not are left out.

    Raises:
        ScreenError: the text is not a view hierarchy.
    """
    from lxml import etree

    tree = parse_tree(xml)
    if any(node.tag == "node" for node in tree.iterdescendants()):
        tree = in_other_dialect(tree)
    for name, value in (("index", "0"), ("class", "hierarchy"), ("rotation", "0")):
        tree.set(name, tree.get(name, value))
    tree.set("width", str(size[0]))
    tree.set("height", str(size[1]))
    for node in tree.iterdescendants():
        node.set("displayed", node.get("displayed", "true"))
        for name in ("content-desc", "resource-id"):
            if node.get(name) == "":
                del node.attrib[name]
    return etree.tostring(tree, encoding="unicode")


def class_of(node: Any) -> str:
    """Return the Java class of a node of either dialect."""
    return node.get("class") or ("" if node.tag == "node" else str(node.tag))


def _checked(xml: str) -> bytes:
    """Return the text in UTF-8, each pair of surrogates as one character, half a pair as U+FFFD.

    Raises:
        ScreenError: it declares a document type.
    """
    text = xml.strip()
    if _DOCTYPE.match(text):
        msg = "not a view hierarchy: it declares a document type, which could define entities"
        raise ScreenError(msg)
    if "&#" in text:
        text = _SURROGATE.sub(lambda found: chr(int(found[1] or "0", 16) or int(found[2])), text)
    try:
        return text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return joined.encode()


def _tag(class_name: str) -> str:
    """Return Appium's tag for a class: characters that a tag cannot hold become others."""
    tag = re.sub(r"\.+", ".", re.sub(r"[$@#&]", ".", class_name)).strip(".")
    return re.sub(r"[^\w.\-]", "_", tag)


def _rename(node: _Element, tag: str) -> None:
    """Give a node a tag; Android's plainest class where XML knows no such name."""
    try:
        node.tag = tag
    except ValueError:
        node.tag = "android.view.View"


def _element(node: Any, children: tuple[Element, ...]) -> Element:
    get = node.get
    # By position, in the order of the fields: there are many elements, and names take time.
    return Element(
        class_of(node),
        get("text", ""),
        get("resource-id", ""),
        get("content-desc", ""),
        get("package", ""),
        _bounds(get("bounds", "")),
        get("checkable") == "true",
        get("checked") == "true",
        get("clickable") == "true",
        get("enabled", "true") == "true",
        get("focusable") == "true",
        get("focused") == "true",
        get("scrollable") == "true",
        get("long-clickable") == "true",
        get("password") == "true",
        get("selected") == "true",
        False,
        children,
    )


@lru_cache(maxsize=8192)
def _bounds(text: str) -> Bounds:
    corners = _BOUNDS.fullmatch(text)
    return Bounds(*map(int, corners.groups())) if corners else Bounds(0, 0, 0, 0)
