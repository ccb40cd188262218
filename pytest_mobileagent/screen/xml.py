"""The parser of view hierarchies: raw UIAutomator dumps and Appium's page sources."""

from __future__ import annotations

import contextlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen.element import Bounds, Element, tree

if TYPE_CHECKING:
    from lxml.etree import _Element

_SPACES = " \t\r\n"  # XML's whitespace
# Android's integers have at most ten digits.
_BOUNDS = re.compile(r"\[(-?\d{1,10}),(-?\d{1,10})\]\[(-?\d{1,10}),(-?\d{1,10})\]")
# Some serialisers write an emoji as references to two surrogates, which no XML parser accepts.
_SURROGATE = re.compile(r"&#(?:x0*(d[89a-f][\da-f]{2})|0*(5[5-7]\d{3}));", re.ASCII | re.IGNORECASE)
# Characters, or references to them, that XML does not allow, but that dumps of some phones contain.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:x0*([\da-f]+)|0*(\d+));", re.ASCII | re.IGNORECASE)
# A document type can only precede the root, after comments and processing instructions.
_DOCTYPE = re.compile(r"\ufeff?(?:\s++|(?><\?.*?\?>)|(?><!--.*?-->))*+<!DOCTYPE", re.DOTALL)


def parse(xml: str) -> Element:
    """Return the root of a view hierarchy: an element of class "hierarchy" containing the windows.

    Both dialects are supported: `<node class="…">` (uiautomator dump) and `<android.widget.Button>`
    (Appium), with one or several windows. Elements are in document order; omitted attributes empty.

    Raises:
        ScreenError: if the text is not XML, or not a view hierarchy.
    """
    known = outline(xml)
    return tree(*known) if known is not None else _parsed(xml)


def _parsed(xml: str) -> Element:
    # Children before their parents, without recursion, because documents may be deep.
    built: dict[Any, Element] = {}
    document = _stdlib_tree(xml)
    for node in reversed(list(document.iter())):
        built[node] = _element(node, tuple([built[child] for child in node]) if len(node) else ())
    return built[document]


def outline(xml: str) -> tuple[list[Element], list[int]] | None:
    """Return the elements of a hierarchy in document order, without relatives, and their parents.

    Parents are indices, -1 for the root's. The elements are shared between screens: a tag that
    another screen had is not parsed again, and most tags recur on the next screen. Return None if
    the text is not a plain hierarchy; `parse` may still be able to read it.
    """
    before, *pieces = (_joined_surrogates(xml) if "&#" in xml else xml).strip().split("<")
    if before or not pieces:
        return None
    if pieces[0].startswith("?"):
        if not _is_declaration(pieces[0]):
            return None
        del pieces[0]
    try:
        tags = [_TAGS.get(piece) or _tag_of(piece) for piece in pieces]
    except ValueError:
        return None
    elements: list[Element] = []
    parents: list[int] = []
    opened: list[tuple[int, str]] = []  # the enclosing elements, with the closing tag of each
    parent, closing = -1, ""
    for element, closed_by in tags:
        if element is None:
            if closed_by != closing:
                return None
            parent, closing = opened.pop()
        else:
            parents.append(parent)
            if closed_by:
                opened.append((parent, closing))
                parent, closing = len(elements), closed_by
            elements.append(element)
    # Only the root may lack a parent, and every element must be closed.
    is_tree = parent < 0 and parents.count(-1) == 1
    return (elements, parents) if is_tree and _ROOT.match(pieces[0]) else None


_ROOT = re.compile(r"hierarchy[\s/>]")
_MOST_TAGS = 16_384  # half a kilobyte each
_TAGS: dict[str, tuple[Element | None, str]] = {}


def _tag_of(piece: str) -> tuple[Element | None, str]:
    """Parse a tag with caching: return the element that it begins, and its name if it stays open.

    The element is None if the tag closes one. `piece` is all between the tag's "<" and the next.

    Raises:
        ValueError: if the piece is no simple tag, but for example a comment, or has a prefix.
    """
    from xml.etree import ElementTree as ET  # slow to import, and not needed for collection

    if len(_TAGS) >= _MOST_TAGS:
        _TAGS.clear()
    tag = piece.rstrip(_SPACES)
    closed = tag[1:-1].rstrip(_SPACES)
    if piece[:1] == "/" and tag[-1:] == ">" and closed:
        return _TAGS.setdefault(piece, (None, closed))
    if piece[:1] in {"/", "!", "?"}:
        raise ValueError("not the tag of an element")
    name = "" if tag.endswith("/>") else re.split(r"[\s>]", tag, maxsplit=1)[0]
    parser = ET.XMLParser(encoding="utf-8")  # noqa: S314 - no entities are declared
    try:
        parser.feed(f"<{piece}{name and f'</{name}>'}".encode())
        node = parser.close()
    except (ET.ParseError, UnicodeEncodeError) as error:
        raise ValueError(str(error)) from error
    return _TAGS.setdefault(piece, (_element(node, ()), name))


@lru_cache(maxsize=16)
def _is_declaration(piece: str) -> bool:
    """Return whether the beginning of a document is an XML declaration."""
    from xml.etree import ElementTree as ET  # slow to import, and not needed for collection

    parser = ET.XMLParser(encoding="utf-8")  # noqa: S314 - no entities are declared
    try:
        parser.feed(f"<{piece}<hierarchy/>".encode())
        parser.close()
    except (ET.ParseError, UnicodeEncodeError):
        return False
    return True


