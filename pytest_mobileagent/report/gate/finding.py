"""What became of one thing that a gate asks for."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.report.gate.spec import Bound

PASS, FAIL, INCONCLUSIVE = "PASS", "FAIL", "INCONCLUSIVE"
MOST_MISSING = 0.1  # of the episodes; with more, nothing can be said of a run


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict on a bound, on the tasks that have to pass or on what is missing (no `bound`).

    - `words`: what is said of it, in a line.
    - `numbers`: what it rests on, as plain data.
    - `look`: at which it was found, from 0.
    - `may_change`: whether more epochs may decide it.
    - `broken`: whether infrastructure is to blame for what is missing.
    """

    verdict: str
    words: str
    numbers: Mapping[str, Any] = field(default_factory=dict)
    bound: Bound | None = None
    look: int = 0
    may_change: bool = False
    broken: bool = False

    def to_wire(self) -> dict[str, Any]:
        """Return it as plain data: one of `gate.bounds` of report.json."""
        bound = asdict(self.bound) if self.bound is not None else {}
        said = {"verdict": self.verdict, "words": self.words, "look": self.look + 1}
        return {**bound, **said, **self.numbers}
