"""Services of the device, and its reverse forwards, through the device's adb server."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb.shell import ServiceRefusedError, acknowledge_at_once
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pytest_mobileagent.device.device import Address


_CONNECT_SECONDS = 10.0
_ANSWER_SECONDS = 20.0
_CHUNK = 1 << 20  # bytes read at once; each chunk waits until the previous one is acknowledged
_CLOSING_SECONDS = 2.0  # for the device to end a service that the program has closed


@dataclass(frozen=True, slots=True)
class Service:
    """An open connection to an adb server, or through it to a service of the device."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def read(self) -> bytes:
        """Return the next bytes; empty at the end, or if the connection breaks."""
        with contextlib.suppress(OSError):  # bytes from before the break can still be read
            acknowledge_at_once(self.writer.get_extra_info("socket"))
        try:
            return await self.reader.read(_CHUNK)
        except OSError:
            return b""

    async def write(self, data: bytes) -> None:
        """Send bytes, waiting while the other side is slow.

        Raises:
            OSError: if the connection broke.
        """
        self.writer.write(data)
        await self.writer.drain()

    async def finish(self) -> None:
        """Send the rest, and wait until the device has ended the service."""
        with contextlib.suppress(OSError, TimeoutError):
            self.writer.write_eof()
            async with asyncio.timeout(_CLOSING_SECONDS):
                while await self.read():
                    pass

    def close(self) -> None:
        """Close the connection."""
        self.writer.close()

    async def request(self, text: str) -> None:
        """Send a request to the adb server, and wait until it accepts.

        Raises:
            ServiceRefusedError: if the server refuses.
            OSError, EOFError: if the connection broke.
        """
        encoded = text.encode("utf-8", "surrogateescape")
        self.writer.write(b"%04x%b" % (len(encoded), encoded))
        if await self.reader.readexactly(4) != b"OKAY":
            raise ServiceRefusedError((await self.block()).decode("utf-8", "replace"))

    async def block(self) -> bytes:
        """Return a block of bytes, which is preceded by its length."""
        try:
            size = int(await self.reader.readexactly(4), 16)
        except ValueError as error:
            raise EOFError from error
        return await self.reader.readexactly(size)


async def open_service(address: Address, service: str) -> Service:
    """Open a service of the device.

    Raises:
        ServiceRefusedError: if the server does not know the device, or that refuses the service.
        DeviceError: if no adb server answers, or the connection was lost.
    """
    server = await _connect(address.adb_host, address.adb_port)
    try:
        await server.request(f"host:transport:{address.serial}")
        await server.request(service)
    except (OSError, EOFError) as error:
        server.close()
        raise DeviceError(f"lost the connection to device {address}: {error}") from error
    except BaseException:
        server.close()
        raise
    return server


async def ask_service(address: Address, service: str) -> bytes:
    """Return the output of a service of the device, read until it ends.

    Raises:
        DeviceError: if the service cannot be opened, or does not end in time.
    """
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            opened = await open_service(address, service)
            with contextlib.closing(opened):
                return await opened.reader.read()
    except (OSError, TimeoutError) as error:
        raise DeviceError(f"device {address} does not answer: {error}") from error


async def banner(address: Address) -> bytes:
    """Return the banner with which adbd would introduce the device to an adb server.

    Features that would have to be emulated are left out, so that they are not used.

    Raises:
        DeviceError: if the adb server does not have the device, or does not answer.
    """
    features = (await ask_server(address, f"host-serial:{address.serial}:features")).split(",")
    lines = (await ask_server(address, "host:devices-l")).splitlines()
    serial = f"{address.serial} "
    words = next((line[len(serial) :].split() for line in lines if line.startswith(serial)), [])
    known = dict(word.split(":", 1) for word in words if ":" in word)
    names = {"name": "product", "model": "model", "device": "device"}
    text = "".join(f"ro.product.{name}={known.get(key, '')};" for name, key in names.items())
    # These change how data is acknowledged, pushed files compressed, and commands encoded.
    emulated = ("delayed_ack", "sendrecv_v2", "abb", "track_app")
    passed_on = ",".join(each for each in features if not each.startswith(emulated))
    return f"device::{text}features={passed_on}".encode()


