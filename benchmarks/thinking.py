"""An agent that plays a task's solution, and thinks for a second before each step."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from pytest_mobileagent import Scripted

if TYPE_CHECKING:
    from pytest_mobileagent import Action, Observation

SECONDS = float(os.environ.get("BENCHMARK_THINKING", "1"))


class Thinking(Scripted):
    """Waits before each step, as if for a model's reply."""

    def step(self, observation: Observation) -> Action:
        time.sleep(SECONDS)
        return super().step(observation)
