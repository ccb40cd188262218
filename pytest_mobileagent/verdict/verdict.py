"""What a scorer says of an episode."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.plain import to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the goal was met, and why.

    - `passed`: True, False, or None where a person has to decide.
    - `scorer`: who says so: "check" for a test body.
    - `reason`: in words; `evidence`: plain data that shows it, such as the elements that came
      closest.
    - `first_step`: after how many steps it first held, 0 if it did at once; None if it never did,
      or if nobody asked.
    - `partial_credit`: from 0 to 1, where the task has sub-goals.
    - `calls`: the models that the scorer has asked.
    """

    passed: bool | None
    scorer: str = "check"
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    first_step: int | None = None
    partial_credit: float | None = None
    calls: tuple[ModelCall, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        own = {**asdict(self), "calls": [call.to_json() for call in self.calls]}
        return dict(to_wire(own))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """Return the verdict that `to_json` made `data` of; what is unknown is left out."""
        names = ("scorer", "reason", "evidence", "first_step", "partial_credit")
        given = {name: data[name] for name in names if name in data}
        calls = tuple(map(ModelCall.from_json, data.get("calls", ())))
        return cls(data["passed"], calls=calls, **given)
