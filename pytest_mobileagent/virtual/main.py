"""The command line of a virtual phone: starts it, prints its address, and runs it until stopped."""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import json
import os
import re
import select
import signal
import sys
import tomllib
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from datetime import datetime
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.wire.console_commands import Emulator
    from pytest_mobileagent.virtual.wire.server import Pair, Server

_NAME = "python -m pytest_mobileagent device"
_PATIENCE = 2.0  # seconds for the adb server to list the phone before the phone is announced
_ALONE = 2.0  # seconds without a change before memory is released
SDK = "ro.build.version.sdk"
SIZE, _DENSITY = (1080, 2400), 420  # pixels, and dots per inch
_ADB_PORT = "ANDROID_ADB_SERVER_PORT"  # adb's own variable, which the emulator respects too


def main(argv: Sequence[str] | None = None, name: str = _NAME) -> int:
    """Run a phone by the command `name`; return 0 if it was stopped in an ordinary way."""
    try:
        return asyncio.run(_start(_parser(name).parse_args(argv)))
    except KeyboardInterrupt:  # before the phone was up
        return 130


def prepare(argv: Sequence[str]) -> None:
    """Run the slow first boot, screenshot and dump, so that phones forked later start quickly."""
    from pytest_mobileagent.virtual.app.loading import BrokenApp
    from pytest_mobileagent.virtual.wire import server  # noqa: F401

    try:
        phone = boot(_parser(_NAME).parse_args(argv).apps)
    except (OSError, BrokenApp) as error:
        raise SystemExit(f"error: {error}") from None
    phone.screenshot()
    phone.dump()


def _parser(name: str) -> argparse.ArgumentParser:
    file = resources.files(__package__) / "options.toml"
    words = tomllib.loads(file.read_text("utf-8"))
    about = {key: words[key] for key in ("description", "epilog")}
    parser = argparse.ArgumentParser(prog=name, **about)
    group = parser.add_argument_group(words["manners"])

    def add(name: str, to: argparse._ActionsContainer = parser, **more: Any) -> None:
        to.add_argument(f"--{name}", help=words["help"][name], **more)

    several: dict[str, Any] = {"action": "append", "default": []}
    add("port", type=int, default=5554, metavar="N")
    add("adb-server-port", type=int, default=os.environ.get(_ADB_PORT) or "5037", metavar="N")
    add("grpc", type=int, metavar="N")
    add("adb-key", type=Path, metavar="FILE.pub", **several)
    add("apps", type=Path, metavar="DIR", **several)
    add("phones", type=int, default=1, metavar="N")
    add("size", metavar="WIDTHxHEIGHT")
    add("data", type=Path, metavar="DIR")
    add("snapshot", metavar="NAME")
    add("time", metavar="ISO")
    add("frozen", action="store_true")
    add("locale", metavar="TAG")
    add("avd", default="virtual", metavar="NAME")
    add("prop", metavar="NAME=VALUE", **several)
    add("keep", action="store_true")
    add("no-boot-snapshot", group, action="store_true")
    add("read-only", group, action="store_true")
    add("boot-seconds", group, type=float, default=0.0, metavar="S")
    add("drop-on-load", group, type=float, metavar="S")
    add("fault", group, metavar="FAULT", **several)
    return parser


async def _start(options: argparse.Namespace) -> int:
    from pytest_mobileagent.virtual.app.loading import BrokenApp  # `--help` is quick
    from pytest_mobileagent.virtual.wire.adbd import read_keys
    from pytest_mobileagent.virtual.wire.server import claim

    try:
        _check_port(options.adb_server_port)
        for file in options.adb_key:
            read_keys(file)
        _check_number(options)
        phones = [_booted(options) for _ in range(options.phones)]
        # Only the first phone may have the port that was asked for.
        ports = [claim(0 if number else options.port) for number in range(options.phones)]
    except (OSError, ValueError, BrokenApp) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    try:
        await _serve(options, phones, ports)
    except OSError as error:  # the controller's port is taken
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _check_number(options: argparse.Namespace) -> None:
    if options.phones < 1 or (options.phones > 1 and (options.grpc or options.data) is not None):
        msg = "must be 1 or more, and 1 with --grpc or --data, which belong to one phone"
        raise ValueError(f"--phones={options.phones} {msg}")


def _booted(options: argparse.Namespace) -> Phone:
    """Return a booted phone as the options describe it."""
    from pytest_mobileagent.virtual.phone import BOOTED

    time, frozen = _moment(options.time), options.frozen
    size, props = _size(options.size), _properties(options.prop)
    phone = boot(options.apps, time, frozen=frozen, name=options.avd, size=size, props=props)
    for fault in options.fault:
        phone.faults.set(fault)
    if options.locale:
        phone.locales.change([options.locale])
        phone.snapshots.save(BOOTED)
    if options.no_boot_snapshot:
        phone.snapshots.delete(BOOTED)
    if options.data:
        phone.snapshots.keep_in(options.data)
    if options.snapshot:
        _load(phone, options.snapshot)
    return phone


def _check_port(number: int) -> None:
    if not 0 < number < 1 << 16:
        raise ValueError(f"--adb-server-port={number} is no port")


def _moment(text: str | None) -> datetime | None:
    """Parse a time; without a UTC offset it is in the phone's time zone."""
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"--time={text} is no time; one is 2026-05-01T09:30") from None


