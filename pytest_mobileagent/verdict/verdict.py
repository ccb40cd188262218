"""What a scorer says of an episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.calls import ModelCall
from pytest_mobileagent.plain import expect, to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

_TYPES: dict[str, Any] = {
    "scorer": str,
    "reason": str,
    "evidence": dict,
    "first_step": int | None,
    "partial_credit": float | int | None,
}


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
    - `extra` keeps what a verdict of a newer version says and this one does not know.
    """

    passed: bool | None
    scorer: str = "check"
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    first_step: int | None = None
    partial_credit: float | None = None
    calls: tuple[ModelCall, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as plain data."""
        own = {name: getattr(self, name) for name in ("passed", *_TYPES)}
        return dict(to_wire({**self.extra, **own, "calls": [c.to_json() for c in self.calls]}))

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """Return the verdict that `to_json` made `data` of, keeping what is unknown in `extra`.

        Raises:
            LookupError, TypeError, ValueError: it is no verdict.
        """
        expect(data, dict, "verdict")
        own = {n: expect(data[n], kind, n) for n, kind in _TYPES.items() if n in data}
        passed, calls = data["passed"], tuple(map(ModelCall.from_json, data.get("calls", ())))
        if passed is not None:
            expect(passed, bool, "passed")
        extra = {name: v for name, v in data.items() if name not in {*_TYPES, "calls", "passed"}}
        return cls(**own | {"passed": passed, "calls": calls, "extra": extra})