async def ask_server(address: Address, request: str) -> str:
    """Return the block with which an adb server answers a request.

    Raises:
        DeviceError: if no adb server answers in time, or it refuses.
    """
    server = await _connect(address.adb_host, address.adb_port)
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            await server.request(request)
            return (await server.block()).decode("utf-8", "replace")
    except ServiceRefusedError as error:
        raise DeviceError(f"device {address} cannot be reached: {error}") from error
    except (OSError, EOFError, TimeoutError) as error:
        raise DeviceError(f"the adb server of {address} does not answer: {error}") from error
    finally:
        server.close()


async def states(host: str, port: int, serial: str) -> AsyncIterator[str]:
    """Yield the state of a device whenever an adb server's list changes; empty if it is not listed.

    Raises:
        DeviceError: if no adb server answers, or the connection was lost.
    """
    server = await _connect(host, port)
    try:
        await server.request("host:track-devices")
        while True:
            lines = (await server.block()).decode("utf-8", "replace").splitlines()
            yield dict(line.partition("\t")[::2] for line in lines).get(serial, "")
    except (OSError, EOFError) as error:
        msg = f"lost the connection to the adb server at {host}:{port}: {error}"
        raise DeviceError(msg) from error
    finally:
        server.close()


async def register(server_port: int, adbd_port: int) -> None:
    """Register an adbd with a local adb server, like an emulator; it may be registered already.

    Raises:
        DeviceError: if no adb server answers.
    """
    server = await _connect("127.0.0.1", server_port)
    text = f"host:emulator:{adbd_port}".encode()
    with contextlib.closing(server):
        await server.write(b"%04x%b" % (len(text), text))
        await server.reader.read()


async def _connect(host: str, port: int) -> Service:
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            return Service(*await asyncio.open_connection(host, port, limit=_CHUNK))
    except (OSError, TimeoutError) as error:
        msg = f"no adb server at {host}:{port}: {error or 'it does not answer'}"
        raise DeviceError(msg) from error


_CONTROLS = "localabstract:scrcpy"
_FORWARD, _REMOVE = "reverse:forward:", "reverse:killforward:"
_REMOVE_ALL = "reverse:killforward-all"


def failure(why: str) -> bytes:
    """Return the reply to a request that failed."""
    text = why.encode("utf-8", "replace")[:0xFFFF]
    return b"FAIL%04x%b" % (len(text), text)


class Reverses:
    """The reverse forwards that one program has created on a device."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._made: dict[str, None] = {}  # in order

    async def answer(self, service: str) -> bytes:
        """Carry out a request, and return the device's reply: `OKAY…` or `FAIL…`.

        Raises:
            DeviceError: if the device does not answer.
        """
        if service == _REMOVE_ALL:  # forwards of other programs are left alone
            await self.remove_all()
            return b"OKAY"
        if service.startswith(_FORWARD) and (why := self._refusal(service)):
            return failure(why)
        reply = await ask_service(self._address, service)
        if reply.startswith(b"OKAY"):
            self._note(service, reply)
        return reply

    async def remove_all(self) -> None:
        """Remove the program's reverse forwards, if the device is still available."""
        made, self._made = self._made, {}
        for local in made:
            with contextlib.suppress(DeviceError):
                await ask_service(self._address, _REMOVE + local)

    def _refusal(self, service: str) -> str:
        if not _is_local(self._address.adb_host):
            return f"the phone's adb server runs on {self._address.adb_host}, not on this machine"
        if _local_of(service).startswith(_CONTROLS):
            return "control of the phone must be recorded: use `adb forward` instead"
        return ""

    def _note(self, service: str, reply: bytes) -> None:
        if service.startswith(_REMOVE):
            self._made.pop(service.removeprefix(_REMOVE), None)
        elif service.startswith(_FORWARD):
            local = _local_of(service)
            if local == "tcp:0":  # the device has chosen a port, and returns it
                local = "tcp:" + reply[len(b"OKAY0000") :].decode("ascii", "replace")
            self._made[local] = None


def _local_of(service: str) -> str:
    """Return the phone's end of a reverse forward."""
    return service.removeprefix(_FORWARD).removeprefix("norebind:").partition(";")[0]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
