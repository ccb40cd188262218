"""Noise: a device around a device, with the same protocol, that gets in the agent's way.

`Noisy` shows pop-ups and ads over the screens of another device, and tampers with actions. The
phone itself is as it was: noise is drawn, and what touches it never reaches the phone. `schedule`
says when noise comes; `shown` is one piece of it, while it is on the screen.
"""

from __future__ import annotations

import contextlib
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Wait
from pytest_mobileagent.device.device import Capture, PageDevice, kept_crashes_of, log_of
from pytest_mobileagent.device.wrappers.noise.schedule import NoiseSettings, Schedule
from pytest_mobileagent.device.wrappers.noise.shown import Shown
from pytest_mobileagent.episode.observation import Noise
from pytest_mobileagent.errors import DeviceError, NoEdgeError, TaskError
from pytest_mobileagent.jsonable import decimal_number
from pytest_mobileagent.noise.cover import look_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.episode.event import Event
    from pytest_mobileagent.episode.log import Crash, LogLine
    from pytest_mobileagent.episode.observation import DeviceInfo, Reaction
    from pytest_mobileagent.noise.template import Template
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.task.task import Probe

_MIRRORED = ("ar", "fa", "he", "iw", "ur")  # languages that are written from right to left
_FONT_SCALE = "settings get system font_scale"


@dataclass(slots=True)
class _Tampered:
    """An action that was not executed, or is still to be: what a good agent does then is known."""

    kind: str
    number: int  # of the noise
    action: Action
    is_due: bool = False  # delayed, and not done yet


