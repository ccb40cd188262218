"""Sources of devices: each module here is a kind of device that `--mobile-device` can name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import TYPE_CHECKING, ClassVar, Protocol

from pytest_mobileagent.device.device import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.device.device import AnyAddress, DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.fleet.slots import Slots


class Source(Protocol):
    """The devices that a user names as PREFIX or PREFIX:TEXT.

    The argument of `__init__` is TEXT, which may be empty. Subclasses may rely on the defaults of
    this class, which suit most sources; `shown` is for reports and records, so a source whose TEXT
    may contain keys or passwords leaves them out.

    - `form`: how a user writes it, such as "avd:NAME"; the part before the colon is the prefix.
    - `help`: a short description.
    - `reached_by`: the type of its devices' addresses, which determines the possible drivers.
    - `how_to_install`: how a user installs an app that a task needs.
    - `is_virtual`: whether its devices are virtual phones, whose results must not be published.
    - `restores`: whether every task is guaranteed to start on a device restored to a snapshot.
    - `is_live`: whether its devices are phones rather than recorded pages.

    Raises:
        ValueError: if TEXT is invalid; the message continues the option's name and value.
    """

    form: ClassVar[str]
    help: ClassVar[str]
    reached_by: ClassVar[type[AnyAddress]] = Address
    how_to_install: ClassVar[str] = "install it on the devices"
    is_virtual: ClassVar[bool] = False
    restores: ClassVar[bool] = False
    is_live: ClassVar[bool] = True
    text: str

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def shown(self) -> str:
        """The user's words for the devices, without keys and passwords."""
        return f"{self.form.partition(':')[0]}:{self.text}"

    @property
    def count(self) -> int | None:
        """The number of devices; None if there is one for each worker."""
        return None

    def check(self, options: DeviceOptions) -> None:
        """Check what can be checked before a device starts. This may take a moment.

        Raises:
            ValueError: if the devices are not available; the message says why, and what to do.
        """
        return

    def packages(
        self, options: DeviceOptions, shared: Callable[[], SharedRun]
    ) -> Collection[str] | None:
        """Return the packages that each of its devices will have; None if they are unknown.

        This is called before a device starts, to find misspelt apps in tasks.
        """
        return None

    def hides(self) -> Mapping[str, str]:
        """Return what its devices cannot show an agent, and why; empty for phones.

        The keys are words of `Agent.sees`; the values are reasons that can follow "because".
        """
        return {}

    def refuses(self, task: Task) -> str:
        """Return why its devices cannot run a task, which is then skipped; empty if they can."""
        return ""

    def check_task(self, task: Task) -> None:
        """Check that its devices have everything that a task refers to, such as its snapshot.

        Raises:
            TaskError: if something that the task refers to does not exist.
        """
        return

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> Slots:
        """Return the slots of the devices; `shared` returns the run's shared folder.

        Raises:
            HostError: if this machine cannot provide the devices.
        """


_BARE = "serial"  # the prefix that is implied if there is none


def built_in() -> dict[str, type[Source]]:
    """Return the sources of this package by prefix."""
    found: dict[str, type[Source]] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for item in vars(importlib.import_module(module.name)).values():
            if isinstance(item, type) and item.__module__ == module.name and Source in item.__mro__:
                source: type[Source] = item
                if source is not Source:
                    found[source.form.partition(":")[0]] = source
    return dict(sorted(found.items(), key=lambda one: one[0] != "virtual"))


def parse_device(text: str, more: Mapping[str, type[Source]] | None = None) -> Source:
    """Return the source that a DEVICE names: PREFIX, PREFIX:TEXT or a bare serial.

    `more` contains further sources by prefix: those of a project's conftest.py.

    Raises:
        ValueError: if the text names no source; the message continues the option's name and value.
    """
    known = {**built_in(), **(more or {})}
    prefix, _, rest = (part.strip() for part in text.partition(":"))
    if prefix in known:
        return known[prefix](rest)
    if ":" not in text and (near := difflib.get_close_matches(text, known, 1, 0.8)):
        msg = (
            f"names no kind of device: did you mean `{known[near[0]].form}`? "
            f"For a device with this serial, write `{_BARE}:{text}`"
        )
        raise ValueError(msg)
    if not prefix.isidentifier() or ":" not in text or _is_server(rest):
        return known[_BARE](text)
    raise ValueError(_forms(prefix, known))


def is_bare(text: str, more: Mapping[str, type[Source]] | None = None) -> bool:
    """Return whether a DEVICE has no known prefix, and is therefore a serial."""
    return text.partition(":")[0].strip() not in {**built_in(), **(more or {})}


def forms(more: Mapping[str, type[Source]] | None = None) -> str:
    """Return a string that lists the forms of a DEVICE."""
    known = {**built_in(), **(more or {})}
    return "; ".join(f"`{source.form}`, {source.help}" for source in known.values())


def _is_server(rest: str) -> bool:
    """Return whether the text after a host's name is a port, optionally followed by a serial."""
    return rest.partition("/")[0].partition(",")[0].isdigit()


def _forms(prefix: str, known: Mapping[str, type[Source]]) -> str:
    near = difflib.get_close_matches(prefix, known, 1)
    hint = f"did you mean `{known[near[0]].form}`? Choose from " if near else "choose from "
    return f"names no kind of device: {hint}{forms(known)}"
