"""Agents that play a script: the base of the oracle, and of agents in tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.action.action import Action, Finish
from pytest_mobileagent.agent.agent import Agent
from pytest_mobileagent.errors import NoSolutionError, TaskError, UnfitMoveError
from pytest_mobileagent.task.solution import Move, Scene

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.episode.record import Observation
    from pytest_mobileagent.screen.screen import Screen
    from pytest_mobileagent.task.task import Task


class Scripted(Agent):
    """Plays the moves of a task's solution one by one, then reports that it is done.

    Raises:
        TaskError: the task has no solution, or a move does not fit the screen it meets.
    """

    def assign_task(self, task: Task, values: Mapping[str, Any]) -> None:
        """Take the moves from the task."""
        self._app = task.packages[0] if task.packages else None
        self._values = values
        self._moves = self.moves(task)
        self._screens: tuple[Screen, ...] = ()
        self._played = 0

    def moves(self, task: Task) -> Sequence[Move]:
        """Return the moves to play: the whole solution."""
        if not task.solution:
            msg = "the task has no solution to play: give it one with @task(…, solution=[…])"
            raise NoSolutionError(msg)
        return task.solution

    def step(self, observation: Observation) -> Action:
        """Play the next move on this screen."""
        self._screens += (observation.screen,)
        scene = Scene(self._screens, self._app, self._values)
        number = self._next(scene)
        if number >= len(self._moves):
            return Finish()
        move = self._moves[number]
        self._played = number + (move.done is None)
        try:
            return move.action(scene)
        except TaskError as error:
            msg = f"move {number + 1} of the solution, {move}, does not fit: {error}"
            raise UnfitMoveError(msg) from error

    def _next(self, scene: Scene) -> int:
        """Return the number of the next move, leaving out those that are done already."""
        for number in range(self._played, len(self._moves)):
            done = self._moves[number].done
            if done is None or not done(scene):
                return number
        return len(self._moves)
