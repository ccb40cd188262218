"""Virtual phones of the run's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.device.fleet.program import warm_program
from pytest_mobileagent.device.fleet.slots import ProgramSlots
from pytest_mobileagent.device.sources.source import Source
from pytest_mobileagent.extras import MissingExtraError, check_extra

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.options import DeviceOptions

_EXTRA = ("virtual", "the virtual device")


class VirtualSource(Source):
    """As many virtual phones as there are workers, started when needed."""

    form = "virtual"
    help = "virtual phones that the run starts"
    how_to_install = (
        "describe it in a folder that the ini key mobile_app_paths or the hook "
        "pytest_mobileagent_apps names"
    )
    is_virtual = True

    def __init__(self, text: str) -> None:
        if text:
            msg = "has to be `virtual`: one phone is started for each worker (-n)"
            raise ValueError(msg)

    @property
    def shown(self) -> str:
        """There is only one."""
        return self.form

    def check(self, options: DeviceOptions) -> None:  # noqa: ARG002 - whatever the options are
        """Check that the packages of the virtual phone are installed."""
        try:
            check_extra(*_EXTRA)
        except MissingExtraError as error:
            raise ValueError(str(error)) from None

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> ProgramSlots:
        """Return a slot for each worker."""
        return virtual_slots(shared(), options.workers, options.apps)


def virtual_slots(run: SharedRun, count: int, apps: Iterable[Path]) -> ProgramSlots:
    """Return slots of virtual phones that have the apps of some folders.

    Raises:
        MissingExtraError: the packages of the virtual device are not installed.
    """
    check_extra(*_EXTRA)
    folders = [word for folder in apps for word in ("--apps", str(folder))]
    words = ["--port", "0", "--adb-server-port", "{adb}", *folders]
    module = "pytest_mobileagent.virtual.main"
    return ProgramSlots(run, count, words, warm=warm_program(module, *folders))
