"""Virtual phones that the run starts and ends."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Collection
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from filelock import FileLock

from pytest_mobileagent.device.fleet.programs import python_program, warm_program
from pytest_mobileagent.device.sources import PackedSlots, ProgramSlots, Source
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.extras import MissingExtraError, check_extra
from pytest_mobileagent.processes import without_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_mobileagent.device.device import DeviceOptions
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