def _stdlib_tree(xml: str) -> Any:
    """Return the tree of a hierarchy in plain Python, whose attributes are read twice as fast.

    Anything but a plain hierarchy is left to lxml.
    """
    from xml.etree import ElementTree as ET  # slow to import, and not needed for collection

    parser = ET.XMLParser(encoding="utf-8")  # noqa: S314 - `_checked` refuses entities
    try:
        parser.feed(_checked(xml))
        tree = parser.close()
    except ET.ParseError:
        return parse_tree(xml)
    return tree if tree.tag == "hierarchy" else parse_tree(xml)


def parse_tree(xml: str) -> _Element:
    """Return the lxml tree of a view hierarchy (see `parse`)."""
    tree = document(xml)
    if tree.tag == "displays":
        return _joined(tree)
    if tree.tag != "hierarchy":
        raise ScreenError(f"not a view hierarchy: the root is <{tree.tag}>, not <hierarchy>")
    return tree


def document(xml: str) -> _Element:
    """Return the lxml tree of a document without its comments, whatever its root is.

    Raises:
        ScreenError: if the text is not XML.
    """
    from lxml import etree  # slow to import, and not needed for collection

    text = _checked(xml)
    # The text is already decoded, whatever encoding its declaration names.
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(text, parser)
    except etree.XMLSyntaxError as error:
        deep = _deep_tree(text) if "Excessive depth" in str(error) else None
        if deep is not None:
            return deep
        begin = text.decode()
        excerpt = begin[:80] + ("…" if len(begin) > 80 else "")
        raise ScreenError(f"not a view hierarchy: {error} (it begins {excerpt!r})") from error


def _deep_tree(text: bytes) -> _Element | None:
    """Return the lxml tree of a document that is deeper than lxml's own parser allows."""
    from xml.etree import ElementTree as ET

    from lxml import etree

    target: Any = etree.TreeBuilder()
    parser = ET.XMLParser(target=target, encoding="utf-8")  # noqa: S314 - as above
    built: Any = None
    with contextlib.suppress(ET.ParseError, etree.LxmlError):
        parser.feed(text)
        built = parser.close()  # what the target has built
    return built  # type: ignore[no-any-return]


def _joined(displays: _Element) -> _Element:
    """Return one hierarchy with all windows of the first display, as in Appium's page source.

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
    """Return a copy of the hierarchy in the other dialect, with its nodes in the same order."""
    import copy

    other = copy.deepcopy(tree)
    # A list, as lxml climbs to the root from each node that nothing refers to any more.
    for node in list(other.iterdescendants()):
        class_name = class_of(node)
        _rename(node, _tag(class_name) if node.tag == "node" else "node")
        node.set("class", class_name)
    return other


def in_appiums_dialect(xml: str, size: tuple[int, int]) -> str:
    """Return a view hierarchy in the format of the page source of Appium's UiAutomator2 driver.

    Its root contains the screen's width and height in pixels (`size`), visible nodes are
    `displayed`, and missing ids and descriptions are omitted.

    Raises:
        ScreenError: if the text is not a view hierarchy.
    """
    from lxml import etree

    tree = parse_tree(xml)
    if tree.find(".//node") is not None:
        tree = in_other_dialect(tree)
    for name, value in (("index", "0"), ("class", "hierarchy"), ("rotation", "0")):
        tree.set(name, tree.get(name, value))
    tree.set("width", str(size[0]))
    tree.set("height", str(size[1]))
    for node in list(tree.iterdescendants()):
        node.set("displayed", node.get("displayed", "true"))
        for name in ("content-desc", "resource-id"):
            if node.get(name) == "":
                del node.attrib[name]
    return etree.tostring(tree, encoding="unicode")


def class_of(node: Any) -> str:
    """Return the Java class of a node in either dialect."""
    return node.get("class") or ("" if node.tag == "node" else str(node.tag))


def _checked(xml: str) -> bytes:
    """Return the text in UTF-8, with surrogate pairs joined.

    Lone surrogates and characters that XML does not allow are replaced by U+FFFD.

    Raises:
        ScreenError: if the text declares a document type.
    """
    text = xml.strip()
    if _DOCTYPE.match(text):
        msg = "not a view hierarchy: it declares a document type, which could define entities"
        raise ScreenError(msg)
    text = _REFERENCE.sub(_allowed, _joined_surrogates(text)) if "&#" in text else text
    text = _CONTROL.sub("\ufffd", text)
    try:
        return text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return joined.encode()


def _allowed(reference: re.Match[str]) -> str:
    """Return a reference to a character, or U+FFFD if XML does not allow the character."""
    digits, base = (reference[1], 16) if reference[1] else (reference[2], 10)
    code = int(digits, base) if len(digits) < 9 else -1
    known = code in {9, 10, 13} or 32 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
    return reference[0] if known else "\ufffd"


def _joined_surrogates(text: str) -> str:
    return _SURROGATE.sub(lambda found: chr(int(found[1] or "0", 16) or int(found[2])), text)


def _tag(class_name: str) -> str:
    """Return Appium's tag for a class, with characters replaced that a tag cannot contain."""
    tag = re.sub(r"\.+", ".", re.sub(r"[$@#&]", ".", class_name)).strip(".")
    return re.sub(r"[^\w.\-]", "_", tag)


def _rename(node: _Element, tag: str) -> None:
    """Set a node's tag, or Android's most general class if the tag is not a valid XML name."""
    try:
        node.tag = tag
    except ValueError:
        node.tag = "android.view.View"


def _element(node: Any, children: tuple[Element, ...]) -> Element:
    get = node.get
    # Positional, in the order of the fields: there are many elements, and keywords are slower.
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
