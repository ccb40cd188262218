"""Phones that the run starts and ends: virtual phones, and emulators of one AVD."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from filelock import FileLock

from pytest_mobileagent.device.fleet.programs import python_program, warm_program
from pytest_mobileagent.device.fleet.slots import PackedSlots, ProgramSlots, Started
from pytest_mobileagent.device.sdk import SdkError, check_avd, find_sdk
from pytest_mobileagent.device.sources import Source
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import MissingExtraError, check_extra
from pytest_mobileagent.processes import without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.device.device import Address, DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun

_EXTRA = ("virtual", "the virtual device")
_LISTING = "pytest_mobileagent.virtual.listing"
_PACKAGES = "packages.json"  # in the folder shared by the processes of a run
# The usual declaration of a package in the class of an app, on a separate line.
_PACKAGE = re.compile(
    rb"""^[ \t]+package(?:[ \t]*:[^=\n]*)?[ \t]*=[ \t]*["']([\w.]+)["'][ \t]*(?:#.*)?$""",
    re.MULTILINE,
)


class VirtualSource(Source):
    """Virtual phones, one for each worker, which are started on demand."""

    form = "virtual"
    help = "virtual phones that the run starts"
    how_to_install = (
        "name a folder with it in mobile_app_paths: your own (docs/apps.md), or fixtures/apps of a "
        "clone of this project, which has Android's usual apps"
    )
    is_virtual = True
    restores = True

    def __init__(self, text: str) -> None:
        if text:
            raise ValueError("must be just `virtual`: one phone is started for each worker (-n)")

    @property
    def shown(self) -> str:
        """The form, which has no variants."""
        return self.form

    def check(self, options: DeviceOptions) -> None:
        """Check that the extra for the virtual phone is installed."""
        try:
            check_extra(*_EXTRA)
        except MissingExtraError as error:
            raise ValueError(str(error)) from None

    def packages(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> Collection[str]:
        """Return the packages of the project's apps and of the phone itself."""
        return DeclaredApps(options.apps, shared)

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> ProgramSlots:
        return virtual_slots(shared(), options)


class DeclaredApps(Collection[str]):
    """The packages of virtual phones that have the apps in some folders.

    Most packages are found in the source code of the apps. For the others, the apps are loaded in a
    separate process, once per run; if that fails, these packages remain unknown.
    """

    def __init__(self, apps: Iterable[Path], shared: Callable[[], SharedRun]) -> None:
        self._folders = [str(folder) for folder in apps]
        self._shared = shared

    def __contains__(self, package: object) -> bool:
        return package in self._from_source or package in self._loaded

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)

    @cached_property
    def _from_source(self) -> frozenset[str]:
        files = (path for folder in self._folders for path in Path(folder).rglob("*.py"))
        found = (name for path in files for name in _PACKAGE.findall(path.read_bytes()))
        return frozenset(name.decode() for name in found)

    @cached_property
    def _loaded(self) -> frozenset[str]:
        with suppress(HostError, OSError):
            file = self._shared().folder / _PACKAGES
            with FileLock(file.with_suffix(".lock")):
                if not file.exists():
                    command = python_program(_LISTING, *self._folders)
                    listed = subprocess.run(
                        command,
                        stdin=subprocess.DEVNULL,
                        capture_output=True,
                        env=without_keys(),
                        check=False,
                    )
                    file.write_bytes(listed.stdout or b"[]")
                return frozenset(json.loads(file.read_bytes()))
        return frozenset()


def virtual_slots(run: SharedRun, options: DeviceOptions) -> ProgramSlots:
    """Return slots for virtual phones.

    With a clock, the phones boot at that time, and in its zone if it names one: apps create their
    first data relative to it.

    Raises:
        MissingExtraError: if the extra for the virtual device is not installed.
    """
    check_extra(*_EXTRA)
    folders = [word for folder in options.apps for word in ("--apps", str(folder))]
    words = ["--port", "0", "--adb-server-port", "{adb}", *folders]
    if options.size:
        words += ["--size", "{}x{}".format(*options.size)]
    if clock := options.clock:
        words += ["--time", clock.isoformat()]
        if isinstance(clock.tzinfo, ZoneInfo):
            words += ["--prop", f"persist.sys.timezone={clock.tzinfo.key}"]
    warm = warm_program("pytest_mobileagent.virtual.main", *folders)
    if options.per_program > 1:
        return PackedSlots(run, options.workers, words, options.per_program, warm=warm)
    return ProgramSlots(run, options.workers, words, warm=warm)


