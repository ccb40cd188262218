"""Sources of devices: each module here is a kind of devices that `--mobile-device` can name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from typing import TYPE_CHECKING, ClassVar, Protocol

from pytest_mobileagent.device.device import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pytest_mobileagent.device.device import AnyAddress, DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun
    from pytest_mobileagent.device.fleet.slots import Slots
    from pytest_mobileagent.task.task import Task


class Source(Protocol):
    """Devices that a user names as PREFIX or PREFIX:TEXT. It is made of TEXT, which may be empty.

    A class may inherit the defaults of this one, which suit most sources.

    - `form`: how a user writes it, such as "avd:NAME"; the part before the colon is the prefix.
    - `help`: a short description.
    - `reached_by`: the type of its devices' addresses, which decides on the drivers.
    - `how_to_install`: how a user installs an app that a task needs.
    - `is_virtual`: whether its devices are virtual phones, whose results must not be published.
    - `restores`: whether each task is sure to begin on a device that was restored to a snapshot.
    - `is_live`: whether its devices are phones, rather than recorded pages.

    Raises:
        ValueError: TEXT names no devices; the message continues the option's name and value.
    """

    form: ClassVar[str]
    help: ClassVar[str]
    reached_by: ClassVar[type[AnyAddress]] = Address
    how_to_install: ClassVar[str] = "install it on the devices"
    is_virtual: ClassVar[bool] = False
    restores: ClassVar[bool] = False
    is_live: ClassVar[bool] = True

    def __init__(self, text: str) -> None: ...

    @property
    def shown(self) -> str:
        """The user's text without keys and passwords, for reports and records."""

    @property
    def count(self) -> int | None:
        """How many devices there are; None if there is one for each worker."""
        return None

    def check(self, options: DeviceOptions) -> None:
        """Check what can be known before a device starts. This may take a moment.

        Raises:
            ValueError: there will be no devices; the message says why, and what to do.
        """
        return

    def packages(
        self,
        options: DeviceOptions,
        shared: Callable[[], SharedRun],
    ) -> Collection[str] | None:
        """Return the packages that each of its devices will have; None if that is unknown.

        It is called before a device starts, to find tasks with misspelt apps.
        """
        return None

    def hides(self) -> Mapping[str, str]:
        """Return what its devices do not show an agent, and why; nothing for phones.

        The keys are words of `Agent.sees`, the values follow "because".
        """
        return {}

    def refuses(self, task: Task) -> str:
        """Return why no device of its kind can play a task, which is skipped then; else nothing."""
        return ""

    def check_task(self, task: Task) -> None:
        """Check what a task that can be played names of its devices.

        Raises:
            TaskError: they do not have it.
        """
        return

    def open(self, options: DeviceOptions, shared: Callable[[], SharedRun]) -> Slots:
        """Return the slots of the devices; `shared` returns what the processes of the run share.

        Raises:
            HostError: this machine cannot provide them.
        """


_BARE = "serial"  # the prefix of a text without one: the serial of an attached device


def built_in() -> dict[str, type[Source]]:
    """Return the sources of this package, by their prefixes."""
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

    `more` has further sources by their prefixes: those of a project's conftest.py.

    Raises:
        ValueError: it names no source; the message continues the option's name and value.
    """
    known = {**built_in(), **(more or {})}
    prefix, _, rest = (part.strip() for part in text.partition(":"))
    if prefix in known:
        return known[prefix](rest)
    if ":" not in text and (near := difflib.get_close_matches(text, known, 1, 0.8)):
        msg = (
            f"names no kind of devices: did you mean `{known[near[0]].form}`? "
            f"A device of this serial is `{_BARE}:{text}`"
        )
        raise ValueError(msg)
    if not prefix.isidentifier() or ":" not in text or _is_server(rest):
        return known[_BARE](text)
    raise ValueError(_forms(prefix, known))


def is_bare(text: str, more: Mapping[str, type[Source]] | None = None) -> bool:
    """Whether a DEVICE has no known prefix, and so counts as a serial."""
    return text.partition(":")[0].strip() not in {**built_in(), **(more or {})}


def forms(more: Mapping[str, type[Source]] | None = None) -> str:
    """Return a text that lists what a DEVICE can be."""
    known = {**built_in(), **(more or {})}
    return "; ".join(f"`{source.form}`, {source.help}" for source in known.values())


def _is_server(rest: str) -> bool:
    """Whether a text after a host's name is a port, and perhaps the serial of a device there."""
    return rest.partition("/")[0].partition(",")[0].isdigit()


def _forms(prefix: str, known: Mapping[str, type[Source]]) -> str:
    near = difflib.get_close_matches(prefix, known, 1)
    hint = f"did you mean `{known[near[0]].form}`? It can be " if near else "it can be "
    return f"names no kind of devices: {hint}{forms(known)}"
