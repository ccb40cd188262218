"""What a program is played with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.agent.program.adapter.adapter import Adapter
    from pytest_mobileagent.llm.models import ModelSettings
    from pytest_mobileagent.llm.reference import ModelReference


@dataclass(frozen=True, slots=True)
class Setting:
    """What a program is played with.

    - `models`: prices, budgets and the like; `model` stands in for those that it asks.
    - `pictures`: the run's folder of screens. `run`: the mark of the run's processes.
    - `here`: the folder in which pytest was started. `scratch`: one that goes with the run, however
      that ends.
    """

    program: Adapter
    models: ModelSettings
    model: ModelReference | None
    pictures: Path
    run: str
    here: Path
    scratch: Path | None = None
