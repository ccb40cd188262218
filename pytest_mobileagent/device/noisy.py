"""A device with noise: it wraps another device, and decides when noise appears.

It draws pop-ups and ads over the screens of the wrapped device (`pytest_mobileagent.noise` defines
what they look like), and tampers with actions. The phone itself is unchanged: noise is only drawn,
and actions on the noise never reach the phone.

When noise appears, and which, is chosen at random for each action. The choice for the n-th action
depends only on n and the seed of the case, so it is the same on every phone, in every worker and
attempt, and for every agent.
"""

from __future__ import annotations

import contextlib
import random
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Wait
from pytest_mobileagent.device.device import Capture, PageDevice, log_of, stored_crashes_of
from pytest_mobileagent.episode.observation import Noise
from pytest_mobileagent.errors import DeviceError, NoEdgeError, TaskError
from pytest_mobileagent.jsonable import decimal_number
from pytest_mobileagent.noise import ACTIONS, PASSING
from pytest_mobileagent.noise.cover import Overlay, check_fonts, look_of
from pytest_mobileagent.noise.injection import KIND

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pytest_mobileagent._task import Probe
    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Device, System
    from pytest_mobileagent.episode.event import Crash, Event, LogLine
    from pytest_mobileagent.episode.observation import DeviceInfo, Reaction
    from pytest_mobileagent.noise import NoiseChoice
    from pytest_mobileagent.noise.template import Template
    from pytest_mobileagent.screen import Screen


@dataclass(frozen=True, slots=True)
class NoiseSettings:
    """The noise settings of a run: how often, which kinds, and all available templates."""

    choice: NoiseChoice
    templates: tuple[Template, ...]


class Schedule:
    """The noise of one episode. Templates in the task's language are preferred, then English ones.

    Raises:
        HostError: if a template cannot be drawn on this machine.
    """

    def __init__(self, settings: NoiseSettings, seed: int, language: str) -> None:
        self._choice, self._seed = settings.choice, seed
        self._templates = {
            kind: _of(kind, language, settings.templates)
            for kind in settings.choice.kinds
            if kind not in ACTIONS
        }
        check_fonts(each for found in self._templates.values() for each in found)

    def at(self, number: int) -> Template | str | None:
        """Return the noise of the n-th action: a template, one of `ACTIONS`, or None."""
        dice = random.Random(f"noise {self._seed} {number}")
        if dice.random() >= self._choice.rate:
            return None
        kind = dice.choice(self._choice.kinds)
        return kind if kind in ACTIONS else dice.choice(self._templates[kind])


def _of(kind: str, language: str, templates: Sequence[Template]) -> list[Template]:
    """Return the templates of a kind in a language, or else in English, or else in any language."""
    each = sorted((t for t in templates if t.kind == kind), key=lambda t: t.name)
    if kind == KIND:  # whoever gives orders need not know the user's language
        return each
    for wanted in (language, "en"):
        if found := [template for template in each if template.language == wanted]:
            return found
    return each


_MIRRORED = ("ar", "fa", "he", "iw", "ur")  # languages written from right to left
_FONT_SCALE = "settings get system font_scale"


@dataclass(slots=True)
class _Tampered:
    """An action that was not executed, or not yet: the agent's next action shows how it reacts."""

    kind: str
    number: int  # of the noise
    action: Action
    is_due: bool = False  # delayed, and not performed yet


