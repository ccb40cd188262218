"""What one model, asked as a judge, says of an episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.episode.calls import ModelCall


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one model says of an episode.

    - `model`: PROVIDER:NAME.
    - `passed`: whether the goal was met; None where it cannot tell, as when its votes are even.
    - `reason`: in the model's words; empty if it gave none.
    - `calls`: every call that it took, repairs included; their `line` is where prompt and reply
      stand in the episode's judges.jsonl.
    - `details`: plain data on how it came to that: subtasks, statements of a rubric, votes.
    """

    model: str
    passed: bool | None
    reason: str = ""
    calls: tuple[ModelCall, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
