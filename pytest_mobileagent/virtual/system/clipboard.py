"""The clipboard: one text."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_mobileagent.virtual.snapshots.kept import Kept


@dataclass(eq=False)
class Clipboard(Kept):
    """Holds what was last copied."""

    KEPT = ("text",)

    text: str = ""
