"""Lazily imported public names of the package's public modules."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class LazyNames:
    """The `__getattr__` of a public module, given the names that each internal module defines.

    With it, `from pytest_mobileagent.agent import Agent` imports no model client, OCR engine or
    imaging library, and importing one module of a subpackage does not import all the others.
    """

    def __init__(self, face: str, homes: Mapping[str, Sequence[str]]) -> None:
        self._face = face
        self.names = {name: module for module, names in homes.items() for name in names}

    def __call__(self, name: str) -> Any:
        """Return the object with a public name.

        Raises:
            AttributeError: if the module has no such name.
        """
        if name not in self.names:
            raise AttributeError(f"module {self._face!r} has no attribute {name!r}")
        module = importlib.import_module(f"pytest_mobileagent.{self.names[name]}")
        return getattr(module, name)
