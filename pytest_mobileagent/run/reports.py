"""What the phone reports of itself while an agent works: events, lines of its log, and crashes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import kept_crashes_of, log_of
from pytest_mobileagent.device.logcat import crashes

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.episode.log import Crash
    from pytest_mobileagent.episode.store import Recorder

_LONGEST_TEXT = 1000  # characters
_MOST_LINES = 200  # of the phone's log, after each step


class Reports:
    """What a device reports during an episode, which is recorded with the steps.

    `is_logged` says whether its log could be read after every step, or else the crashes that it
    keeps; `crashes` are those of apps, with the number of the step.
    """

    def __init__(self, device: Device, recorder: Recorder) -> None:
        self._device, self._recorder = device, recorder
        self._seen: list[datetime | None] = []  # when, by the phone's clock
        self.is_logged = True
        self.crashes: list[tuple[int, Crash]] = []

    def saw(self, moment: datetime | None) -> None:
        """Note when a screen was seen, by the phone's clock; None if that is not known."""
        self._seen.append(moment)

    def read(self, decided: int, *, late: bool = False) -> None:
        """Record what the phone has reported since the last step was decided, and has logged.

        `decided` is the number of that step, from 1; 0 if there is none yet.
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
        """Record what the phone has reported and logged since its last screen, once it is over.

        Nothing is waited for. Where its log could not be read, the crashes are those that Android
        has kept.
        """
        self.read(decided, late=True)
        began = self._seen[0]
        if self.is_logged or began is None:
            return
        kept = kept_crashes_of(self._device, began)
        if kept is None:
            return
        self.is_logged = True
        known = {(crash.package, crash.error) for _, crash in self.crashes}
        for moment, crash in kept:
            if (crash.package, crash.error) not in known and decided:
                step = sum(seen is not None and seen < moment for seen in self._seen)
                step = min(max(step, 1), decided)
                self.crashes.append((step, crash))
                self._recorder.log([crash], (), step=step)


def cut(text: str) -> str:
    """Cut the middle out of a long text: a notice quotes a model, a line of the log an app."""
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}"
