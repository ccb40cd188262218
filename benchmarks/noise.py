"""Measures the time that noise adds to a step, while it is on the screen and while it is not."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))  # for what it shares with marks.py

from marks import busy_screen, show

from pytest_mobileagent import Wait
from pytest_mobileagent.device.noisy import NoiseSettings, NoisyDevice
from pytest_mobileagent.noise import NoiseChoice
from pytest_mobileagent.noise.template import load
from pytest_mobileagent.perception import encode
from pytest_mobileagent.screen import Screen
from pytest_mobileagent.testing import FakePhone

if TYPE_CHECKING:
    from pytest_mobileagent.noise.template import Template

TEMPLATES = load()
SHOWN = ("en-garden-week", "zh-vip-trial", "en-update-new", "en-login-sheet", "en-splash-cola")


@dataclass
class Planned:
    """A schedule with noise at the first action only."""

    template: Template | None

    def at(self, number: int) -> Template | None:
        """Return the noise that comes with an action."""
        return self.template if number == 1 else None


def noisy(screens: list[Screen], template: Template | None) -> NoisyDevice:
    """Return a phone in memory with noise, which shows a different screen after each action."""
    phone = FakePhone(screens)
    made = NoisyDevice(phone, NoiseSettings(NoiseChoice(1), TEMPLATES), 1, "en", screens[0])
    made._schedule = Planned(template)  # type: ignore[assignment]
    return made


def step(phone: NoisyDevice) -> None:
    """Perform the device's part of a step; screens change, so each one is drawn again."""
    phone.perform(Wait(0))
    phone.observe()
    phone.noise()


def milliseconds(phone: NoisyDevice, repeats: int = 25) -> list[float]:
    """Return the processor time of several steps, with drawing in one thread."""
    step(phone)
    values = []
    for _ in range(repeats):
        before = time.process_time()
        step(phone)
        values.append(1000 * (time.process_time() - before))
    return values


def main() -> None:
    """Measure."""
    busy = busy_screen()
    screens = []
    for shade in range(40):
        image = busy.image.copy()
        image.paste((shade, 0, 0), (0, 0, 50, 50))
        screens.append(Screen(busy.xml, encode(image), "com.example", time=busy.time))
    show("a step without noise on the screen", milliseconds(noisy(screens, None)))
    by_name = {each.name: each for each in TEMPLATES}
    for name in SHOWN:
        template = by_name[name]
        fresh = [Screen(each.xml, each.png, each.package, time=each.time) for each in screens]
        show(f"a step with {name} ({template.shape})", milliseconds(noisy(fresh, template)))


if __name__ == "__main__":
    main()
