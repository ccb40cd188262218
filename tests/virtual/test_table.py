"""A phone's table of services: each is built from what its class names, with the right types."""

from __future__ import annotations

import ast
import importlib
import inspect
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from pytest_mobileagent.virtual.phone import needs, services

if TYPE_CHECKING:
    from collections.abc import Iterator

GIVEN = {"context", "apps", "size", "density"}  # not services
BY_HAND = {"clock", "files", "props"}  # created by the phone itself, before all others


def wanted() -> Iterator[tuple[str, str, type, str]]:
    """Yield each required service: who requires it, its name, and the annotation."""
    for name, kind in services().items():
        for made in (
            () if name in BY_HAND else filter(callable, (kind, getattr(kind, "link", None)))
        ):
            for other in needs(made):
                if other not in GIVEN:
                    yield name, other, kind, inspect.signature(made).parameters[other].annotation


def meant(kind: type, annotation: str) -> Any:
    """Resolve an annotation, even if its import is only for type checking."""
    for each in kind.__mro__[:-1]:
        module = importlib.import_module(each.__module__)
        if annotation in vars(module):
            return vars(module)[annotation]
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if alias.name == annotation:
                        return getattr(importlib.import_module(node.module), annotation)
    raise LookupError(f"{annotation} in {kind.__module__}")


@pytest.mark.parametrize(("name", "other", "kind", "annotation"), list(wanted()))
def test_services_name_what_the_table_has(
    name: str, other: str, kind: type, annotation: str
) -> None:
    table = services()
    assert other in table, f"{name} wants {other}, which is no service"
    found = meant(kind, annotation)
    if Protocol in found.__bases__:
        members = {*vars(found), *found.__annotations__}
        missing = {
            each
            for each in members
            if not each.startswith("_")
            and not hasattr(table[other], each)
            and each not in table[other].__annotations__
        }
        assert not missing, f"{other} lacks what {name} wants of it"
    else:
        assert found is table[other]


def test_a_service_is_built_after_those_that_it_is_made_of() -> None:
    order = list(services())
    early = {
        (name, other)
        for name, kind in services().items()
        for other in needs(kind)
        if name not in BY_HAND and other in order and order.index(other) > order.index(name)
    }
    assert not early
