"""A connection from an adb server to the phone: its streams, and the services on them."""

from __future__ import annotations

import asyncio
import secrets
import struct
import sys
import traceback
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.appium import is_expected, serve_expected
from pytest_mobileagent.virtual.shell.session import pour
from pytest_mobileagent.virtual.wire import shell, sync
from pytest_mobileagent.virtual.wire.adbd import TOKEN_BYTES
from pytest_mobileagent.virtual.wire.stream import (
    CHECKED,
    MAX_PAYLOAD,
    VERSION,
    Packet,
    ProtocolError,
    Stream,
    read_packet,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.kernel.processes import Sockets
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.wire.adbd import Adbd

    Service = Callable[[Stream], Awaitable[None]]


_LEAST_PAYLOAD = 4096  # supported by the oldest adb
_MAX_STREAMS = 1000  # limits what a single client can make the phone store
_COMMANDS = {b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"WRTE", b"CLSE"}
COMMANDS = ("remount", "disable-verity", "enable-verity")  # services that run a command
_TOKEN, _SIGNATURE, _PUBLIC_KEY = 1, 2, 3  # the types of AUTH packets


class Connection:
    """Speaks the adb protocol over a TCP connection until it ends."""

    def __init__(
        self, adbd: Adbd, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.adbd = adbd
        self._reader = reader
        self._writer = writer
        self._streams: dict[int, Stream] = {}
        self._last_id = 0
        self._max_payload = MAX_PAYLOAD
        self._checked = self._peer_checks = True  # until the peer declares otherwise
        self._token = b""  # which the peer has to sign next
        self._authorized = False
        self.reverses = Reverses(adbd.listeners, self.open)

    async def serve(self) -> None:
        """Answer packets until the adb server disconnects or violates the protocol."""
        self.adbd.connections.add(self.drop)
        try:
            while True:
                packet = await read_packet(self._reader)
                await self.adbd.phone.faults.answering()
                self._take(packet)
                await self._writer.drain()
        except ProtocolError as error:
            print(f"adb connection dropped: {error}", file=sys.stderr)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the adb server has exited or was killed
        finally:
            self.adbd.connections.discard(self.drop)
            self.drop()

    def drop(self) -> None:
        """End the connection and all its streams."""
        self._writer.close()
        self.reverses.close()
        for stream in list(self._streams.values()):
            stream.drop()

    async def open(self, service: str) -> Stream:
        """Open a stream to a service on the computer, the target of a reverse forward."""
        stream = self._new_stream(remote=0)
        self._send(Packet(b"OPEN", stream.local, 0, service.encode() + b"\0"))
        if not await stream.accepted():
            raise ConnectionRefusedError(service)
        return stream

    def _take(self, packet: Packet) -> None:
        if packet.command not in _COMMANDS:
            raise ProtocolError(f"unknown command {packet.command!r}")
        if packet.command == b"CNXN":
            self._take_connect(packet)
        elif not self._authorized:
            self._take_proof(packet)
        elif packet.command == b"OPEN":
            self._take_open(packet.arg0, packet.payload)
        elif stream := self._streams.get(packet.arg1):
            if packet.command == b"OKAY":
                stream.take_okay(packet.arg0)
            elif packet.command == b"WRTE":
                stream.take_data(packet.payload)
            elif packet.command == b"CLSE":
                stream.drop()

    def _take_connect(self, packet: Packet) -> None:
        if packet.arg1 < _LEAST_PAYLOAD:
            raise ProtocolError(f"packets of at most {packet.arg1} bytes are too small")
        self._max_payload = min(packet.arg1, MAX_PAYLOAD)
        self._peer_checks = packet.arg0 <= CHECKED
        if self._authorized:
            self._welcome()
        else:
            self._challenge()

    def _take_proof(self, packet: Packet) -> None:
        """Check whether an unauthorized peer has signed the token; ignore everything else."""
        if packet.command != b"AUTH" or not self._token:
            return
        if packet.arg0 == _SIGNATURE:
            if self.adbd.knows(packet.payload, self._token):
                self._authorized = True
                self._welcome()
            else:
                self._challenge()  # the peer may have other keys
        elif packet.arg0 == _PUBLIC_KEY:  # no more keys: the phone is to ask its owner
            self._token = b""
            name = packet.payload.rstrip(b"\0").partition(b" ")[2][:100].decode(errors="replace")
            why = f"an adb client has a key that this phone does not know, {name!r}"
            accepted = "--adb-key=FILE.pub names the keys that it accepts"
            print(f"unauthorized: {why}; {accepted}", file=sys.stderr)

    def _challenge(self) -> None:
        self._token = secrets.token_bytes(TOKEN_BYTES)
        self._send(Packet(b"AUTH", _TOKEN, 0, self._token))

    def _welcome(self) -> None:
        self._send(Packet(b"CNXN", VERSION, MAX_PAYLOAD, self.adbd.banner()))
        self._checked = self._peer_checks

    def _take_open(self, remote: int, payload: bytes) -> None:
        if not remote:
            raise ProtocolError("a stream without a number")
        name = payload.rstrip(b"\0").decode(errors="surrogateescape")
        try:
            if len(self._streams) >= _MAX_STREAMS:
                raise ConnectionRefusedError(name)  # noqa: TRY301 - one answer to every refusal
            service = find(self.adbd, self.drop, self.reverses, name)
        except ConnectionRefusedError:
            self._send(Packet(b"CLSE", 0, remote))
            return
        stream = self._new_stream(remote)
        self._send(Packet(b"OKAY", stream.local, remote))
        self.adbd.tasks.start(self._serve_stream(stream, name, service))

    async def _serve_stream(self, stream: Stream, name: str, service: Service) -> None:
        try:
            await service(stream)
            await stream.close()
        except (EOFError, BrokenPipeError, ConnectionError):
            pass  # the client has disconnected meanwhile
        except Exception as error:  # noqa: BLE001 - a broken service must not stop the phone
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{error!r} at {where.filename}:{where.lineno}"
            print(f"adb service {name[:200]!r} failed: {what}", file=sys.stderr)
        finally:
            stream.drop()

    def _new_stream(self, remote: int) -> Stream:
        self._last_id += 1
        stream = Stream(self._send, self._last_id, remote, self._max_payload)
        self._streams[stream.local] = stream
        return stream

    def _send(self, packet: Packet) -> None:
        if packet.command == b"CLSE":
            self._streams.pop(packet.arg0, None)
        if not self._writer.is_closing():
            self._writer.write(packet.encode(checked=self._checked))


def find(adbd: Adbd, drop: Callable[[], None], reverses: Reverses, name: str) -> Service:
    """Return the service called `name`; ConnectionRefusedError if there is none.

    `drop` ends the requesting connection, to which `reverses` belongs.
    """
    if name in adbd.listeners:
        return adbd.listeners[name]
    if is_expected(adbd.phone, name):
        return partial(serve_expected, adbd.phone)
    word, colon, argument = name.partition(":")
    kind, *options = word.split(",")
    services: dict[str, Service] = {
        "shell": partial(shell.serve, adbd, argument, options),
        "exec": partial(shell.serve, adbd, argument, ["raw"]),
        "sync": partial(sync.serve, adbd.phone.files, adbd.uid),
        "reverse": partial(_reverse, reverses, argument),
        "root": partial(_restart, adbd, drop, True),
        "unroot": partial(_restart, adbd, drop, False),
        "framebuffer": partial(_framebuffer, adbd.phone),
        "reboot": partial(_reboot, adbd.phone),
        **{each: partial(shell.serve, adbd, each, ["raw"]) for each in COMMANDS},
    }
    if word == "jdwp" and not colon:
        return partial(_jdwp, adbd.phone)
    if not colon or kind not in services:
        raise ConnectionRefusedError(name)
    return services[kind]


async def _restart(adbd: Adbd, drop: Callable[[], None], root: bool, stream: Stream) -> None:
    """Change adbd's user. The connection ends, as clients expect of an adbd that restarts.

    Connections of other adb servers stay open, because nothing would make them attach again.
    """
    if root == (adbd.uid == 0):
        same = "adbd is already running as root\n" if root else "adbd not running as root\n"
        await stream.write(same.encode())
        return
    adbd.become(root=root)
    await stream.write(f"restarting adbd as {'root' if root else 'non root'}\n".encode())
    await stream.close()
    drop()


async def _jdwp(phone: Phone, stream: Stream) -> None:
    """List the processes that a debugger can attach to: on this build, those of all apps."""
    pids = [each.pid for each in phone.proc.list() if phone.proc.running(each.name)]
    await stream.write("".join(f"{pid}\n" for pid in pids).encode())
    await stream.close()


async def _reboot(phone: Phone, stream: Stream) -> None:
    """Reboot the phone, whatever the target: it has no other system than Android."""
    await stream.close()
    phone.reboot()


async def _framebuffer(phone: Phone, stream: Stream) -> None:
    """Send the screen as raw pixels, in version 1 of the format."""
    width, height, pixels = phone.raw_screenshot()
    channels = (0, 8, 16, 8, 8, 8, 24, 8)  # offset and length of red, blue, green, alpha
    await stream.write(struct.pack("<13I", 1, 32, len(pixels), width, height, *channels) + pixels)


_FIRST_FREE_PORT = 32768  # where Linux starts assigning ports


async def _reverse(reverses: Reverses, command: str, stream: Stream) -> None:
    try:
        reply = reverses.answer(command)
    except ValueError as refusal:
        reply = b"FAIL" + _block(str(refusal))
    await stream.write(reply)


class Reverses:
    """The reverse forwards of an adb server, which end with its connection."""

    def __init__(self, listeners: Sockets, connect: Callable[[str], Awaitable[Stream]]) -> None:
        self._listeners = listeners
        self._connect = connect
        self._targets: dict[str, str] = {}

    def answer(self, command: str) -> bytes:
        """Execute a command and return the reply; ValueError, with adb's message, if it fails."""
        verb, _, rest = command.partition(":")
        if command == "list-forward":
            lines = [f"host-1 {local} {remote}\n" for local, remote in self._targets.items()]
            return _block("".join(lines))
        if command == "killforward-all":
            self.close()
            return b"OKAY"
        if verb == "killforward":
            return self._remove(rest)
        if verb == "forward":
            name = rest.removeprefix("norebind:")
            return self._add(name, rebind=name == rest)
        raise ValueError("not a reverse forwarding command")

    def close(self) -> None:
        """Remove all forwards."""
        for local in list(self._targets):
            self._remove(local)

    def _add(self, rule: str, *, rebind: bool) -> bytes:
        local, semicolon, target = rule.partition(";")
        if not (local and semicolon and target) or "*" in rule:
            raise ValueError(f"bad forward: {rule}")
        chosen = b""
        if local == "tcp:0":
            numbers = range(_FIRST_FREE_PORT, 65536)
            port = next(n for n in numbers if f"tcp:{n}" not in self._listeners)
            local, chosen = f"tcp:{port}", _block(str(port))
        if local in self._targets and not rebind:
            raise ValueError("cannot rebind existing socket")
        if local in self._listeners and local not in self._targets:
            raise ValueError("cannot bind listener: Address already in use")
        self._targets[local] = target
        self._listeners[local] = partial(self._lead, local)
        return b"OKAY" + chosen

    def _remove(self, local: str) -> bytes:
        if local not in self._targets:
            raise ValueError(f"listener '{local}' not found")
        del self._targets[local], self._listeners[local]
        return b"OKAY"

    async def _lead(self, local: str, inside: Stream) -> None:
        """Connect a connection from inside the phone with one to the computer.

        Only registered targets may be opened: adb servers of version 36 abort on any other.
        """
        outside = await self._connect(self._targets[local])
        ends = ((inside, outside), (outside, inside))
        ways = [asyncio.create_task(pour(source, goal)) for source, goal in ends]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            await outside.close()


def _block(text: str) -> bytes:
    data = text.encode(errors="surrogateescape")
    return b"%04x%b" % (len(data), data)
