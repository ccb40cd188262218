"""Performs an agent's actions on a device, as far as they can be done, at the pace of a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Ask, Open, Raw, check, ends_episode
from pytest_mobileagent.action.matching import ANYWHERE
from pytest_mobileagent.device.device import PageDevice
from pytest_mobileagent.errors import NoEdgeError
from pytest_mobileagent.run.reports import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.run.plan import AttemptPlan

UNREADABLE = "no action could be found in your reply"
Size = tuple[int, int]


class Hands:
    """What touches the device in an episode.

    `given` are the indices of the last decision's actions that the device received.
    """

    def __init__(self, plan: AttemptPlan, device: Device) -> None:
        self._limits, self._installed = plan.limits, plan.installed
        self._device = device
        self._may_act = 0.0  # when the next action may be done, by the monotonic clock
        self.given: list[int] = []

    def flaw(self, action: Action, size: Size, *, is_recorded: bool = False) -> str:
        """Return why an action cannot be done on a screen of this size; empty if it can.

        With `is_recorded`, it may be an action of a recording, which may open any app and touch a
        point outside the screen.
        """
        if isinstance(action, Raw):
            return f"{action!r} is not an action that a phone can do"
        is_absent = (
            isinstance(action, Open) and self._installed and action.app not in self._installed
        )
        if is_absent and not is_recorded:
            return f"{action!r}: no app of this package is installed"
        try:
            check(action, ANYWHERE if is_recorded else size)
        except ValueError as error:
            return str(error)
        return ""

    def do(
        self, actions: Sequence[Action], size: Size, ask: Callable[[str], None]
    ) -> tuple[int, str]:
        """Perform actions until one fails; return how many were not performed, and the reason.

        `size` is that of the screen that the agent saw; `ask` asks the user a question.
        """
        self.given = []
        if not actions:
            return 0, UNREADABLE
        ends = time.monotonic() + self._limits.seconds
        for number, action in enumerate(actions, 1):
            which = f"action {number} of {len(actions)}: " if len(actions) > 1 else ""
            flaw = self.flaw(action, size, is_recorded=isinstance(self._device, PageDevice))
            if number > 1 and time.monotonic() >= ends:
                flaw = f"those before it took longer than {self._limits.seconds:g} s"
            if not flaw and ends_episode(action) and number < len(actions):
                flaw = f"nothing can follow {action!r}"
            if flaw:
                return len(actions) - number + 1, cut(f"{which}{flaw}")
            if isinstance(action, Ask):
                ask(action.question)
            elif not ends_episode(action):
                self.given.append(number - 1)
                try:
                    self.perform(action)
                except NoEdgeError as error:
                    return len(actions) - number + 1, cut(f"{which}{error}")
        return 0, ""

    def perform(self, action: Action) -> None:
        """Perform an action once the pace of the run allows it."""
        self.keep_pace()
        self._may_act = time.monotonic() + self._limits.pace
        self._device.perform(action)

    def keep_pace(self) -> None:
        """Wait until the next action may be done."""
        if (left := self._may_act - time.monotonic()) > 0:
            time.sleep(left)
