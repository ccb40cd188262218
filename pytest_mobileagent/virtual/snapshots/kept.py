"""How a service whose state is some of its attributes takes part in snapshots."""

from __future__ import annotations

from dataclasses import asdict, is_dataclass
from typing import Any, ClassVar


class Kept:
    """Saves the attributes that are named: plain data, or dataclasses of plain data."""

    KEPT: ClassVar[tuple[str, ...]] = ()

    def save(self) -> dict[str, Any]:
        """Give them by name."""
        values = {name: getattr(self, name) for name in self.KEPT}
        return {
            name.lstrip("_"): asdict(value) if is_dataclass(value) else value  # type: ignore[arg-type]
            for name, value in values.items()
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Take them back, each as what it was made as."""
        for name in self.KEPT:
            kind, value = type(getattr(self, name)), saved[name.lstrip("_")]
            setattr(self, name, kind(**value) if is_dataclass(kind) else kind(value))
