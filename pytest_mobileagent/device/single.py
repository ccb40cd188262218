"""One device for a command outside of a run: chosen by name, leased, and released again."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol

from pytest_mobileagent.device.drivers import choose_driver
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.fleet.slots import LeasedDevice
from pytest_mobileagent.device.sources import built_in, parse_device

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.device.device import AnyAddress, Device, DeviceOptions
    from pytest_mobileagent.device.sources import Source


class Project(Protocol):
    """What a project registers: apps for virtual phones, sources by prefix, its usual device."""

    @property
    def apps(self) -> Sequence[Path]: ...  # noqa: D102
    @property
    def sources(self) -> Mapping[str, type[Source]]: ...  # noqa: D102
    @property
    def device(self) -> str: ...  # noqa: D102


def source_of(text: str, project: Callable[[], Project]) -> Source:
    """Read `--device`, which is as a run's `--mobile-device`, but one device.

    `project` is asked only if the device needs what a project registers.

    Raises:
        ValueError: it names none, or several.
    """
    prefix, colon, _ = text.partition(":")
    is_foreign = bool(colon) and prefix.isidentifier() and prefix not in built_in()
    source = parse_device(text, project().sources if is_foreign else {})
    if source.count is not None and source.count != 1:
        msg = "has to be one device"
        raise ValueError(msg)
    return source


@contextmanager
def leased_device(source: Source, options: DeviceOptions) -> Iterator[Device]:
    """Lease a device of a source, and start what it needs; end that at the end.

    Raises:
        HostError, InfrastructureError: it cannot be had.
        ValueError: the driver cannot drive it.
    """
    choose_driver(options.driver, source.reached_by).check(source.reached_by, options)
    source.check(options)
    with ExitStack() as last, ExitStack() as stack:

        @cache
        def shared() -> SharedRun:
            run = SharedRun()
            last.callback(run.close)
            return run

        lease = lease_device(source, options, shared)
        stack.callback(lease.close)
        yield lease.get()


def lease_device(
    source: Source, options: DeviceOptions, shared: Callable[[], SharedRun]
) -> LeasedDevice:
    """Return the means to lease one of the devices of a source; `shared` is as in `Source.open`.

    Raises:
        HostError: this machine cannot have them.
        ValueError: the driver cannot drive them.
    """
    driver = choose_driver(options.driver, source.reached_by)
    slots = source.open(options, shared)

    def connect(address: AnyAddress) -> Device:
        shared().watch()  # also where no device needs it: what agents start ends with the run
        return driver.connect(address, options, shared, slots.restart)

    return LeasedDevice(slots, connect, options.recycle)
