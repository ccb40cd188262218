"""How a device was brought to a task's starting point."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.plain import expect

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Reset:
    """What a reset did.

    - `kind`: "snapshot", it was loaded; "cleared", there was none, and `cleared` lists the apps
      whose data was cleared instead; "none", nothing was done.
    - `reason`: why no snapshot was loaded; empty if one was.
    """

    kind: Literal["snapshot", "cleared", "none"]
    snapshot: str | None = None
    cleared: tuple[str, ...] = ()
    reason: str = ""

    def __str__(self) -> str:
        if self.kind == "snapshot":
            return f"snapshot {self.snapshot}"
        return f"{self.reason}: cleared {', '.join(self.cleared) or 'nothing'}"

    def to_json(self) -> dict[str, Any]:
        """Return the reset as plain data."""
        return {**asdict(self), "cleared": list(self.cleared)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Reset:
        """Return the reset that `to_json` made `data` of; what is unknown is left out.

        Raises:
            TypeError: it is no reset.
        """
        cleared = expect(data.get("cleared", []), list, "reset.cleared")
        return cls(
            expect(data.get("kind", "none"), str, "reset.kind"),
            expect(data.get("snapshot"), str | None, "reset.snapshot"),
            tuple(expect(app, str, "reset.cleared") for app in cleared),
            expect(data.get("reason", ""), str, "reset.reason"),
        )
