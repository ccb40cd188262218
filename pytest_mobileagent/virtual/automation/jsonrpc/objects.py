"""Methods that look at what a selector means, or an id that stands for one, and write in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_mobileagent.virtual.automation import perform
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import (
    integer,
    selector,
    text,
    thing,
)
from pytest_mobileagent.virtual.automation.jsonrpc.registry import method
from pytest_mobileagent.virtual.automation.selector import UiSelector

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service
    from pytest_mobileagent.virtual.ui.node import Node

Thing: TypeAlias = UiSelector | str


# What is there.


@method("exist", thing)
def exist(service: Service, what: Thing) -> bool:
    """Tell whether it is on the screen."""
    return service.find(what) is not None


@method("count", selector)
def count(service: Service, what: UiSelector) -> int:
    """Tell how many there are."""
    return len(service.all(what))


@method("objInfo", thing)
def info(service: Service, what: Thing) -> dict[str, Any]:
    """Tell all about it."""
    return _info(service.get(what))


@method("objInfoOfAllInstances", selector)
def info_of_all(service: Service, what: UiSelector) -> list[dict[str, Any]]:
    """Tell all about each that matches."""
    return [_info(node) for node in service.all(what)]


def _info(node: Node) -> dict[str, Any]:
    left, top, right, bottom = node.bounds
    bounds = {"bottom": bottom, "left": left, "right": right, "top": top}
    return {
        "bounds": bounds,
        "checkable": node.checkable,
        "checked": node.checked,
        "childCount": len(node.children),
        "className": node.class_name,
        "clickable": node.clickable,
        "contentDescription": node.desc,
        "enabled": node.enabled,
        "focusable": node.focusable,
        "focused": node.focused,
        "longClickable": node.long_clickable,
        "packageName": node.package,
        "resourceName": node.resource_id or None,
        "scrollable": node.scrollable,
        "selected": node.selected,
        "text": node.text,
        "visibleBounds": bounds,
    }


@method("waitForExists", thing, integer)
async def wait_for_exists(service: Service, what: Thing, milliseconds: int) -> bool:
    """Wait until it is on the screen."""
    return await service.until(lambda: service.find(what) is not None, milliseconds)


@method("waitUntilGone", thing, integer)
async def wait_until_gone(service: Service, what: Thing, milliseconds: int) -> bool:
    """Wait until it is not on the screen any more."""
    return await service.until(lambda: service.find(what) is None, milliseconds)


# Text.


@method("getText", thing)
def get_text(service: Service, what: Thing) -> str:
    """Give its text."""
    return service.get(what).text


@method("setText", thing, text)
def set_text(service: Service, what: Thing, content: str | None) -> bool:
    """Put a text into it; false if it takes none."""
    return perform.set_text(service.phone, service.get(what), content or "")


@method("clearTextField", thing)
def clear_text(service: Service, what: Thing) -> None:
    """Empty it."""
    perform.set_text(service.phone, service.get(what), "")