class NoisyDevice:
    """A device with noise, for one episode (see `Device`); the wrapped device stays as it is.

    `first` is the screen at the start of the episode, which has no noise. `tampers` says whether
    actions may be tampered with as well.

    Raises:
        DeviceError: if the device does not answer.
        HostError: if noise cannot be drawn on this machine.
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
        self._last = first  # the phone's last screen, without noise
        self._actions = self._noises = 0
        self._position = 0  # of the next action among those since the last call of `noise`
        self._coming: Template | None = None  # to be shown with the next screen
        self._overlay: Overlay | None = None
        self._away: str | None = None  # the app that an ad has left for the phone's browser
        self._tampered: _Tampered | None = None
        self._met: Noise | None = None
        self._order: Noise | None = None  # the injection on the screen before the next decision
        self._has_looked = True

    @property
    def info(self) -> DeviceInfo:
        return self._device.info

    @property
    def system(self) -> System | None:
        """The system behind the screen, which noise does not affect."""
        return self._device.system

    @property
    def is_covered(self) -> bool:
        return self._overlay is not None and self._overlay.template.kind not in PASSING

    @property
    def noises(self) -> int:
        return self._noises

    def observe(self, probes: Mapping[str, Probe] | None = None) -> Capture:
        """Observe the screen with the noise on it, and read the probes from the phone itself."""
        if self._has_looked:
            self._do_late()
        self._has_looked = True
        capture = self._device.observe(probes)
        screen = self._last = capture.screen
        if self._away is not None and screen.package == self._away:
            self._away = None
            if self._met is not None and not self._met.reaction:  # not the tap that opened it
                self._react("recovered")
        if self._coming is not None:
            self._appear(self._coming, screen)
        if self._overlay is None:
            return capture
        if self._overlay.look.package != screen.package:  # the agent has left the noise's app
            self._overlay = None
            self._react("left")
            return capture
        return replace(capture, screen=self._overlay.over(screen))

    def perform(self, action: Action) -> None:
        """Perform an action on the device, or on the noise that covers it."""
        self._actions += 1
        self._has_looked = False
        place, self._position = self._position, self._position + 1
        # If several actions are one decision, nobody reads an order between them: it comes later.
        if self._coming is not None and not self._coming.order:
            self._appear(self._coming, self._last)
        if self._overlay is not None:
            self._perform_on_overlay(self._overlay, action, place)
        elif self._tampered is not None:
            self._perform_after(self._tampered, action)
        else:
            self._perform_scheduled(action, place)

    def noise(self) -> Noise | None:
        met, self._met, self._position = self._met or self._order, None, 0
        overlay = self._overlay
        is_order = overlay is not None and overlay.template.order
        self._order = self._noise_of(overlay.template) if overlay and is_order else None
        return met

    def events(self) -> tuple[Event, ...]:
        return self._device.events()

    def log(self, *, late: bool = False) -> tuple[LogLine, ...] | None:
        return log_of(self._device, late=late)

    def stored_crashes(self, since: datetime) -> Sequence[tuple[datetime, Crash]] | None:
        return stored_crashes_of(self._device, since)

    def close(self) -> None:
        self._device.close()

    def _perform_scheduled(self, action: Action, place: int) -> None:
        """Perform an action, together with the noise that the schedule has for it."""
        is_free = self._away is None and self._met is None
        drawn = self._schedule.at(self._actions) if is_free else None
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
                self._device.observe()  # repeat it once its effect is visible
                with contextlib.suppress(NoEdgeError):
                    self._device.perform(action)
                self._met = Noise(drawn, self._noises)
            case _:
                self._device.perform(action)
                self._coming = self._coming or (None if isinstance(drawn, str) else drawn)

    def _appear(self, template: Template, screen: Screen) -> None:
        self._coming = None
        self._noises += 1
        self._name = template.name
        info, scale = self._device.info, self._font_scale
        mirrored = info.locale.lower().startswith(_MIRRORED)
        look = look_of(screen, density=info.density, font_scale=scale, mirrored=mirrored)
        self._overlay = Overlay(template, look)

    def _perform_on_overlay(self, overlay: Overlay, action: Action, place: int) -> None:
        """Perform an action while noise is on the screen."""
        effect, template = overlay.handle(action), overlay.template
        if effect.passes:
            self._device.perform(action)
        if effect.is_gone:
            self._overlay = None
        if effect.leads_away and template.kind == "redirect-ad" and self._browse(template.url):
            self._overlay, self._away = None, overlay.look.package
        lost = (*(self._met.swallowed if self._met else ()), *(() if effect.passes else (place,)))
        reaction = effect.reaction or (self._met.reaction if self._met else "")
        self._met = replace(self._noise_of(template), reaction=reaction, swallowed=lost)

    def _noise_of(self, template: Template) -> Noise:
        return Noise(template.kind, self._noises, template.name, order=template.order)

    def _browse(self, url: str) -> bool:
        """Open a page in the browser of a live phone; return whether that worked."""
        if (system := self._device.system) is None:
            return False
        view = "am start -a android.intent.action.VIEW -c android.intent.category.BROWSABLE"
        output = _shell_output(system, f"{view} -d {shlex.quote(url)}")
        return "Starting" in output and "Error" not in output

    def _perform_after(self, tampered: _Tampered, action: Action) -> None:
        """Perform the action that follows a tampered one, and note how the agent reacted."""
        self._tampered = None
        self._do_late(tampered)
        self._device.perform(action)
        is_wait = isinstance(action, Wait)
        reaction: Reaction = "waited" if is_wait and tampered.kind == "delayed" else ""
        if tampered.kind == "unexecuted" and _is_same(action, tampered.action, self._last):
            reaction = "recovered"
        self._met = Noise(tampered.kind, tampered.number, reaction=reaction)

    def _do_late(self, tampered: _Tampered | None = None) -> None:
        """Perform the delayed action, if there is one."""
        late = tampered or self._tampered
        if late is not None and late.is_due:
            late.is_due = False
            with contextlib.suppress(NoEdgeError):  # the agent's call has returned long ago
                self._device.perform(late.action)

    def _react(self, reaction: Reaction) -> None:
        if self._met is not None:
            self._met = replace(self._met, reaction=reaction)


class NoisyPages(NoisyDevice):
    """Recorded pages with noise (see `PageDevice`)."""

    def show(self, page: str) -> None:
        """Show a page by its id; as with an action, noise may appear."""
        assert isinstance(self._device, PageDevice)
        self._device.show(page)
        self._actions += 1
        drawn = self._schedule.at(self._actions)
        if self._overlay is None and not isinstance(drawn, str):
            self._coming = drawn
        elif self._overlay is not None and not self.is_covered:
            self._overlay = None  # a toast or an injection


def with_noise(
    device: Device,
    settings: NoiseSettings,
    seed: int,
    language: str,
    first: Screen,
    *,
    tampers: bool = True,
) -> NoisyDevice:
    """Return a device that adds noise to another (see `NoisyDevice`)."""
    kind = NoisyPages if isinstance(device, PageDevice) else NoisyDevice
    return kind(device, settings, seed, language, first, tampers=tampers)


def _font_scale(system: System | None) -> float:
    """Return the phone's font scale; 1 if it is unknown."""
    if system is None:
        return 1.0
    scale = decimal_number(_shell_output(system, _FONT_SCALE).strip())
    return scale if scale is not None and 0.5 <= scale <= 3 else 1.0


def _shell_output(system: System, script: str) -> str:
    """Return the output of a script; empty if there is no shell, as with recorded pages."""
    try:
        return system.shell(script)
    except (DeviceError, TaskError):
        return ""


def _is_same(action: Action, other: Action, screen: Screen) -> bool:
    """Return whether two actions are the same, or touches of the same element."""
    if action == other:
        return True
    points = [(getattr(each, "x", None), getattr(each, "y", None)) for each in (action, other)]
    if type(action) is not type(other) or None in points[0] + points[1]:
        return False
    with contextlib.suppress(IndexError, TypeError):
        first, second = (screen.at(*point)[0] for point in points)  # type: ignore[arg-type]
        return first.bounds == second.bounds and first.class_name == second.class_name
    return False
