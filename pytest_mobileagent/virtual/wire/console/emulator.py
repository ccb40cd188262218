"""What the emulator console can do with this phone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.wire.console.battery import power_commands
from pytest_mobileagent.virtual.wire.console.console import Command, Hangup, Refusal
from pytest_mobileagent.virtual.wire.console.faults import fault_command
from pytest_mobileagent.virtual.wire.console.inputs import input_commands
from pytest_mobileagent.virtual.wire.console.surroundings import surroundings
from pytest_mobileagent.virtual.wire.console.telephony import telephony_commands

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.snapshots.album import Album
    from pytest_mobileagent.virtual.snapshots.snapshots import Snapshot


@dataclass(frozen=True, slots=True)
class Manners:
    """How an emulator behaves that was started in one way or another.

    A `read_only` one refuses to touch snapshots. From one that has loaded a snapshot adb is
    cut off `drop_on_load` seconds later, unless that is None.
    """

    read_only: bool = False
    drop_on_load: float | None = None


def commands(
    phone: Phone, album: Album, stop: Callable[[], None], *, read_only: bool = False
) -> tuple[Command, ...]:
    """Give the commands for `phone`; `stop` ends it."""

    def kill(_: str) -> str:
        stop()
        raise Hangup("OK: killing emulator, bye bye\n")

    snapshots = _SnapshotCommands(album, read_only=read_only)
    snapshot = Command("snapshot", "state snapshot commands", parts=(
        Command("list", "list available state snapshots", snapshots.list),
        Command("save", "save state snapshot", snapshots.save),
        Command("load", "load state snapshot", snapshots.load),
        Command("del", "delete state snapshot", snapshots.delete),
        Command("delete", "delete state snapshot", snapshots.delete),
        Command("get", "get the name of the loaded snapshot", snapshots.get),
    ))  # fmt: skip
    avd = Command("avd", "control virtual device execution", safe=True, parts=(
        Command("status", "query virtual device status", lambda _: "virtual device is running\n"),
        Command("start", "start/restart the virtual device", _running),
        Command("name", "query virtual device name", lambda _: f"{phone.avd_name}\n", safe=True),
        snapshot,
        Command("id", "query virtual device ID", lambda _: f"{phone.avd_name}\n"),
        Command("windowtype", "query virtual device headless or qtwindow",
                lambda _: "windowtype=headless\n"),
        Command("path", "query AVD path", lambda _: f"{album.folder or 'NO_AVD_INFO'}\n"),
        Command("snapshotspath", "query AVD snapshots path",
                lambda _: f"{album.folder or 'NO_AVD_INFO'}\n"),
    ))  # fmt: skip
    return (
        Command("ping", "check if the emulator is alive", lambda _: "I am alive!\n", safe=True),
        Command("kill", "kill the emulator instance", kill),
        avd,
        power_commands(phone.power),
        fault_command(phone.faults),
        input_commands(phone),
        *surroundings(phone),
        *telephony_commands(phone),
    )


def _running(_: str) -> str:
    raise Refusal("virtual device already running")


class _SnapshotCommands:
    """`avd snapshot …`."""

    def __init__(self, album: Album, *, read_only: bool) -> None:
        self._album = album
        self._read_only = read_only

    def list(self, _: str) -> str:
        snapshots = self._album.all()
        if not snapshots:
            return "There is no snapshot available.\n"
        rows = "".join(_row(name, snapshot) for name, snapshot in snapshots.items())
        head = f"{'ID':<10}{'TAG':<20}{'VM SIZE':>7}{'DATE':>20}{'VM CLOCK':>15}\n"
        return f"List of snapshots present on all disks:\n{head}{rows}"

    def save(self, name: str) -> None:
        if not name:
            raise Refusal("Argument missing, try 'avd snapshot save <name>'")
        self._check("save")
        self._album.save(name)

    def load(self, name: str) -> None:
        if not name:
            raise Refusal("Argument missing, try 'avd snapshot load <name>'")
        self._check("load")
        try:
            self._album.load(name)
        except KeyError:
            first = f"KO: Device 'encrypt' does not have the requested snapshot '{name}'\n"
            raise Refusal("Snapshot load failure: snapshot doesn't exist", first) from None

    def delete(self, name: str) -> None:
        if not name:
            raise Refusal("Argument missing, try 'avd snapshot list <name>'")  # sic
        self._check("delete")
        with suppress(KeyError):  # the emulator does not complain either
            self._album.delete(name)

    def get(self, _: str) -> str:
        return f"{self._album.loaded}\n"

    def _check(self, what: str) -> None:
        if self._read_only:
            raise Refusal(f'Snapshot {what} is disabled because "-read-only" was specified')


def _row(name: str, snapshot: Snapshot) -> str:
    size = len(snapshot.parts) + sum(len(node.data) for node in snapshot.files.values())
    date = datetime.fromtimestamp(snapshot.time, UTC).strftime("%Y-%m-%d %H:%M:%S")
    minutes, seconds = divmod(snapshot.uptime, 60)
    clock = f"{int(minutes // 60):02}:{int(minutes % 60):02}:{seconds:06.3f}"
    return f"{'--':<10}{name:<20}{_human(size):>7}{date:>20}{clock:>15}\n"


def _human(size: float) -> str:
    """Write a size as QEMU does: 999, 1.2K, 75M."""
    for unit in ("", "K", "M"):
        if size < 1000:
            return f"{size:.1f}{unit}" if unit and size < 10 else f"{size:.0f}{unit}"
        size /= 1024
    return f"{size:.1f}G" if size < 10 else f"{size:.0f}G"
