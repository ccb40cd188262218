"""Routes about elements: finding them, reading them, acting on them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.automation import perform
from pytest_mobileagent.virtual.automation.appium import attributes
from pytest_mobileagent.virtual.automation.appium.errors import (
    InvalidArgument,
    InvalidElementState,
    NoSuchElement,
)
from pytest_mobileagent.virtual.automation.appium.pictures import crop
from pytest_mobileagent.virtual.automation.appium.routing import Call, route
from pytest_mobileagent.virtual.automation.appium.session import element_id, element_value

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.appium.find import By
    from pytest_mobileagent.virtual.ui.node import Node


@route("POST", "element")
def find_one(call: Call) -> dict[str, Any]:
    """Find the first element that a locator means."""
    by, context = call.session.by(call.body), _context(call)
    node = call.session.finder.one(by, call.session.node(context) if context else None)
    if node is None:
        raise NoSuchElement
    return _found(call, node, by, single=True, context=context)


@route("POST", "elements")
def find_all(call: Call) -> list[dict[str, Any]]:
    """Find every element that a locator means."""
    by, context = call.session.by(call.body), _context(call)
    nodes = call.session.finder.all(by, call.session.node(context) if context else None)
    single = len(nodes) == 1
    return [_found(call, node, by, single=single, context=context) for node in nodes]


@route("GET", "element/active")
def active(call: Call) -> dict[str, Any]:
    """Give the element that has the input focus."""
    return _found(call, _focused(call), None, single=True, context=None)


@route("GET", "appium/element/:id/first_visible")
def first_visible(call: Call) -> dict[str, Any]:
    """Give the first child of an element that can be seen."""
    seen = call.session.node(call.path["id"]).seen()
    if not seen:
        raise NoSuchElement
    return _found(call, seen[0], None, single=True, context=None)


@route("GET", "element/:id/text")
def text(call: Call) -> str:
    """Give the text."""
    return attributes.text(call.session.node(call.path["id"]))


@route("GET", "element/:id/name")
def name(call: Call) -> str | None:
    """Give the content description."""
    return attributes.attribute(call.session.node(call.path["id"]), "content-desc")


@route("GET", "element/:id/attribute/:name")
def attribute(call: Call) -> str | None:
    """Give an attribute; None if it is null."""
    node, name = call.session.node(call.path["id"]), call.path["name"]
    if name == "index":
        return str(node.index)
    try:
        return attributes.attribute(node, name)
    except LookupError:
        known = ", ".join(attributes.names())
        words = f"'{name}' attribute is unknown for the element. Only the following attributes "
        raise InvalidArgument(f"{words}are supported: [{known}]") from None


@route("GET", "element/:id/rect")
def rect(call: Call) -> dict[str, int]:
    """Give place and size."""
    left, top, right, bottom = call.session.node(call.path["id"]).bounds
    return {"x": left, "y": top, "width": right - left, "height": bottom - top}


@route("GET", "element/:id/location")
def location(call: Call) -> dict[str, int]:
    """Give the place."""
    left, top, _, _ = call.session.node(call.path["id"]).bounds
    return {"x": left, "y": top}


@route("GET", "element/:id/size")
def size(call: Call) -> dict[str, int]:
    """Give the size."""
    left, top, right, bottom = call.session.node(call.path["id"]).bounds
    return {"width": right - left, "height": bottom - top}


@route("GET", "element/:id/screenshot")
@route("GET", "screenshot/:id")
def screenshot(call: Call) -> str:
    """Give a picture of the element."""
    return crop(call.phone, call.session.node(call.path["id"]).bounds)


@route("POST", "element/:id/click")
def click(call: Call) -> None:
    """Tap the middle of what can be seen of the element."""
    call.phone.tap(*call.session.node(call.path["id"]).center)


@route("POST", "element/:id/clear")
def clear(call: Call) -> None:
    """Empty a text field."""
    if not perform.set_text(call.phone, call.session.node(call.path["id"]), ""):
        raise InvalidElementState("Clear text not successful.")


@route("POST", "element/:id/value")
def set_value(call: Call) -> None:
    """Add to the text of a field, or replace it."""
    _type(call, call.session.node(call.path["id"]))


@route("POST", "keys")
def keys(call: Call) -> None:
    """Add to the text of the field that has the focus, or of another."""
    given = call.body.get("elementId")
    _type(call, call.session.node(element_id(given)) if given else _focused(call))


def _type(call: Call, node: Node) -> None:
    text = call.text("text")
    replace = str(call.body.get("replace", False)).lower() == "true"
    enter = text.endswith(("\n", "\\n"))
    if enter:
        text = text.removesuffix("\n").removesuffix("\\n")
    if not _set(call, node, text, replace=replace):
        words = f"Cannot set the element to '{text}'. Did you interact with the correct element?"
        raise InvalidElementState(words)
    if enter:
        perform.focus(call.phone, call.phone.accessibility.find(node.identity) or node)
        call.phone.key("ENTER")


def _set(call: Call, node: Node, text: str, *, replace: bool) -> bool:
    if node.progress:
        try:
            value = float(text)
        except ValueError:
            return False
        return perform.set_progress(call.phone, node, value)
    view = node.box.view
    before = "" if replace or node.showing_hint else str(getattr(view, "text", ""))
    return perform.set_text(call.phone, node, before + text)


def _focused(call: Call) -> Node:
    node = call.phone.accessibility.focused()
    if node is None:
        raise NoSuchElement
    return node


def _context(call: Call) -> str | None:
    context = call.body.get("context")
    return element_id(context) if context else None


def _found(
    call: Call, node: Node, by: By | None, *, single: bool, context: str | None
) -> dict[str, Any]:
    """Answer with an element, and with what of it the settings ask for."""
    session = call.session
    added = session.elements.add(node, by, single=single, context=context)
    value: dict[str, Any] = dict(element_value(added))
    if session.settings["shouldUseCompactResponses"]:
        return value
    for name in str(session.settings["elementResponseAttributes"]).split(","):
        with suppress(LookupError):
            value[name.strip()] = _extra(node, name.strip())
    return value


def _extra(node: Node, name: str) -> Any:
    """Give what a setting asks for with every element; LookupError for what nobody knows."""
    if name == "name":
        return node.desc or None
    if name == "rect":
        left, top, right, bottom = node.bounds
        return {"x": left, "y": top, "width": right - left, "height": bottom - top}
    if name in ("enabled", "displayed", "selected"):
        return attributes.attribute(node, name) == "true"
    if name == "text" or name.startswith("attribute/"):
        return attributes.attribute(node, name.removeprefix("attribute/"))
    raise LookupError(name)
