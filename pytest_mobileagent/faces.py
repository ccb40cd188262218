"""Faces of rooms: public names whose modules are imported when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class LazyNames:
    """The `__getattr__` of a face, given the names that each module of this package defines.

    So `from pytest_mobileagent.agent import Agent` imports no model client, OCR engine or imaging
    library, and importing one module of a room does not import all others.
    """

    def __init__(self, face: str, homes: Mapping[str, Sequence[str]]) -> None:
        self._face = face
        self.names = {name: module for module, names in homes.items() for name in names}

    def __call__(self, name: str) -> Any:
        """Return the object of a public name.

        Raises:
            AttributeError: the face has no such name.
        """
        if name not in self.names:
            msg = f"module {self._face!r} has no attribute {name!r}"
            raise AttributeError(msg)
        module = importlib.import_module(f"pytest_mobileagent.{self.names[name]}")
        return getattr(module, name)
