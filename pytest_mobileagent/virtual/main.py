"""The command line of one phone: starts it, says where it is, and runs it until the end."""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import select
import signal
import sys
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.snapshots.album import Album
    from pytest_mobileagent.virtual.wire.ports import Pair

_PATIENCE = 2.0  # seconds that the adb server gets to list the phone before it is announced
_ALONE = 2.0  # seconds


def main(argv: Sequence[str] | None = None) -> int:
    """Run a phone; the exit status is 0 when it was ended in an ordinary way."""
    options = _parser().parse_args(argv)
    try:
        return asyncio.run(_start(options))
    except KeyboardInterrupt:  # before the phone was up
        return 130


def prepare(argv: Sequence[str]) -> None:
    """Do what takes a phone's first start, and look, so long: phones forked after it are quick."""
    from pytest_mobileagent.virtual.app.loading import BrokenApp  # noqa: PLC0415
    from pytest_mobileagent.virtual.snapshots import album  # noqa: F401, PLC0415
    from pytest_mobileagent.virtual.wire import ports, server  # noqa: F401, PLC0415

    try:
        phone = boot(_parser().parse_args(argv).apps)
    except (OSError, BrokenApp) as error:
        raise SystemExit(f"error: {error}") from None
    phone.screenshot()
    phone.dump()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pytest_mobileagent device",
        description="Run a virtual Android phone that adb sees as an emulator.",
        epilog="When the phone is up, one line of JSON tells its serial, console_port, adb_port, "
        "adb_server_port and pid. It runs until its standard input ends (a terminal counts as "
        "endless, /dev/null has ended from the start), SIGINT, SIGTERM, SIGHUP, or `adb emu kill`.",
    )
    add = parser.add_argument
    add(
        "--port",
        type=int,
        default=5554,
        metavar="N",
        help="the console's port; adb's is the next one; 0 chooses a free pair (default: 5554)",
    )
    add(
        "--adb-server-port",
        type=int,
        default=5037,
        metavar="N",
        help="where the adb server is, or will be, to which the phone makes itself known "
        "(default: 5037)",
    )
    add(
        "--grpc",
        type=int,
        metavar="N",
        help="the port of the emulator's gRPC controller, for android_env; 0 chooses a free one, "
        "which the JSON tells as grpc_port (default: none)",
    )
    add(
        "--adb-key",
        type=Path,
        action="append",
        default=[],
        metavar="FILE.pub",
        help="a public key, as `adb keygen` writes it, whose owner may use the phone; may be given "
        "several times (default: yours, in ~/.android/adbkey.pub and at ADB_VENDOR_KEYS)",
    )
    add(
        "--apps",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of apps to install; may be given several times (default: those that the "
        "project in the current folder registers)",
    )
    _add_phone(parser)
    _add_manners(parser)
    return parser


def _add_phone(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        metavar="DIR",
        help="keep snapshots in this folder, across starts (default: only while the phone runs)",
    )
    add("--snapshot", metavar="NAME", help="start from this snapshot")
    add(
        "--time",
        metavar="ISO",
        help="the phone's time at the start, in UTC, as in 2026-05-01T09:30 (default: now)",
    )
    add("--frozen", action="store_true", help="the phone's clock stands still")
    add("--locale", metavar="TAG", help="the phone's language, as in ko-KR (default: en-US)")
    add("--avd", default="virtual", metavar="NAME", help="the phone's name (default: virtual)")
    add("--keep", action="store_true", help="do not end when standard input does")


def _add_manners(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("manners of real emulators, and faults, for tests")
    add = group.add_argument
    add(
        "--no-boot-snapshot",
        action="store_true",
        help="do not keep the freshly booted phone as the snapshot default_boot",
    )
    add("--read-only", action="store_true", help="the console refuses to touch snapshots")
    add(
        "--boot-seconds",
        type=float,
        default=0.0,
        metavar="S",
        help="how long the phone goes on booting once adb sees it (default: 0)",
    )
    add(
        "--drop-on-load",
        type=float,
        metavar="S",
        help="adb loses the phone so many seconds after a snapshot was loaded (default: never)",
    )
    add(
        "--fault",
        action="append",
        default=[],
        metavar="FAULT",
        help='a fault that is in force from the start, as in "missed-tap --rate 0.1"; may be given '
        "several times (`adb emu fault help` lists them)",
    )


async def _start(options: argparse.Namespace) -> int:
    from pytest_mobileagent.virtual.app.loading import BrokenApp  # noqa: PLC0415 - `--help` is quick
    from pytest_mobileagent.virtual.phone import BOOTED  # noqa: PLC0415
    from pytest_mobileagent.virtual.wire.adb.keys import read_keys  # noqa: PLC0415
    from pytest_mobileagent.virtual.wire.ports import claim  # noqa: PLC0415

    try:
        _check_port(options.adb_server_port)
        for file in options.adb_key:
            read_keys(file)
        time = _moment(options.time)
        phone = boot(options.apps, time, frozen=options.frozen, name=options.avd)
        for fault in options.fault:
            phone.faults.set(fault)
        if options.locale:
            phone.locales.change([options.locale])
            phone.snapshots.save(BOOTED)
        if options.no_boot_snapshot:
            phone.snapshots.delete(BOOTED)
        album = _open_album(phone, options.data, options.snapshot)
        ports = claim(options.port)
    except (OSError, ValueError, BrokenApp) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    try:
        await _serve(options, phone, album, ports)
    except OSError as error:  # the controller's port is taken
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _check_port(number: int) -> None:
    if not 0 < number < 1 << 16:
        raise ValueError(f"--adb-server-port={number} is no port")


def _moment(text: str | None) -> datetime | None:
    """Read a time; without a zone it is in the one that a phone starts with."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"--time={text} is no time; one is 2026-05-01T09:30") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def boot(
    folders: Iterable[Path] = (),
    time: datetime | None = None,
    *,
    frozen: bool = False,
    name: str = "virtual",
) -> Phone:
    """Boot a phone with the apps of some folders; of two with the same name the last counts."""
    from pytest_mobileagent.virtual.app.loading import load_apps  # noqa: PLC0415 - `--help` is quick
    from pytest_mobileagent.virtual.boot import boot as booted  # noqa: PLC0415

    apps = {app.package: app for folder in folders for app in load_apps(folder)}
    return booted(apps.values(), avd_name=name, time=time, frozen=frozen)


def _open_album(phone: Phone, folder: Path | None, snapshot: str | None) -> Album:
    from pytest_mobileagent.virtual.snapshots.album import Album  # noqa: PLC0415 - `--help` is quick

    album = Album(phone.snapshots, folder)
    if snapshot:
        try:
            album.load(snapshot)
        except KeyError:
            names = ", ".join(album.all()) or "none"
            raise ValueError(f"no snapshot {snapshot!r}; there are: {names}") from None
    return album


async def _serve(options: argparse.Namespace, phone: Phone, album: Album, ports: Pair) -> None:
    from pytest_mobileagent.virtual.wire.server import Server  # noqa: PLC0415 - `--help` is quick

    async with (
        _controller(options, phone, album) as grpc,
        Server(
            phone,
            album,
            ports,
            options.adb_server_port,
            read_only=options.read_only,
            drop_on_load=options.drop_on_load,
            keys=options.adb_key,
        ) as server,
    ):
        loop = asyncio.get_running_loop()
        if options.boot_seconds > 0:
            phone.init.set_booting(True)
            loop.call_later(options.boot_seconds, phone.init.set_booting, False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, server.stopped.set)
        if not options.keep:
            _when_input_ends(server.stopped.set)
        await server.registration.attempt(_PATIENCE)
        if not server.registration.state:
            print(
                f"no adb server on port {options.adb_server_port} yet: {server.serial} will "
                "register as soon as there is one",
                file=sys.stderr,
            )
        about = {
            "serial": server.serial,
            "console_port": server.console_port,
            "adb_port": server.adb_port,
            "adb_server_port": options.adb_server_port,
            "pid": os.getpid(),
            **grpc,
        }
        print(json.dumps(about), flush=True)
        saving = asyncio.create_task(_save_memory(phone))
        await server.stopped.wait()
        saving.cancel()


async def _save_memory(phone: Phone) -> None:
    """Give back, where the system can take it, what pictures have used of a phone left alone."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    seen = saved = 0
    while trim:
        await asyncio.sleep(_ALONE)
        before, seen = seen, phone.version
        if before == seen != saved:
            trim(0)
            saved = seen


@asynccontextmanager
async def _controller(
    options: argparse.Namespace, phone: Phone, album: Album
) -> AsyncIterator[dict[str, int]]:
    """Serve the gRPC controller, if it is wanted, and give what is told of it."""
    if options.grpc is None:
        yield {}
        return
    from pytest_mobileagent.virtual.grpc.server import serve  # noqa: PLC0415 - an extra

    async with serve(phone, album, options.grpc, read_only=options.read_only) as port:
        yield {"grpc_port": port}


def _when_input_ends(stop: Callable[[], None]) -> None:
    """Call `stop` at the end of standard input; a terminal is left to whoever types there."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        if _read_to_the_end():
            loop.remove_reader(0)
            stop()

    if _read_to_the_end():
        print(
            "standard input has ended already, and the phone ends with it: --keep lets it run on",
            file=sys.stderr,
        )
        stop()
    elif not os.isatty(0):
        loop.add_reader(0, read)


def _read_to_the_end() -> bool:
    """Read what there is on standard input; True if that was its end."""
    if sys.stdin is None:
        return True
    while not os.isatty(0) and select.select([0], [], [], 0)[0]:
        try:
            if not os.read(0, 1 << 16):
                return True
        except OSError:
            return True
    return False
