"""Sources of devices, and the slots that they open, each of which holds one device at a time.

Each module here is a kind of device that `--mobile-device` can name.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import pkgutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from pytest_mobileagent.device.device import Address, AnyAddress
from pytest_mobileagent.errors import InfrastructureError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pytest_mobileagent._task import Task
    from pytest_mobileagent.device.device import DeviceOptions
    from pytest_mobileagent.device.fleet.shared import SharedRun


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
        hint = f"did you mean `{known[near[0]].form}`? For a device with this serial, write"
        raise ValueError(f"names no kind of device: {hint} `{_BARE}:{text}`")
    if not prefix.isidentifier() or ":" not in text or _is_server(rest):
        return known[_BARE](text)
    near = difflib.get_close_matches(prefix, known, 1)
    hint = f"did you mean `{known[near[0]].form}`? Choose from" if near else "choose from"
    raise ValueError(f"names no kind of device: {hint} {forms(known)}")


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


# Replaces a device by one started from a snapshot; also returns whether the snapshot was loaded.
Restart = Callable[[Address, str], "tuple[Address, bool]"]
_START_SECONDS, _GRACE_SECONDS = 60.0, 3.0


class Slots(Protocol):
    """The slots of a run, numbered from 0, each of which holds one device at a time.

    `renews` says whether a device that is broken or worn out can be replaced by a new one in its
    slot, and `wears` whether devices wear out. `restart` replaces a device that cannot load a
    snapshot while it runs; None if all can.
    """

    renews: bool
    wears: bool = True
    restart: Restart | None = None

    @property
    def locks(self) -> Sequence[str]:
        """The paths of the slots' locks, in order; the process that holds a lock has the device."""

    def address(self, slot: int, *, fresh: bool = False) -> AnyAddress:
        """Return the address of a slot's device; with `fresh`, replace a device that broke.

        Raises:
            InfrastructureError: if no device is available.
        """

    def prestart(self) -> None:
        """Start all devices in the background, if the run starts devices."""
        return

    def ended(self, slot: int) -> str:
        """Return why a device's program ended by itself; empty if it runs or does not exist."""
        return ""

    def serves(self, address: AnyAddress) -> bool:
        """Return whether the server that an address names is still running; True if unknown."""
        return True


@dataclass(frozen=True, slots=True)
class Started:
    """A device whose program runs; `record` is what it printed, and "fresh" if it is unused."""

    address: Address
    record: dict[str, Any]


class RunSlots(Slots):
    """Slots that belong to one run: only its workers use the devices.

    With an address, all slots share it, such as a server that gives each session a device.
    """

    renews = True

    def __init__(self, run: SharedRun, count: int, address: AnyAddress | None = None) -> None:
        self.run = run
        self.count = count
        self._shared_address = address

    @property
    def locks(self) -> Sequence[str]:
        """The paths of locks in the run's folder."""
        return [str(self.run.folder / f"slot-{number}.lock") for number in range(self.count)]

    def address(self, slot: int, *, fresh: bool = False) -> AnyAddress:
        """Return the address that all slots share."""
        assert self._shared_address is not None
        return self._shared_address


class ProgramSlots(RunSlots):
    """Devices that are programs, which the run starts on demand and ends with itself.

    `command` starts the program of a device. "{adb}" in it is replaced by the port of an adb
    server. The program registers with that server, prints a line of JSON with its "serial" when it
    is ready, and ends when its standard input closes. It must be ready within `seconds`, and end
    within `grace` seconds. `home` is its home folder, by default one of the run's.

    With `warm`, the command of a program that is kept warm (see `fleet.programs`), the device is
    forked from that program, and `command` contains only the arguments.

    Raises:
        HostError: if the run's folder cannot be created.
    """

    def __init__(
        self,
        run: SharedRun,
        count: int,
        command: Sequence[str],
        *,
        warm: Sequence[str] = (),
        home: str | None = None,
        seconds: float = _START_SECONDS,
        grace: float = _GRACE_SECONDS,
    ) -> None:
        super().__init__(run, count)
        self.command = list(command)
        self._where = {"home": home} if home else {}
        self._how = {"warm": [*warm], "seconds": seconds, "grace": grace}
        self._answer_seconds = 120 + seconds + grace

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Start the device unless it is running, or replace it by a fresh one."""
        return self.start(slot, self.command, fresh=fresh).address

    def start(self, slot: int, command: Sequence[str], *, fresh: bool = False) -> Started:
        """Start a device by a command; without `fresh`, a device already in the slot is returned.

        Raises:
            InfrastructureError: if the device does not start.
        """
        adb = self.run.ask({"do": "adb", **self._where})
        what = "replace" if fresh else "start"
        record = self.run.ask(self._request(what, slot, command), self._answer_seconds)
        return Started(Address(record["serial"], "127.0.0.1", adb["port"], adb["home"]), record)

    def prestart(self) -> None:
        """Make the supervisor start the devices in the background, a few at a time."""
        for slot in range(self.count):
            self.run.ask(self._request("prestart", slot, self.command))

    def ended(self, slot: int) -> str:
        """Return the exit status of a device that ended by itself, with the end of its output."""
        return str(self.run.ask({"do": "ended", "slot": slot})["ended"])

    def serves(self, address: AnyAddress) -> bool:
        """Return whether an address names the current adb server of the run.

        A dead server is replaced by a new one, as is a dead supervisor together with its server.
        """
        with contextlib.suppress(InfrastructureError):
            port = self.run.ask({"do": "adb", **self._where})["port"]
            return isinstance(address, Address) and address.adb_port == port
        return False

    def _request(self, what: str, slot: int, command: Sequence[str]) -> dict[str, Any]:
        return {"do": what, "slot": slot, "command": [*command], **self._where, **self._how}


class PackedSlots(ProgramSlots):
    """Devices of which several are in one program, which needs less memory and starts faster.

    The program is started with `--phones PER_PROGRAM`, and prints the "serials" of its devices. One
    process holds all leases. When a device breaks, its program is replaced, which also takes the
    program's other devices away; when these are asked for again, they are those of the new program.

    Raises:
        HostError: if the run's folder cannot be created.
    """

    wears = False  # the replacement of one would take the others away

    def __init__(
        self,
        run: SharedRun,
        count: int,
        command: Sequence[str],
        per_program: int,
        *,
        warm: Sequence[str] = (),
    ) -> None:
        super().__init__(run, count, [*command, "--phones", str(per_program)], warm=warm)
        self._per_program = per_program
        self._guard = threading.Lock()
        self._last: dict[int, str] = {}  # the last serial of each slot

    def address(self, slot: int, *, fresh: bool = False) -> Address:
        """Return the address of a slot's device; with `fresh`, replace its program if needed."""
        program, place = divmod(slot, self._per_program)
        with self._guard:
            found = self.start(program, self.command)
            serial = self._serials(found)[place]
            if fresh and serial == self._last.get(slot):
                found = self.start(program, self.command, fresh=True)
                serial = self._serials(found)[place]
            self._last[slot] = serial
        return replace(found.address, serial=serial)

    def prestart(self) -> None:
        """Make the supervisor start the programs in the background, a few at a time."""
        for program in range(-(-self.count // self._per_program)):
            self.run.ask(self._request("prestart", program, self.command))

    def ended(self, slot: int) -> str:
        """Return the exit status of a device's program, if it ended by itself."""
        return super().ended(slot // self._per_program)

    def _serials(self, started: Started) -> Sequence[str]:
        serials: Sequence[str] = started.record.get("serials", [started.address.serial])
        return serials
