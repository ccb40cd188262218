"""ping, kill, fault and avd: the emulator itself, its faults, and its snapshots."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.faults import FaultError, usage
from pytest_mobileagent.virtual.shell.commands.listing import human_size
from pytest_mobileagent.virtual.wire.console.registry import (
    Emulator,
    Hangup,
    Refusal,
    command,
    group,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.snapshots import Snapshot


@command("ping", "check if the emulator is alive", safe=True)
def _ping(*_: object) -> str:
    return "I am alive!\n"


@command("kill", "kill the emulator instance")
def _kill(emulator: Emulator, _: str) -> str:
    emulator.stop()
    raise Hangup("OK: killing emulator, bye bye\n")


@command("fault", "let things go wrong on purpose, see 'fault help'")
def _fault(emulator: Emulator, text: str) -> str:
    faults, (word, _, rest) = emulator.phone.faults, text.partition(" ")
    try:
        match word:
            case "":
                raise Refusal("missing fault, try 'fault help'")
            case "help":
                return usage()
            case "list":
                return "".join(f"{line}\n" for line in faults.list()) or "no faults\n"
            case "clear":
                faults.clear(rest.strip())
            case _:
                faults.set(text)
    except FaultError as error:
        raise Refusal(str(error)) from None
    return ""


group("avd", "control virtual device execution", safe=True)


@command("avd name", "query virtual device name", safe=True)
def _name(emulator: Emulator, _: str) -> str:
    return f"{emulator.phone.avd_name}\n"


group("avd snapshot", "state snapshot commands")


@command("avd snapshot list", "list available state snapshots")
def _list(emulator: Emulator, _: str) -> str:
    snapshots = emulator.phone.snapshots
    if not snapshots:
        return "There is no snapshot available.\n"
    rows = "".join(_row(name, snapshot) for name, snapshot in snapshots.items())
    head = f"{'ID':<10}{'TAG':<20}{'VM SIZE':>7}{'DATE':>20}{'VM CLOCK':>15}\n"
    return f"List of snapshots present on all disks:\n{head}{rows}"


@command("avd snapshot save", "save state snapshot")
def _save(emulator: Emulator, name: str) -> None:
    _check(emulator, name, "save")
    emulator.phone.snapshots.save(name)


@command("avd snapshot load", "load state snapshot")
def _load(emulator: Emulator, name: str) -> None:
    _check(emulator, name, "load")
    try:
        emulator.phone.snapshots.load(name)
    except KeyError:
        first = f"KO: Device 'encrypt' does not have the requested snapshot '{name}'\n"
        raise Refusal("Snapshot load failure: snapshot doesn't exist", first) from None


@command("avd snapshot del", "delete state snapshot")
@command("avd snapshot delete", "delete state snapshot")
def _delete(emulator: Emulator, name: str) -> None:
    _check(emulator, name, "delete", usage="list")  # sic
    with suppress(KeyError):  # the emulator does not complain either
        emulator.phone.snapshots.delete(name)


@command("avd snapshot get", "get the name of the loaded snapshot")
def _get(emulator: Emulator, _: str) -> str:
    return f"{emulator.phone.snapshots.loaded}\n"


def _check(emulator: Emulator, name: str, what: str, usage: str = "") -> None:
    if not name:
        raise Refusal(f"Argument missing, try 'avd snapshot {usage or what} <name>'")
    if emulator.read_only:
        raise Refusal(f'Snapshot {what} is disabled because "-read-only" was specified')


def _row(name: str, snapshot: Snapshot) -> str:
    size = len(snapshot.parts) + sum(len(node.data) for node in snapshot.files.values())
    date = datetime.fromtimestamp(snapshot.time, UTC).strftime("%Y-%m-%d %H:%M:%S")
    minutes, seconds = divmod(snapshot.uptime, 60)
    clock = f"{int(minutes // 60):02}:{int(minutes % 60):02}:{seconds:06.3f}"
    return f"{'--':<10}{name:<20}{human_size(size):>7}{date:>20}{clock:>15}\n"
