"""Lazily imported public names of the package's public modules."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(face: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a public module: it imports a name when it is first asked for.

    The imports are those under the module's own `if TYPE_CHECKING:`, which type checkers and
    readers follow. With it, `from pytest_mobileagent.agent import Agent` imports no model client,
    OCR engine or imaging library.
    """

    def getattr_(name: str) -> Any:
        if name.startswith("__") or name not in (homes := imports_for_types(face)):
            raise AttributeError(f"module {face!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return getattr_


@cache
def imports_for_types(module: str) -> Mapping[str, str]:
    """Return the names that a module imports under `if TYPE_CHECKING:`, and where from."""
    import ast  # the virtual phone imports this package at every start, and none of its names

    tree = ast.parse(Path(str(sys.modules[module].__file__)).read_text("utf-8"))
    return {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
