"""Phones for rollouts, which are leased together by one process, and what can be done on them.

The spaces of observations and actions are those of Gymnasium; screenshots can be arrays.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
from gymnasium import spaces

from pytest_mobileagent.action import Finish, Impossible, Key, KeyName, Open, Type, Wait, check
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.fleet.leases import leased_devices
from pytest_mobileagent.device.sources import parse_device
from pytest_mobileagent.plugin.settings import this_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent.action import Action
    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.leases import LeasedDevice
    from pytest_mobileagent.screen import Screen


SIZE = (720, 1600)  # a screenshot of this size is drawn three times as fast as a Pixel's


@dataclass(slots=True)
class RolloutPhone:
    """A leased phone.

    `folder` is removed when the phone ends or this process dies. Episodes begin at `clock`, or now.
    """

    lease: LeasedDevice
    folder: Path
    clock: datetime | None = None

    def device(self) -> Device:
        """Return the connected device; a new one after `give_up`.

        Raises:
            InfrastructureError: if no device is available.
        """
        return self.lease.get()

    def give_up(self) -> str:
        """Declare the device broken, and return why its program ended; empty if it did not."""
        return self.lease.give_up()


@contextmanager
def phones(
    count: int,
    device: str = "virtual",
    *,
    per_process: int = 8,
    apps: Iterable[Path] | None = None,
    size: tuple[int, int] | None = SIZE,
    clock: datetime | None = None,
) -> Iterator[list[RolloutPhone]]:
    """Yield `count` phones, which end with the context.

    - `device`: as for `--mobile-device`, such as "virtual", "avd:NAME" or "serial:A,B".
    - `per_process`: how many virtual phones share a process. When a phone is lost, the others of
      its process are, too; phones of one process can be forked (see `MobileEnv.fork`).
    - `apps`: folders of apps for virtual phones; by default, those of the project in the current
      folder. `size`: of the screens of virtual phones, in pixels; None for a Pixel's 1080x2400.
    - `clock`: when virtual phones boot and episodes begin; apps' first data are relative to it.

    Raises:
        ValueError: if the device is none, or has fewer phones.
        InfrastructureError: if a phone does not start.
        HostError: if this machine cannot provide the phones.
        SystemExit: if the project's apps are needed, and pytest cannot be configured.
    """
    project = None if apps is not None else this_project()
    source = parse_device(device, project.sources if project else {})
    if count < 1 or (source.count is not None and source.count < count):
        raise ValueError(f"phones({count}, {device!r}): there are {source.count or 'from 1'}")
    options = DeviceOptions(
        workers=count,
        apps=tuple(apps if project is None else project.apps),  # type: ignore[arg-type]
        clock=clock,
        log="off",
        per_program=max(1, min(per_process, count)),
        size=size,
    )
    source.check(options)
    with leased_devices(source, options, count) as (leases, folder):
        yield [RolloutPhone(each, folder, clock) for each in leases]


_WORDS: Final = ("milk", "12:30", "Ada", "yes")


class Plain(spaces.Space[Any]):
    """All texts (`str`), such as XML, or all PNG files (`bytes`), which are empty if unknown."""

    def __init__(self, kind: type[str | bytes]) -> None:
        super().__init__()
        self.kind = kind

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a word, or an empty picture."""
        return str(self.np_random.choice(_WORDS)) if self.kind is str else b""

    def contains(self, x: Any) -> bool:
        """Return whether a value is of the space's kind."""
        return isinstance(x, self.kind)


TEXT, PNG = Plain(str), Plain(bytes)


class Actions(spaces.Space[Any]):
    """The actions on a screen of a size in pixels (see `pytest_mobileagent.action`).

    With `words`, a model's reply as text is an action, too, which a dialect reads.
    """

    def __init__(
        self, size: tuple[int, int], apps: Sequence[str] = (), *, words: bool = False
    ) -> None:
        super().__init__()
        self.size, self.apps, self.words = size, tuple(apps), words

    def sample(self, mask: Any = None, probability: Any = None) -> Action:
        """Return a random action, each kind of which is as likely as any other."""
        dice = self.np_random
        (x, y), (to_x, to_y) = dice.integers(0, self.size, (2, 2)).tolist()
        text = str(dice.choice(_WORDS))
        kinds: list[Action] = [
            Tap(x, y), LongPress(x, y), Swipe(x, y, to_x, to_y),
            Scroll(("up", "down", "left", "right")[dice.integers(4)]), Type(text),
            Key(get_args(KeyName)[dice.integers(len(get_args(KeyName)))]),
            Wait(0.1), Finish(text), Impossible(),
            *(Open(str(app)) for app in self.apps and [dice.choice(self.apps)]),
        ]  # fmt: skip
        return kinds[dice.integers(len(kinds))]

    def contains(self, x: Any) -> bool:
        """Return whether a value is an action that fits the screen."""
        if isinstance(x, str):
            return self.words
        try:
            check(x, self.size)
        except (TypeError, ValueError, AttributeError):
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Actions) and self.size == other.size

    __hash__ = None  # type: ignore[assignment]


def pixels_of(screen: Screen, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Return a screenshot as an array of shape (height, width, 3), black if there is none.

    That of a screen that has been rotated is turned by a quarter to the left, so its shape fits.
    """
    if not screen.png:
        return np.zeros((size[1], size[0], 3), np.uint8)
    pixels = np.asarray(screen.image.convert("RGB"))
    return pixels if pixels.shape[:2] == (size[1], size[0]) else np.rot90(pixels)
