"""How a device was brought to a task's starting point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Reset:
    """What a reset did; `str()` says it in words.

    - `kind`: "snapshot" if one was loaded; "cleared" if there was none, and apps were cleared
      instead; "none" if nothing was done.
    - `snapshot`: the name of the one that was loaded, else None.
    - `cleared`: the packages of the apps that were cleared and stopped.
    - `reason`: why no snapshot was loaded; empty if one was.
    """

    kind: Literal["snapshot", "cleared", "none"]
    snapshot: str | None = None
    cleared: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "snapshot":
                return f"snapshot {self.snapshot}"
            case "cleared":
                return f"{self.reason}: cleared {', '.join(self.cleared) or 'nothing'}"
            case _:
                return self.reason or "not reset"
