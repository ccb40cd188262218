"""Records what the phone reports while an agent works: events, lines of its log, and crashes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import log_of, stored_crashes_of
from pytest_mobileagent.device.logcat import crashes

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.episode.event import Crash
    from pytest_mobileagent.episode.store import Recorder

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

        This does not wait for further lines. If the log could not be read, the crashes that Android
        keeps are recorded.
        """
        self.read(decided, late=True)
        began = self._seen[0]
        if self.is_logged or began is None:
            return
        stored = stored_crashes_of(self._device, began)
        if stored is None:
            return
        self.is_logged = True
        known = {(crash.package, crash.error) for _, crash in self.crashes}
        for moment, crash in stored:
            if (crash.package, crash.error) not in known and decided:
                step = sum(seen is not None and seen < moment for seen in self._seen)
                step = min(max(step, 1), decided)
                self.crashes.append((step, crash))
                self._recorder.log([crash], (), step=step)


def cut(text: str) -> str:
    """Return text with its middle cut out if it is long: notices quote models, log lines apps."""
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}"
