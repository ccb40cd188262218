"""The result of one task: what a run reports of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.episode import Termination
from pytest_mobileagent.plain import to_wire

if TYPE_CHECKING:
    from pytest_mobileagent.episode.episode import Episode


@dataclass(frozen=True, slots=True)
class Result:
    """One task in `report.json`.

    `outcome` is passed, failed, skipped or error; `success` is None where nothing was decided.
    `step_ratio` is steps / golden steps of a success (SPA-Bench, section 5.1), `premature` a
    failure that the agent reported as done, `overdue` a success that ran into the step limit
    (SPA-Bench, section 5.1). `first_success_step` counts the steps after which the task was first
    done. `infrastructure` tells what broke, once for each attempt that was lost to it, also where
    another attempt was decided. `reset` tells how the device was brought to the start: "snapshot
    NAME", or why it could not be and what was done instead. `episode` is the folder of the record,
    relative to the run's.
    """

    id: str
    nodeid: str
    suite: str = ""
    app: str | None = None
    kind: str | None = None
    level: int | None = None
    epoch: int = 0
    environment: str | None = None
    outcome: str = "error"
    success: bool | None = None
    termination: str | None = None
    steps: int | None = None
    golden_steps: int | None = None
    step_ratio: float | None = None
    first_success_step: int | None = None
    premature: bool | None = None
    overdue: bool | None = None
    seconds: float | None = None
    seconds_per_step: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    reason: str = ""
    infrastructure: tuple[str, ...] = ()
    reset: str | None = None
    episode: str | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return dict(to_wire(asdict(self)))


def measures(episode: Episode, success: bool | None) -> dict[str, Any]:
    """Return the fields of a result that follow from an episode and its verdict."""
    steps, golden = episode.step_count, episode.task.golden_steps
    usage = episode.usage
    return {
        "success": success,
        "termination": str(episode.termination),
        "steps": steps,
        "golden_steps": golden,
        "reset": episode.reset or None,
        "step_ratio": steps / golden if success and golden else None,
        "premature": _decided(success, not success, episode, Termination.SELF_REPORTED),
        "overdue": _decided(success, bool(success), episode, Termination.STEP_LIMIT),
        "seconds": round(episode.seconds, 3),
        "seconds_per_step": round(episode.seconds / steps, 3) if steps else None,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _decided(
    success: bool | None, fits: bool, episode: Episode, termination: Termination
) -> bool | None:
    return None if success is None else fits and episode.termination is termination
