"""What an agent is: told a goal, shown screens, it decides actions."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.episode.device_info import DeviceInfo
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.task.task import Task


@dataclass(frozen=True, slots=True)
class Usage:
    """What a step cost: tokens of the models that were asked, and their price in US dollars.

    Raises:
        ValueError: a number is missing, negative or not finite.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0

    def __post_init__(self) -> None:
        tokens = (self.input_tokens, self.output_tokens)
        counted = all(isinstance(number, int) and number >= 0 for number in tokens)
        if not (counted and isinstance(self.cost_usd, int | float) and 0 <= self.cost_usd < inf):
            msg = f"{self!r}: tokens have to be whole numbers from 0, the cost a number from 0"
            raise ValueError(msg)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """An action together with what the agent said about it, and what deciding cost."""

    action: Action
    said: str = ""
    usage: Usage = field(default_factory=Usage)


class Agent(Protocol):
    """A program that works towards a goal on a phone; one instance lives for one episode.

    Subclass it, and give `step`. The plugin sets `seed` before `start`: it differs from task to
    task and from epoch to epoch, and is the same each time the same run is made.
    """

    seed: int = 0

    def start(self, goal: str, device: DeviceInfo) -> None:  # noqa: ARG002 - for agents to use
        """Take the goal in words. Called once, before the first step."""
        return  # type checkers take a method without a statement for abstract

    def step(self, screen: Screen) -> Action | Reply:
        """Look at the screen, and return what to do next; `Finish` or `Impossible` end it."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what `start` took. Called once, however the episode ended."""
        return


@runtime_checkable
class KnowsTask(Protocol):
    """An agent that is shown the task itself, such as one that plays its solution."""

    def assign_task(self, task: Task, values: Mapping[str, Any]) -> None:
        """Take the task, and what its placeholders stand for. Called once, before `start`."""
