"""Phones for rollouts, which are leased together by one process."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.single import leased_devices
from pytest_mobileagent.device.sources import parse_device
from pytest_mobileagent.plugin.settings import this_project

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from pytest_mobileagent.device.device import Device
    from pytest_mobileagent.device.fleet.slots import LeasedDevice

SIZE = (720, 1600)  # a screenshot of this size is drawn three times as fast as a Pixel's


@dataclass(slots=True)
class RolloutPhone:
    """A leased phone.

    `folder` is removed when the phone ends, or this process is killed. `clock` is the time at which
    episodes begin, None for the present.
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
    - `clock`: the time at which virtual phones boot and each episode begins; apps create their
      first data relative to it.

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