class AvdSource(Source):
    """Emulators of an AVD, one for each worker, which are started on demand."""

    form = "avd:NAME"
    help = "emulators of an AVD that the run starts"
    how_to_install = "install it in the AVD and save a snapshot with it"

    def __init__(self, text: str) -> None:
        if not re.fullmatch(r"[\w.-]+", text) or text.startswith("-"):
            msg = "must be `avd:NAME`, with the name of an AVD that `emulator -list-avds` lists"
            raise ValueError(msg)
        super().__init__(text)

    def check(self, options: DeviceOptions) -> None:
        """Check that the SDK and the AVD exist."""
        try:
            check_avd(self.text, find_sdk())
        except SdkError as error:
            raise ValueError(str(error)) from None

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> AvdSlots:
        avd = Avd(
            find_sdk().emulator,
            self.text,
            gpu=options.gpu,
            flags=options.emulator_flags,
            boot_limit=options.boot_limit,
        )
        return AvdSlots(shared(), options.workers, avd)


@dataclass(frozen=True, slots=True)
class Avd:
    """An AVD, and how to start it.

    `program` is the SDK's emulator, and `gpu` a key of `emulator.GPU`. `flags` are passed to the
    emulator unchanged. `boot_limit` is in seconds. A `writable` emulator can save snapshots, but
    must be the only emulator of its AVD.
    """

    program: Path
    name: str
    gpu: str = "software"
    flags: tuple[str, ...] = ()
    boot_limit: float = 300.0
    writable: bool = False

    def command(self, snapshot: str | None = None) -> list[str]:
        """Return the command of the program that starts and ends the emulator."""
        from pytest_mobileagent.device import emulator  # it takes 50 ms to import

        options = ["--emulator", str(self.program), "--avd", self.name, "--gpu", self.gpu]
        options += ["--adb-server-port", "{adb}", "--boot-limit", str(self.boot_limit)]
        options += ["--snapshot", snapshot] if snapshot else []
        options += ["--writable"] if self.writable else []
        return python_program(emulator.__name__, *options, "--", *self.flags)


class AvdSlots(ProgramSlots):
    """Slots for emulators of an AVD.

    The emulators are read-only because they share the AVD. A read-only emulator refuses to load a
    snapshot while it runs, so it is replaced by one that is started from the snapshot.
    """

    def __init__(self, run: SharedRun, count: int, avd: Avd) -> None:
        from pytest_mobileagent.device import emulator  # it takes 50 ms to import

        super().__init__(
            run,
            count,
            avd.command(),
            home=str(Path.home()),  # see `emulator`
            seconds=avd.boot_limit + 120,  # later than the program's own limit, which explains why
            grace=emulator.GRACE_SECONDS,
        )
        self._avd = avd
        self._slots: dict[str, int] = {}  # by the serials of the running emulators
        self._untouched: dict[str, str] = {}  # the snapshots of unused emulators, by serial
        self.restart = self._restart

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Return the address of the slot's emulator, started from its default snapshot or cold."""
        started = self._begin(slot, self.command, fresh=fresh)
        if started.record["fresh"]:
            self._untouched[started.address.serial] = started.record["snapshot"]
        return started.address

    def _restart(self, address: Address, snapshot: str) -> tuple[Address, bool]:
        """Replace an emulator by one started from a snapshot, and return the new address.

        Also return whether the snapshot was loaded: an emulator that cannot load it boots silently.
        """
        if self._untouched.pop(address.serial, None) == snapshot:
            return address, True
        slot = self._slots.pop(address.serial)
        started = self._begin(slot, self._avd.command(snapshot), fresh=True)
        return started.address, started.record["snapshot"] == snapshot

    def _begin(self, slot: int, command: list[str], *, fresh: bool) -> Started:
        started = self.start(slot, command, fresh=fresh)
        self._slots[started.address.serial] = slot
        self._untouched.pop(started.address.serial, None)
        return started
