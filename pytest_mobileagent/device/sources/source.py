"""What a source of devices is: a kind of devices that `--mobile-device` can name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from pytest_mobileagent.device.address import Address, AppiumAddress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.fleet.slots import Slots
    from pytest_mobileagent.device.options import DeviceOptions


class Source(Protocol):
    """Devices that a user named as PREFIX or PREFIX:TEXT; made of TEXT, which may be empty.

    A class may inherit from this one, for what is said here of most sources.

    - `form`: how a user writes it, "avd:NAME"; up to the colon it is the prefix.
    - `help`: what it stands for, in a few words.
    - `reached_by`: what its devices' addresses are, and so which drivers can drive them.
    - `how_to_install`: how the user gets an app onto its devices that a task needs.
    - `is_virtual`: whether its devices are virtual phones, whose results are nobody's.

    Raises:
        ValueError: TEXT names no devices; the text goes on after the option's name and value.
    """

    form: ClassVar[str]
    help: ClassVar[str]
    reached_by: ClassVar[type[Address | AppiumAddress]] = Address
    how_to_install: ClassVar[str] = "install it on the devices"
    is_virtual: ClassVar[bool] = False

    def __init__(self, text: str) -> None: ...

    @property
    def shown(self) -> str:
        """What the user wrote, as it may be shown and recorded: without keys and passwords."""

    @property
    def count(self) -> int | None:
        """How many devices there are; None where there are as many as workers ask for."""
        return None

    def check(self, options: DeviceOptions) -> None:  # noqa: ARG002 - for those that look
        """Check what can be known before a device starts. It may take a moment.

        Raises:
            ValueError: there will be no devices; the text says why, and what to do.
        """
        return

    def packages(
        self,
        options: DeviceOptions,  # noqa: ARG002 - for those that know
        shared: Callable[[], SharedRun],  # noqa: ARG002
    ) -> Collection[str] | None:
        """Return the packages that each of its devices will have; None if only devices can tell.

        It is asked before a device starts, of tasks whose apps may be misspelt.
        """
        return None

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> Slots:
        """Return the slots of the devices; `shared` gives what the processes of the run share.

        Raises:
            HostError: this machine cannot have them.
        """
