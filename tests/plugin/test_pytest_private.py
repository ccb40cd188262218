"""Private names of pytest and its plugins are used in one module only."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest_mobileagent

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(pytest_mobileagent.__file__).parent
ALLOWED = {PACKAGE / "plugin" / "pytest_private.py"}
RAYS_OWN = {"_private"}  # ray._private, in the engine that needs it


def test_private_names_of_pytest_are_used_in_one_module() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path not in ALLOWED
        for line, name in private_names(path.read_text("utf-8"), "plugin" in path.parts)
    ]
    assert found == []


def test_private_names_are_recognised() -> None:
    source = "from _pytest.runner import x\nitem._request\nself._own\ngetattr(node, '_io', None)\n"
    assert [line for line, _ in private_names(source, True)] == [1, 2, 4]
    assert [line for line, _ in private_names(source, False)] == [1]


def private_names(source: str, with_attributes: bool) -> Iterator[tuple[int, str]]:
    """Yield imports of `_pytest`, and private attributes of anything other than the class itself.

    Attributes only count in the plugin's own modules, as others do not receive pytest's objects.
    """
    if not with_attributes and "_pytest" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=str(name)) if name.partition(".")[0] == "_pytest":
                yield node.lineno, name
            case ast.Import(names=names):
                yield from ((node.lineno, a.name) for a in names if a.name.startswith("_pytest"))
            case ast.Attribute(ast.Name("self" | "cls" | "os")):
                continue
            case ast.Attribute(attr=name) if with_attributes and is_private(name):
                yield node.lineno, name
            case ast.Call(ast.Name("getattr"), [_, ast.Constant(str(name)), *_]) if is_private(
                name
            ):
                if with_attributes:
                    yield node.lineno, name


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
