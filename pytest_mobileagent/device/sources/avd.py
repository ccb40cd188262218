"""Emulators of one AVD, which the run starts and ends, and the Android SDK that has them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.device.fleet.programs import python_program
from pytest_mobileagent.device.sources import ProgramSlots, Source, Started
from pytest_mobileagent.errors import HostError, MobileAgentError
from pytest_mobileagent.processes import without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pytest_mobileagent.device.device import Address, DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun


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
        flags, limit = options.emulator_flags, options.boot_limit
        avd = Avd(find_sdk().emulator, self.text, options.gpu, flags, limit)
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


VARIABLES = ("ANDROID_HOME", "ANDROID_SDK_ROOT")
USUAL = (
    "~/Android/Sdk", "~/Library/Android/sdk", "~/android-sdk", "/opt/android-sdk",
    "/opt/android/sdk", "/usr/local/lib/android/sdk", "/usr/lib/android-sdk",
)  # fmt: skip
_LIST_SECONDS = 60.0


class SdkError(HostError):
    """The SDK is missing or incomplete; the message says how to fix that."""


@dataclass(frozen=True, slots=True)
class Sdk:
    """An Android SDK in a folder."""

    root: Path

    @property
    def emulator(self) -> Path:
        """The path of the emulator's program."""
        return self.root / "emulator" / "emulator"

    def tool(self, name: str) -> Path:
        """Return the path of a command-line tool, in its latest version.

        Raises:
            SdkError: if the tool is not installed.
        """
        tools = self.root / "cmdline-tools"
        numbered = list(tools.glob("[0-9]*"))
        numbered.sort(key=lambda each: [*map(int, re.findall(r"\d+", each.name))], reverse=True)
        for folder in (tools / "latest", *numbered):
            if (path := folder / "bin" / name).is_file():
                return path
        fix = "install the Android command-line tools as cmdline-tools/latest in it"
        raise SdkError(f"the SDK at {self.root} has no {name}: {fix}")

    def avds(self) -> list[str]:
        """Return the names of the AVDs that the emulator knows.

        Raises:
            SdkError: if the emulator cannot be run.
        """
        try:
            listed = subprocess.run(
                [str(self.emulator), "-list-avds"],
                capture_output=True,
                text=True,
                env=without_keys(),
                check=False,
                timeout=_LIST_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SdkError(f"{self.emulator} -list-avds cannot be run: {error}") from error
        if listed.returncode != 0:
            said = (listed.stderr or listed.stdout).strip()
            raise SdkError(f"{self.emulator} -list-avds failed: {said}")
        # Newer emulators print messages before the names: "INFO    | Storing crashdata in: …".
        return [line for line in listed.stdout.split("\n") if re.fullmatch(r"[\w.-]+", line)]


def find_sdk(environment: Mapping[str, str] = os.environ, needs: str = "emulator") -> Sdk:
    """Return the SDK that ANDROID_HOME or ANDROID_SDK_ROOT names, or that is found otherwise.

    It is also looked for on the PATH and in the usual folders. It must contain a folder `needs`.

    Raises:
        SdkError: if no SDK was found, or the variable names a folder that is not an SDK.
    """
    for variable in VARIABLES:
        if given := environment.get(variable):
            with contextlib.suppress(RuntimeError):  # a user without a home folder
                given = str(Path(given).expanduser())
            folder = Path(given, needs)
            if folder.is_dir():
                return Sdk(Path(given))
            why = f"is not an SDK with {needs}: {folder} does not exist"
            raise SdkError(f"{variable}={given} {why}")
    for root in _candidates(environment):
        if (root / needs).is_dir():
            return Sdk(root)
    what = "no Android SDK" if needs == "emulator" else f"no Android SDK with {needs}"
    msg = (
        f"{what} ({VARIABLES[0]} is not set, `emulator` is not on the PATH, "
        f"and there is none at {', '.join(USUAL)}): set {VARIABLES[0]} to its folder"
    )
    raise SdkError(msg)


def check_avd(name: str, sdk: Sdk) -> None:
    """Check that an AVD exists and is complete.

    Raises:
        SdkError: if the AVD does not exist, or setup-avd has not finished it.
    """
    names = sdk.avds()
    if name not in names:
        known = f"there is no AVD {name!r} (existing AVDs: {', '.join(names) or 'none'})"
        create = "`python -m pytest_mobileagent setup-avd FILE.toml` (see docs/devices.md)"
        raise SdkError(f"{known}; create it with {create}")
    with contextlib.suppress(NoAvdFilesError):  # the emulator may look in other places, too
        if (avd_folder(name) / UNFINISHED).exists():
            why = "because setup-avd was killed: run it again"
            raise SdkError(f"the AVD {name!r} is incomplete, {why}")


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    for program, up in (("emulator", 2), ("sdkmanager", 4), ("adb", 2)):
        if found := shutil.which(program, path=environment.get("PATH", "")):
            yield Path(found).resolve().parents[up - 1]
    for usual in USUAL:
        with contextlib.suppress(RuntimeError):  # a user without a home folder
            yield Path(usual).expanduser()


UNFINISHED = "mobileagent-unfinished"  # a file in the folder of an AVD that is being created


class NoAvdFilesError(MobileAgentError):
    """The files of an AVD are not in any folder where the SDK's tools store them."""


def avd_folder(name: str) -> Path:
    """Return the folder with an AVD's content, which its ini file names.

    Raises:
        NoAvdFilesError: if the AVD has no ini file where the emulator looks for it.
    """
    homes = list(_homes())
    for home in homes:
        ini = home / f"{name}.ini"
        if ini.is_file():
            named = re.search(r"(?m)^\s*path\s*=\s*(.*?)\s*$", ini.read_text("utf-8", "replace"))
            return Path(named[1]) if named else home / f"{name}.avd"
    raise NoAvdFilesError(f"there is no {name}.ini in {' or '.join(str(home) for home in homes)}")


def configure(file: Path, wanted: Mapping[str, str]) -> None:
    """Set values in an ini file; other values are left unchanged."""
    lines = file.read_text("utf-8").splitlines()
    others = [line for line in lines if line.partition("=")[0].strip() not in wanted]
    added = [f"{name}={value}" for name, value in wanted.items()]
    file.write_text("\n".join([*others, *added]) + "\n", "utf-8")


def _homes() -> Iterator[Path]:
    """Yield the folders that may contain AVDs; those named by environment variables come first."""
    for variable, below in (
        ("ANDROID_AVD_HOME", "."),
        ("ANDROID_USER_HOME", "avd"),
        ("ANDROID_EMULATOR_HOME", "avd"),
        ("ANDROID_SDK_HOME", "avd"),
        ("ANDROID_SDK_HOME", ".android/avd"),
    ):
        if given := os.environ.get(variable):
            yield Path(given, below)
    yield Path.home() / ".android" / "avd"
