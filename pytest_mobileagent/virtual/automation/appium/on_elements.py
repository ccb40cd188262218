"""Routes for elements: finding, reading and acting on them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from pytest_mobileagent.virtual.automation.actions import focus, set_progress, set_text
from pytest_mobileagent.virtual.automation.appium.errors import InvalidArgument, WebDriverError
from pytest_mobileagent.virtual.automation.appium.on_device import crop, rect
from pytest_mobileagent.virtual.automation.appium.session import ELEMENT_KEY, element_id
from pytest_mobileagent.virtual.automation.appium.source import attribute, attribute_names, text_of

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.appium.find import By
    from pytest_mobileagent.virtual.automation.appium.session import Call, Route
    from pytest_mobileagent.virtual.ui.node import Node


def _find_one(call: Call) -> dict[str, Any]:
    by, context = call.session.by(call.body), _context(call)
    node = call.session.finder.one(by, call.session.node(context) if context else None)
    if node is None:
        raise WebDriverError("no such element")
    return _found(call, node, by, single=True, context=context)


def _find_all(call: Call) -> list[dict[str, Any]]:
    by, context = call.session.by(call.body), _context(call)
    nodes = call.session.finder.all(by, call.session.node(context) if context else None)
    single = len(nodes) == 1
    return [_found(call, node, by, single=single, context=context) for node in nodes]


def _attribute(call: Call) -> str | None:
    """Return an attribute; None if it is null."""
    node, name = call.node, call.path["name"]
    if name == "index":
        return str(node.index)
    try:
        return attribute(node, name)
    except LookupError:
        known = ", ".join(attribute_names())
        words = f"'{name}' attribute is unknown for the element. Only the following attributes "
        raise InvalidArgument(f"{words}are supported: [{known}]") from None


def _part(*names: str) -> Any:
    """Return a function that returns the named parts of an element's rectangle."""
    return lambda call: {name: rect(call.node.bounds)[name] for name in names}


def _clear(call: Call) -> None:
    if not set_text(call.phone, call.node, ""):
        raise WebDriverError("invalid element state", "Clear text not successful.")


def _keys(call: Call) -> None:
    """Append to the text of the focused field, or of another."""
    given = call.body.get("elementId")
    _type(call, call.session.node(element_id(given)) if given else _focused(call))


def _type(call: Call, node: Node) -> None:
    """Append to the text of a field, or replace it."""
    text = call.text("text")
    replace = str(call.body.get("replace", False)).lower() == "true"
    enter = text.endswith(("\n", "\\n"))
    if enter:
        text = text.removesuffix("\n").removesuffix("\\n")
    if not _set(call, node, text, replace=replace):
        words = f"Cannot set the element to '{text}'. Did you interact with the correct element?"
        raise WebDriverError("invalid element state", words)
    if enter:
        focus(call.phone, call.phone.accessibility.find(node.identity) or node)
        call.phone.key("ENTER")


def _set(call: Call, node: Node, text: str, *, replace: bool) -> bool:
    if node.progress:
        try:
            value = float(text)
        except ValueError:
            return False
        return set_progress(call.phone, node, value)
    view = node.box.view
    before = "" if replace or node.showing_hint else str(getattr(view, "text", ""))
    return set_text(call.phone, node, before + text)


def _focused(call: Call) -> Node:
    node = call.phone.accessibility.focused()
    if node is None:
        raise WebDriverError("no such element")
    return node


def _context(call: Call) -> str | None:
    context = call.body.get("context")
    return element_id(context) if context else None


def _found(
    call: Call, node: Node, by: By | None, *, single: bool, context: str | None
) -> dict[str, Any]:
    """Return an element's id, under the old and new key, with attributes set in the settings."""
    session = call.session
    added = session.add(node, by, single=single, context=context)
    value: dict[str, Any] = {"ELEMENT": added, ELEMENT_KEY: added}
    if session.settings["shouldUseCompactResponses"]:
        return value
    for name in str(session.settings["elementResponseAttributes"]).split(","):
        with suppress(LookupError):
            value[name.strip()] = _extra(node, name.strip())
    return value


def _extra(node: Node, name: str) -> Any:
    """Return an attribute that a setting adds to every element; LookupError if it is unknown."""
    if name == "name":
        return node.desc or None
    if name == "rect":
        return rect(node.bounds)
    if name in ("enabled", "displayed", "selected"):
        return attribute(node, name) == "true"
    if name == "text" or name.startswith("attribute/"):
        return attribute(node, name.removeprefix("attribute/"))
    raise LookupError(name)


ROUTES: Final[tuple[Route, ...]] = (
    ("POST", "element", _find_one),
    ("POST", "elements", _find_all),
    (
        *("GET", "element/active"),
        lambda call: _found(call, _focused(call), None, single=True, context=None),
    ),
    ("GET", "element/:id/text", lambda call: text_of(call.node)),
    ("GET", "element/:id/name", lambda call: call.node.desc or None),
    ("GET", "element/:id/attribute/:name", _attribute),
    ("GET", "element/:id/rect", lambda call: rect(call.node.bounds)),
    ("GET", "element/:id/location", _part("x", "y")),
    ("GET", "element/:id/size", _part("width", "height")),
    ("GET", "element/:id/screenshot", lambda call: crop(call.phone, call.node.bounds)),
    ("POST", "element/:id/click", lambda call: call.phone.tap(*call.node.center)),
    ("POST", "element/:id/clear", _clear),
    ("POST", "element/:id/value", lambda call: _type(call, call.node)),
    ("POST", "keys", _keys),
)
