"""The agents that show whether tasks are sound, without the pictures that nobody looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent import Action, Agent, Finish, Observation
from pytest_mobileagent import Scripted as _Scripted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent import Task
    from pytest_mobileagent.agent import Move


class Oracle(_Scripted):
    """As in agents/oracle.py."""

    sees = ("hierarchy",)


class TruncatedOracle(Oracle):
    """As in agents/truncated_oracle.py."""

    def moves(self, task: Task) -> Sequence[Move]:
        return super().moves(task)[:-1]


class Noop(Agent):
    """As in agents/noop.py."""

    asks = False
    sees = ("hierarchy",)

    def step(self, observation: Observation) -> Action:
        return Finish()
