"""The clipboard, which contains a single text."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_mobileagent.virtual.snapshots.kept import Kept


@dataclass(eq=False)
class Clipboard(Kept):
    """Holds the last copied text."""

    KEPT = ("text",)

    text: str = ""
