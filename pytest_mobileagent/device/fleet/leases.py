"""Leases of devices: for the workers of a run, and for a command outside a run.

A leased device is connected on first use, and replaced when it breaks. A process uses one device;
its lease ends with the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_mobileagent.device.drivers import choose_driver
from pytest_mobileagent.device.fleet.shared import SharedRun, open_lock
from pytest_mobileagent.device.sources import built_in, parse_device
from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_mobileagent.device.device import AnyAddress, Device, DeviceOptions
    from pytest_mobileagent.device.sources import Slots, Source

_LEASE_SECONDS = 120.0


class Lease(NamedTuple):
    """The exclusive right to use a slot's device; the operating system ends it with the process."""

    slot: int
    lock: int  # a descriptor of the lock file

    def release(self) -> None:
        """Make the device available to other processes."""
        os.close(self.lock)


def lease(slots: Slots, seconds: float = _LEASE_SECONDS, avoid: int | None = None) -> Lease:
    """Lease a free device, waiting up to `seconds` for one.

    The slot to `avoid`, whose device broke, is chosen only if no other slot is free.

    Raises:
        InfrastructureError: if no device became free.
    """
    deadline = time.monotonic() + seconds
    while True:
        paths = slots.locks
        for slot in sorted(range(len(paths)), key=lambda slot: slot == avoid):
            lock = open_lock(Path(paths[slot]))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                continue
            return Lease(slot, lock)
        if time.monotonic() > deadline:
            msg = f"all {len(paths)} devices are in use; none became free within {seconds:g} s"
            raise InfrastructureError(msg)
        time.sleep(0.05)


class LeasedDevice:
    """Leases a device from slots on first use, and holds it until closed.

    `connect` connects to the device at an address. A device that broke is replaced: by a new one if
    the slots renew their devices, otherwise by another free device. A device is also replaced after
    `recycle` uses, because emulators become unreliable after some dozens of restores.
    """

    def __init__(self, slots: Slots, connect: Callable[[AnyAddress], Device], recycle: int) -> None:
        self._slots = slots
        self._connect = connect
        self._recycle = recycle
        self._lease: Lease | None = None
        self._device: Device | None = None
        self._uses = 0
        self._broken: int | None = None  # the slot of the device that broke or is worn out
        self._address: AnyAddress | None = None  # the last address of the device

    def get(self) -> Device:
        """Return the device, leased and connected.

        Raises:
            InfrastructureError: if no device is available, or it does not answer.
        """
        is_worn = self._slots.wears and self._uses >= self._recycle
        if self._slots.renews and is_worn and self._lease is not None:
            self._disconnect()
            self._broken = self._lease.slot
        if self._lease is None:
            self._lease = lease(self._slots, avoid=self._broken)
        if self._device is None:
            slot = self._lease.slot
            self._address = self._slots.address(slot, fresh=self._broken == slot)
            self._device = self._connect(self._address)
            self._broken, self._uses = None, 0
        self._uses += 1
        return self._device

    def give_up(self) -> str:
        """Declare the device broken: the next `get` returns another one.

        Returns:
            Why its program ended by itself, to append to an error message; empty if it did not.
        """
        self._disconnect()
        if self._lease is None:
            return ""
        self._broken = self._lease.slot
        ended = ""
        with contextlib.suppress(InfrastructureError):
            ended = self._slots.ended(self._lease.slot)
        if not self._slots.renews:
            self._release()
        return ended and f"; its program {ended}"

    def has_lost_server(self) -> bool:
        """Return whether the server through which the device was reached is gone."""
        return self._address is not None and not self._slots.serves(self._address)

    def close(self) -> None:
        """Disconnect from the device and release the lease."""
        self._disconnect()
        self._release()

    def _disconnect(self) -> None:
        if self._device is not None:
            self._device.close()
            self._device = None

    def _release(self) -> None:
        if self._lease is not None:
            self._lease.release()
            self._lease = None


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

    The programs started for devices and the folder end with the context, or with this process.

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