def _size(text: str | None) -> tuple[int, int]:
    """Parse a size in pixels; the default is that of a Pixel 6."""
    if text is None:
        return SIZE
    found = re.fullmatch(r"(\d{3,4})x(\d{3,4})", text)
    if found is None:
        raise ValueError(f"--size={text} is no size in pixels; one is 720x1600")
    return int(found[1]), int(found[2])


def _properties(texts: Iterable[str]) -> dict[str, str]:
    from pytest_mobileagent.virtual.kernel.properties import refusal  # `--help` is quick

    props = {}
    for text in texts:
        name, given, value = text.partition("=")
        if not given or not name:
            raise ValueError(f"--prop={text} is no NAME=VALUE, as in ro.build.version.sdk=29")
        if problem := refusal(name, value):
            raise ValueError(f"--prop={text}: {problem}")
        if name == SDK and not value.isdecimal():
            raise ValueError(f"--prop={text}: an API level is a number, as in {SDK}=29")
        props[name] = value
    return props


def boot(
    folders: Iterable[Path] = (),
    time: datetime | None = None,
    *,
    frozen: bool = False,
    name: str = "virtual",
    size: tuple[int, int] = SIZE,
    props: Mapping[str, str] = MappingProxyType({}),
) -> Phone:
    """Boot a phone with the apps of some folders; a later app replaces one of the same package.

    The density follows from the `size` of the screen, whose width in dp is always the same.
    """
    from pytest_mobileagent.virtual.app.loading import load_apps  # `--help` is quick
    from pytest_mobileagent.virtual.boot import boot as booted

    apps = {app.package: app for folder in folders for app in load_apps(folder)}
    density = round(_DENSITY * size[0] / SIZE[0])
    return booted(
        apps.values(),
        avd_name=name,
        time=time,
        frozen=frozen,
        size=size,
        density=density,
        props=props,
    )


def _load(phone: Phone, name: str) -> None:
    try:
        phone.snapshots.load(name)
    except KeyError:
        names = ", ".join(phone.snapshots) or "none"
        raise ValueError(f"no snapshot {name!r} (available: {names})") from None


async def _serve(
    options: argparse.Namespace, phones: Sequence[Phone], ports: Sequence[Pair]
) -> None:
    from pytest_mobileagent.virtual.wire.server import Server  # `--help` is quick

    peers: dict[str, Emulator] = {}
    async with _controller(options, phones[0]) as grpc, AsyncExitStack() as stack:
        servers = [
            await stack.enter_async_context(
                Server(
                    phone,
                    pair,
                    options.adb_server_port,
                    read_only=options.read_only,
                    drop_on_load=options.drop_on_load,
                    keys=options.adb_key,
                    peers=peers,
                )
            )
            for phone, pair in zip(phones, ports, strict=True)
        ]
        loop = asyncio.get_running_loop()
        for phone in phones if options.boot_seconds > 0 else ():
            phone.init.set_booting(True)
            loop.call_later(options.boot_seconds, phone.init.set_booting, False)

        def stop() -> None:
            for server in servers:
                server.stopped.set()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, stop)
        if not options.keep:
            _when_input_ends(stop)
        await asyncio.gather(*(_register(each, options.adb_server_port) for each in servers))
        first = servers[0]
        about = {
            "serial": first.serial,
            "console_port": first.console_port,
            "adb_port": first.adb_port,
            "adb_server_port": options.adb_server_port,
            "pid": os.getpid(),
            **({"serials": [*peers]} if len(peers) > 1 else {}),
            **grpc,
        }
        print(json.dumps(about), flush=True)
        saving = asyncio.create_task(_save_memory(phones))
        waiting = [asyncio.create_task(server.stopped.wait()) for server in servers]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in (saving, *waiting):
            task.cancel()


async def _register(server: Server, port: int) -> None:
    """Let the adb server on a port list a phone."""
    await server.registration.attempt(_PATIENCE)
    if not server.registration.state:
        why = f"no adb server on port {port} yet"
        print(f"{why}: {server.serial} will register as soon as there is one", file=sys.stderr)


async def _save_memory(phones: Sequence[Phone]) -> None:
    """Return memory used for pictures to the operating system while the phones are left alone."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    seen = saved = 0
    while trim:
        await asyncio.sleep(_ALONE)
        with ExitStack() as stack:  # nobody looks: no screen is built because time has passed
            for phone in phones:
                stack.enter_context(phone.changes.unnoticed())
            before, seen = seen, sum(phone.version for phone in phones)
        if before == seen != saved:
            trim(0)
            saved = seen


@asynccontextmanager
async def _controller(options: argparse.Namespace, phone: Phone) -> AsyncIterator[dict[str, int]]:
    """Serve the gRPC controller, if requested, and yield what is announced about it."""
    if options.grpc is None:
        yield {}
        return
    from pytest_mobileagent.virtual.grpc.server import serve  # an extra

    async with serve(phone, options.grpc, read_only=options.read_only) as port:
        yield {"grpc_port": port}


def _when_input_ends(stop: Callable[[], None]) -> None:
    """Call `stop` at the end of standard input, unless it is a terminal."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        if _read_to_the_end():
            loop.remove_reader(0)
            stop()

    if _read_to_the_end():
        why = "standard input has ended already, and the phone ends with it"
        print(f"{why}: --keep lets it run on", file=sys.stderr)
        stop()
    elif not os.isatty(0):
        loop.add_reader(0, read)


def _read_to_the_end() -> bool:
    """Read the available standard input; return True if it has ended."""
    if sys.stdin is None:
        return True
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while not os.isatty(0) and poll.poll(0):
        try:
            if not os.read(0, 1 << 16):
                return True
        except OSError:
            return True
    return False
