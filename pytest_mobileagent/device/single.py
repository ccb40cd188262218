"""Leases one device, chosen by name, for a command outside a run."""

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
    """What a project registers: apps for virtual phones, sources by prefix, its default device."""

    @property
    def apps(self) -> Sequence[Path]: ...  # noqa: D102
    @property
    def sources(self) -> Mapping[str, type[Source]]: ...  # noqa: D102
    @property
    def device(self) -> str: ...  # noqa: D102


def source_of(text: str, project: Callable[[], Project]) -> Source:
    """Parse `--device`, which is written like a run's `--mobile-device` but names one device.

    `project` is called only if the device's source may be registered by the project.

    Raises:
        ValueError: if the text names no source, or several devices.
    """
    prefix, colon, _ = text.partition(":")
    is_foreign = bool(colon) and prefix.isidentifier() and prefix not in built_in()
    source = parse_device(text, project().sources if is_foreign else {})
    if source.count is not None and source.count != 1:
        raise ValueError("must name one device")
    return source


@contextmanager
def leased_device(source: Source, options: DeviceOptions) -> Iterator[Device]:
    """Yield a leased device of a source (see `leased_devices`)."""
    with leased_devices(source, options, 1) as ([lease], _):
        yield lease.get()


@contextmanager
def leased_devices(
    source: Source, options: DeviceOptions, count: int
) -> Iterator[tuple[list[LeasedDevice], Path]]:
    """Yield leases of connected devices, and a folder for what is needed only as long as they are.

    The programs started for devices and the folder end with the context, or with this process if
    it is killed.

    Raises:
        HostError, InfrastructureError: if a device is not available.
        ValueError: if the driver cannot drive the devices.
    """
    choose_driver(options.driver, source.reached_by).check(source.reached_by, options)
    source.check(options)
    with ExitStack() as last, ExitStack() as stack:

        @cache
        def shared() -> SharedRun:
            run = SharedRun()
            last.callback(run.close)
            return run

        leases = lease_devices(source, options, shared, count)
        for each in leases:
            stack.callback(each.close)
        if count > 1:
            source.open(options, shared).prestart()
        for each in leases:  # in order, so that neighbours share a process
            each.get()
        yield leases, shared().memory()


def lease_devices(
    source: Source, options: DeviceOptions, shared: Callable[[], SharedRun], count: int
) -> list[LeasedDevice]:
    """Return objects that lease `count` of a source's devices; `shared` goes to `Source.open`.

    Raises:
        HostError: if this machine cannot provide the devices.
        ValueError: if the driver cannot drive the devices.
    """
    driver = choose_driver(options.driver, source.reached_by)
    slots = source.open(options, shared)

    def connect(address: AnyAddress) -> Device:
        shared().watch()  # even if no device needs it: it ends what agents start with the run
        return driver.connect(address, options, shared, slots.restart)

    return [LeasedDevice(slots, connect, options.recycle) for _ in range(count)]
