"""Methods about ids that stand for selectors, and children that are found by what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.jsonrpc.errors import not_found
from pytest_mobileagent.virtual.automation.jsonrpc.parameters import (
    flag,
    integer,
    selector,
    text,
    thing,
)
from pytest_mobileagent.virtual.automation.jsonrpc.registry import method
from pytest_mobileagent.virtual.automation.jsonrpc.wording import describe
from pytest_mobileagent.virtual.automation.scrolling import Scroller
from pytest_mobileagent.virtual.automation.selector import UiSelector

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.automation.jsonrpc.service import Service


@method("getUiObject", selector)
def get_object(service: Service, what: UiSelector) -> str:
    """Give an id that stands for a selector."""
    return service.keep(what)


@method("getChild", thing, selector)
def get_child(service: Service, what: UiSelector | str, child: UiSelector) -> str:
    """Give an id for something inside."""
    return service.keep(service.selector(what).then_child(child))


@method("getFromParent", thing, selector)
def get_from_parent(service: Service, what: UiSelector | str, sibling: UiSelector) -> str:
    """Give an id for something beside."""
    return service.keep(service.selector(what).then_sibling(sibling))


@method("getUiObjects")
def get_objects(service: Service) -> list[str]:
    """Give the ids that stand for something."""
    return service.ids()


@method("removeUiObject", text)
def remove_object(service: Service, what: str) -> None:
    """Forget an id."""
    service.forget(what)


@method("childByText", selector, selector, text)
def child_by_text(service: Service, among: UiSelector, child: UiSelector, content: str) -> str:
    """Give an id for the child that has a text in it; what scrolls is scrolled to find it."""
    return _child_by(service, among, child, "text", content, scroll=_scrolls(service, among))


@method("childByText", selector, selector, text, flag)
def child_by_text_there(
    service: Service, among: UiSelector, child: UiSelector, content: str, scroll: bool
) -> str:
    """Do the same, scrolling or not."""
    return _child_by(service, among, child, "text", content, scroll=scroll)


@method("childByDescription", selector, selector, text)
def child_by_desc(service: Service, among: UiSelector, child: UiSelector, content: str) -> str:
    """Give an id for the child that has a description in it."""
    scroll = _scrolls(service, among)
    return _child_by(service, among, child, "description", content, scroll=scroll)


@method("childByDescription", selector, selector, text, flag)
def child_by_desc_there(
    service: Service, among: UiSelector, child: UiSelector, content: str, scroll: bool
) -> str:
    """Do the same, scrolling or not."""
    return _child_by(service, among, child, "description", content, scroll=scroll)


@method("childByInstance", selector, selector, integer)
def child_by_instance(service: Service, among: UiSelector, child: UiSelector, at: int) -> str:
    """Give an id for a child by its number."""
    return service.keep(among.then_child(child.having("instance", at)))


def _scrolls(service: Service, among: UiSelector) -> bool:
    node = service.find(among)
    return node is not None and node.scrollable


def _child_by(
    service: Service, among: UiSelector, child: UiSelector, name: str, content: str, *, scroll: bool
) -> str:
    wanted = UiSelector().having(name, content)
    if scroll:
        Scroller(service.phone, among).into_view(wanted)
    for at, _ in enumerate(service.all(among.then_child(child))):
        row = among.then_child(child.having("instance", at))
        node = service.find(row)
        if node and (wanted.accepts(node) or service.find(row.then_child(wanted))):
            return service.keep(row)
    raise not_found(f'for {name}= "{content}" in {describe(among)}')