class Noisy:
    """A device with noise (see `Device`), for one episode; the other device stays as it is.

    `first` is the screen on which the episode begins, which has no noise. `tampers` says whether
    actions may be tampered with, too.

    Raises:
        DeviceError: the device does not answer.
        HostError: noise cannot be drawn on this machine.
    """

    def __init__(
        self,
        device: Device,
        settings: NoiseSettings,
        seed: int,
        language: str,
        first: Screen,
        *,
        tampers: bool = True,
    ) -> None:
        self._device, self._tampers = device, tampers
        self._schedule = Schedule(settings, seed, language)
        self._font_scale = _font_scale(device.system)
        self._last = first  # the phone's own
        self._actions = self._noises = self._given = 0
        self._coming: Template | None = None
        self._shown: Shown | None = None
        self._away: str | None = None  # the app from which an ad has led to the phone's browser
        self._tampered: _Tampered | None = None
        self._met: Noise | None = None
        self._has_looked = True

    @property
    def info(self) -> DeviceInfo:
        """What is known of the device."""
        return self._device.info

    @property
    def system(self) -> System | None:
        """The system behind the screen, which noise does not touch."""
        return self._device.system

    @property
    def is_covered(self) -> bool:
        """Whether noise lay over the screen when it was last observed, and takes actions."""
        return self._shown is not None and self._shown.template.kind != "toast"

    @property
    def noises(self) -> int:
        """How often noise has come so far, met or not."""
        return self._noises

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Look at the screen, and at the noise on it; the probes read the phone itself."""
        if self._has_looked:
            self._do_late()
        self._has_looked = True
        capture = self._device.observe(probes)
        screen = self._last = capture.screen
        if self._away is not None and screen.package == self._away:
            self._away = None
            if self._met is not None and not self._met.reaction:  # not the tap that led there
                self._react("recovered")
        if self._coming is not None:
            self._appear(self._coming, screen)
        if self._shown is None:
            return capture
        if self._shown.look.package != screen.package:  # it was left behind with its app
            self._shown = None
            self._react("left")
            return capture
        return replace(capture, screen=self._shown.over(screen))

    def perform(self, action: Action) -> None:
        """Do an action, or have noise take it."""
        self._actions += 1
        self._has_looked = False
        place, self._given = self._given, self._given + 1
        if self._coming is not None:  # several actions in one decision: nobody has seen it yet
            self._appear(self._coming, self._last)
        if self._shown is not None:
            self._meet(self._shown, action, place)
        elif self._tampered is not None:
            self._after(self._tampered, action)
        else:
            self._draw(action, place)

    def noise(self) -> Noise | None:
        """Return the noise that the agent has met since the last call (see `NoiseMaker`)."""
        met, self._met, self._given = self._met, None, 0
        return met

    def events(self) -> tuple[Event, ...]:
        """Return what happened on the device since the last call."""
        return self._device.events()

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        """Return the lines of the device's log since the last call; None if it cannot be read."""
        return log_of(self._device, late=late)

    def kept_crashes(self, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
        """Return the crashes that the device has kept since a moment; None if nobody can tell."""
        return kept_crashes_of(self._device, since)

    def close(self) -> None:
        """Disconnect from the device and leave it as it is."""
        self._device.close()

    def _draw(self, action: Action, place: int) -> None:
        """Do an action with whatever noise comes with it."""
        drawn = None
        if self._away is None and self._met is None:
            drawn = self._schedule.at(self._actions)
        if self._away is not None:
            self._met = self._met or Noise("redirect-ad", self._noises, self._name)
        if isinstance(drawn, str) and (isinstance(action, Wait) or not self._tampers):
            drawn = None
        match drawn:
            case "unexecuted" | "delayed":
                self._noises += 1
                is_due = drawn == "delayed"
                self._tampered = _Tampered(drawn, self._noises, action, is_due)
                lost = () if is_due else (place,)
                self._met = Noise(drawn, self._noises, swallowed=lost)
            case "repeated":
                self._noises += 1
                self._device.perform(action)
                self._device.observe()  # the second comes when the first has had its effect
                with contextlib.suppress(NoEdgeError):
                    self._device.perform(action)
                self._met = Noise(drawn, self._noises)
            case _:
                self._device.perform(action)
                self._coming = None if isinstance(drawn, str) else drawn

    def _appear(self, template: Template, screen: Screen) -> None:
        self._coming = None
        self._noises += 1
        self._name = template.name
        info = self._device.info
        look = look_of(
            screen,
            density=info.density,
            font_scale=self._font_scale,
            mirrored=info.locale.lower().startswith(_MIRRORED),
        )
        self._shown = Shown(template, look)

    def _meet(self, shown: Shown, action: Action, place: int) -> None:
        """Have the agent do an action while noise is on the screen."""
        effect, template = shown.meet(action), shown.template
        if effect.passes:
            self._device.perform(action)
        if effect.is_gone:
            self._shown = None
        if effect.leads_away and template.kind == "redirect-ad" and self._browse(template.url):
            self._shown, self._away = None, shown.look.package
        lost = (*(self._met.swallowed if self._met else ()), *(() if effect.passes else (place,)))
        reaction = effect.reaction or (self._met.reaction if self._met else "")
        self._met = Noise(template.kind, self._noises, template.name, reaction, lost)

    def _browse(self, url: str) -> bool:
        """Open a page in the browser of a live phone; return whether it has one."""
        if (system := self._device.system) is None:
            return False
        view = "am start -a android.intent.action.VIEW -c android.intent.category.BROWSABLE"
        said = _said(system, f"{view} -d {shlex.quote(url)}")
        return "Starting" in said and "Error" not in said

    def _after(self, tampered: _Tampered, action: Action) -> None:
        """Have the agent do an action after one that was tampered with."""
        self._tampered = None
        self._do_late(tampered)
        self._device.perform(action)
        is_wait = isinstance(action, Wait)
        reaction: Reaction = "waited" if is_wait and tampered.kind == "delayed" else ""
        if tampered.kind == "unexecuted" and _is_same(action, tampered.action, self._last):
            reaction = "recovered"
        self._met = Noise(tampered.kind, tampered.number, reaction=reaction)

    def _do_late(self, tampered: _Tampered | None = None) -> None:
        """Do the action that was delayed, if there is one."""
        late = tampered or self._tampered
        if late is not None and late.is_due:
            late.is_due = False
            with contextlib.suppress(NoEdgeError):  # of which nobody waits to hear
                self._device.perform(late.action)

    def _react(self, reaction: Reaction) -> None:
        if self._met is not None:
            self._met = replace(self._met, reaction=reaction)


class NoisyPages(Noisy):
    """Recorded pages with noise (see `PageDevice`)."""

    def show(self, page: str) -> None:
        """Show a page by its id; as with an action, noise may come with it."""
        assert isinstance(self._device, PageDevice)
        self._device.show(page)
        self._actions += 1
        drawn = self._schedule.at(self._actions)
        if self._shown is None and not isinstance(drawn, str):
            self._coming = drawn
        elif self._shown is not None and not self.is_covered:
            self._shown = None  # a toast


def with_noise(
    device: Device,
    settings: NoiseSettings,
    seed: int,
    language: str,
    first: Screen,
    *,
    tampers: bool = True,
) -> Noisy:
    """Return a device with noise (see `Noisy`)."""
    kind = NoisyPages if isinstance(device, PageDevice) else Noisy
    return kind(device, settings, seed, language, first, tampers=tampers)


def _font_scale(system: System | None) -> float:
    """Return by how much a phone enlarges texts; 1 where it does not say."""
    if system is None:
        return 1.0
    scale = decimal_number(_said(system, _FONT_SCALE).strip())
    return scale if scale is not None and 0.5 <= scale <= 3 else 1.0


def _said(system: System, script: str) -> str:
    """Return what a script wrote; nothing where there is no shell, as with recorded pages."""
    try:
        return system.shell(script)
    except (DeviceError, TaskError):
        return ""


def _is_same(action: Action, other: Action, screen: Screen) -> bool:
    """Whether two actions are the same, or touches of the same element."""
    if action == other:
        return True
    points = [(getattr(each, "x", None), getattr(each, "y", None)) for each in (action, other)]
    if type(action) is not type(other) or None in points[0] + points[1]:
        return False
    with contextlib.suppress(IndexError, TypeError):
        first, second = (screen.at(*point)[0] for point in points)  # type: ignore[arg-type]
        return first.bounds == second.bounds and first.class_name == second.class_name
    return False


__all__ = ["NoiseSettings", "Noisy", "with_noise"]
