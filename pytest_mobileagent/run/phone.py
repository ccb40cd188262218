"""The phone in an episode: what is done on it, and the events, log lines and crashes it reports.

Also the calls of models that the agent makes meanwhile.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Ask, Open, Raw, check, ends_episode
from pytest_mobileagent.action.matching import ANYWHERE
from pytest_mobileagent.device.device import PageDevice, log_of, stored_crashes_of
from pytest_mobileagent.device.logcat import crashes
from pytest_mobileagent.episode.exchanges import CallReader
from pytest_mobileagent.errors import NoEdgeError
from pytest_mobileagent.llm.clients import WHOLE_REPLY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.episode.event import Crash
    from pytest_mobileagent.episode.store import Recorder
    from pytest_mobileagent.llm.metered import EpisodeModels
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
        may_open = is_recorded or not self._installed
        if isinstance(action, Open) and not may_open and action.app not in self._installed:
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


_LONGEST_TEXT = 1000  # characters
_MOST_LINES = 200  # lines of the phone's log, after each step


class Reports:
    """A device's reports during an episode, which are recorded with the steps.

    - `is_logged`: whether the device's log could be read after every step, or, failing that, the
      crashes that Android keeps.
    - `crashes`: the crashes of apps, each with the number of its step.
    """

    def __init__(self, device: Device, recorder: Recorder) -> None:
        self._device, self._recorder = device, recorder
        self._seen: list[datetime | None] = []  # the times of screens, by the phone's clock
        self.is_logged = True
        self.crashes: list[tuple[int, Crash]] = []

    def fork(self, device: Device, recorder: Recorder) -> Reports:
        """Return reports that go on with another device and record."""
        other = Reports(device, recorder)
        other.is_logged, other.crashes, other._seen = self.is_logged, [*self.crashes], [*self._seen]
        return other

    def saw(self, moment: datetime | None) -> None:
        """Record the time of a screen, by the phone's clock; None if it is unknown."""
        self._seen.append(moment)

    def read(self, decided: int, *, late: bool = False) -> None:
        """Record the phone's reports and log lines since the last step was decided.

        `decided` is the number of that step, from 1, or 0 before the first.
        """
        self._recorder.events(self._device.events())
        lines = log_of(self._device, late=late)
        if lines is None:
            self.is_logged = False
            return
        last = [replace(line, text=cut(line.text)) for line in lines[-_MOST_LINES:]]
        found = crashes(lines)
        self.crashes += [(decided, crash) for crash in found]
        self._recorder.log(found, last, len(lines) - len(last))

    def finish(self, decided: int) -> None:
        """Record the phone's reports and log lines since its last screen, when the episode is over.

        This does not wait for further lines. If the log could not be read, it records the crashes
        that Android keeps.
        """
        self.read(decided, late=True)
        if self.is_logged or (began := self._seen[0]) is None:
            return
        if (stored := stored_crashes_of(self._device, began)) is None:
            return
        self.is_logged = True
        known = {(crash.package, crash.error) for _, crash in self.crashes}
        for moment, crash in stored:
            if (crash.package, crash.error) not in known and decided:
                before = sum(seen is not None and seen < moment for seen in self._seen)
                step = min(max(before, 1), decided)
                self.crashes.append((step, crash))
                self._recorder.log([crash], (), step=step)


def cut(text: str) -> str:
    """Return text with its middle cut out if it is long: notices quote models, log lines apps."""
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}"


class SessionCalls:
    """The calls of the episode in a folder, as far as they have been made.

    They are read from the record, because the agent's process makes them.
    """

    def __init__(self, folder: Path, models: EpisodeModels) -> None:
        self._prices, self._spending = models.prices, models.account()
        self._calls, self._waits = CallReader(folder), CallReader(folder)
        self._lost = 0.0  # seconds of the current wait that have been counted already
        self._owed: tuple[int | None, float] | None = None  # the call at the limit, and since when

    def take(self, reported: Sequence[ModelCall] = ()) -> tuple[ModelCall, ...]:
        """Return the calls behind a decision: those of metered models, and those `reported`.

        Reported calls without a cost get one from the price of their model.
        """
        metered = self._calls.new()
        priced = [self._prices.priced(call) for call in reported]
        for call in metered:
            self._spending.note(call)
        for call in priced:
            self._spending.pay(call)
        return (*metered, *priced)

    def over(self) -> str:
        """Return a message about the budget that is spent; empty if none is.

        Raises:
            HostError: if it cannot be found out what the run has spent.
        """
        return self._spending.over()

    def seconds_lost(self) -> float:
        """Return the seconds lost to busy providers since this was last called."""
        lost = sum(call.waited or 0.0 for call in self._waits.new()) - self._lost
        since = self._waits.busy_since
        self._lost = 0.0 if since is None else max(0.0, time.monotonic() - since)
        if lost + self._lost > 0:
            self._owed = None
        return max(0.0, lost + self._lost)

    def awaits_provider(self) -> bool:
        """Return whether a provider still owes the answer that it owed at the time limit.

        Only when it answers, or exceeds a limit of replies, is it known whose time has run out.
        """
        asking, now = self._waits.asking, time.monotonic()
        self._owed = self._owed or (asking, now)
        call, since = self._owed
        return asking is not None and asking == call and now - since < WHOLE_REPLY_SECONDS

    def rest(self) -> tuple[ModelCall, ...]:
        """Return the calls that no decision has followed; a call that was killed is no longer on.

        These have been counted by the run, and the episode is over.
        """
        self._waits.close()
        return self._calls.new()
