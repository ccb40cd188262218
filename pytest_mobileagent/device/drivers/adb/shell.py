"""A shell on the device that stays open: a call is one round trip, however many scripts it runs.

Its output comes in frames of adb's shell protocol, version 2: a kind, a length, and bytes (AOSP,
packages/modules/adb: shell_protocol.h). Other services of the adb server are opened here, too.
"""

from __future__ import annotations

import secrets
import socket
import struct
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.processes import is_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adbutils import AdbConnection

    from pytest_mobileagent.device.device import Address


listeners: list[Callable[[str, ScriptOutput], None]] = []  # told of each script and its output
STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN = range(5)
_FAILED = 255  # the exit status of a shell that could not be started
_PIECE = 1 << 16  # bytes that are sent or received at once

HEADER = struct.Struct("<BI")  # of a frame: its kind, and the number of bytes that follow


def frame(kind: int, data: bytes) -> bytes:
    """Return the bytes of a frame."""
    return HEADER.pack(kind, len(data)) + data


def failure(why: str) -> bytes:
    """Return the frames of a shell that could not be started, with a message."""
    text = f"{why}\n".encode("utf-8", "replace")
    return frame(STDERR, text) + frame(EXIT, bytes([_FAILED]))


class FrameReader:
    """Splits a stream of bytes into frames, whatever chunks the bytes arrive in."""

    def __init__(self) -> None:
        self._rest = bytearray()

    @property
    def between_frames(self) -> bool:
        """Whether the last frame is complete."""
        return not self._rest

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Return the kind and bytes of each frame that is complete now."""
        self._rest += data
        frames, start = [], 0
        while len(self._rest) - start >= HEADER.size:
            kind, size = HEADER.unpack_from(self._rest, start)
            end = start + HEADER.size + size
            if end > len(self._rest):
                break
            frames.append((kind, bytes(self._rest[start + HEADER.size : end])))
            start = end
        del self._rest[:start]
        return frames


_OPEN_SECONDS = 20.0  # an adb server or a device that hangs never answers
_QUICK_ACK: int | None = getattr(socket, "TCP_QUICKACK", None)  # Linux only


@dataclass(frozen=True, slots=True)
class ScriptOutput:
    """The output of a script, standard output and error in the order written, and its status."""

    raw: bytes
    status: int

    @property
    def text(self) -> str:
        return self.raw.decode("utf-8", "replace").replace("\r\n", "\n")

    def __str__(self) -> str:
        return f"({len(self.raw)} bytes of PNG)" if self.raw.startswith(b"\x89PNG") else self.text


class ConnectionLostError(DeviceError):
    """The connection to a device was lost; unlike a device that hangs, it may come back."""


class Shell:
    """Runs scripts on a device through a stream of the adb server, which is opened on first use.

    `round_trips` counts the calls, for measurements.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self.round_trips = 0
        self._stream: socket.socket | None = None
        self._frames, self._received = FrameReader(), bytearray()

    def run(self, script: str, timeout: float = 30.0) -> ScriptOutput:
        """Run one script (see `run_all`)."""
        return self.run_all([script], timeout)[0]

    def run_all(self, scripts: Sequence[str], timeout: float = 60.0) -> list[ScriptOutput]:
        """Run scripts one after the other, in one round trip, and return the output of each.

        Raises:
            ConnectionLostError: if the connection was lost.
            DeviceError: if the device cannot be reached, or takes more than `timeout` seconds.
        """
        marker = secrets.token_hex(16)
        # Each script runs in a subshell, which it may exit or change the folder of. It must not
        # read standard input, which contains the commands that follow.
        lines = [
            f"( {script}\n) </dev/null 2>&1; status=$?; echo; echo {marker} $status\n"
            for script in scripts
        ]
        deadline = time.monotonic() + timeout
        self.round_trips += 1
        try:
            if self._stream is None:
                self._stream = open_service(self.address, "shell,v2,raw:")
            sent = "".join(lines).encode()
            for start in range(0, len(sent), _PIECE):
                self._stream.sendall(frame(STDIN, sent[start : start + _PIECE]))
            outputs = [self._until(self._stream, marker.encode(), deadline) for _ in scripts]
        except (OSError, EOFError) as error:
            self.close()
            what = f"device {self.address}: {error}"
            raise ConnectionLostError(f"lost the connection to {what}") from error
        except BaseException:
            self.close()
            raise
        for script, output in zip(scripts, outputs, strict=True):
            for listener in listeners:
                listener(script, output)
        return outputs

    def close(self) -> None:
        """End the stream; the next call opens a new one."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self._frames, self._received = FrameReader(), bytearray()

    def _until(self, stream: socket.socket, marker: bytes, deadline: float) -> ScriptOutput:
        """Return the output before the marker, and the status after it."""
        searched, has_ended = 0, False
        while True:
            place = self._received.find(b"\n" + marker, searched)
            end = self._received.find(b"\n", place + 1) if place >= 0 else -1
            if end >= 0:
                raw = bytes(self._received[:place])
                status = int(self._received[place + 1 + len(marker) : end])
                del self._received[: end + 1]
                return ScriptOutput(raw, status)
            if has_ended:
                raise EOFError("its shell ended")
            searched = max(0, len(self._received) - len(marker) - 1)
            try:
                part = receive(stream, deadline)
            except TimeoutError:
                raise DeviceError(f"device {self.address} did not answer in time") from None
            frames = self._frames.feed(part)
            self._received += b"".join(data for kind, data in frames if kind in (STDOUT, STDERR))
            has_ended = any(kind == EXIT for kind, _ in frames)


def receive(stream: socket.socket, deadline: float) -> bytes:
    """Return the next bytes of a stream of the adb server.

    Raises:
        TimeoutError: if none arrive until the `deadline`, on the monotonic clock.
        EOFError: if the stream has ended.
    """
    left = deadline - time.monotonic()
    if left <= 0 or not is_readable(stream, left):
        raise TimeoutError("no answer in time")
    acknowledge_at_once(stream)
    part = stream.recv(_PIECE)
    if not part:
        raise EOFError("the connection was closed")
    return part


def acknowledge_at_once(stream: socket.socket) -> None:
    """Tell the kernel to acknowledge the next packet without delay.

    The adb server sends small packets, each only after the previous one was acknowledged; a delayed
    acknowledgement would cost up to 40 ms per packet.
    """
    if _QUICK_ACK is not None:
        stream.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)


class ServiceRefusedError(DeviceError):
    """The device, or its adb server, answers but refuses a service."""


NO_SERIAL = "(no serial number)"  # as adb lists a phone that has none


def open_service(address: Address, service: str) -> socket.socket:
    """Open a service of the device through the adb server, and return its stream.

    Raises:
        ServiceRefusedError: if the device refuses.
        DeviceError: if no adb server answers, or it cannot reach the device.
    """
    if address.serial == NO_SERIAL:  # adb has no name for it: it must be the only phone on USB
        try:
            return _open(address, "host:transport-usb", service)
        except ServiceRefusedError:
            raise
        except DeviceError:
            pass
    return _open(address, f"host:transport:{address.serial}", service)


def _open(address: Address, transport: str, service: str) -> socket.socket:
    import adbutils  # it takes 50 ms to import

    connection = _open_server(address.adb_host, address.adb_port)
    reached = False
    try:
        for command in (transport, service):
            connection.send_command(command)
            reached = command == service
            connection.check_okay()
    except (adbutils.AdbError, OSError) as error:
        connection.conn.close()
        lost = isinstance(error, OSError | adbutils.AdbTimeout) or str(error).startswith("device ")
        failed = ServiceRefusedError if reached and not lost else DeviceError
        raise failed(f"device {address} cannot be reached: {error}") from error
    stream: socket.socket = connection.conn
    return stream


def restart_as_root(address: Address) -> bool:
    """Ask the device's adbd to restart as root; return whether it says that it does.

    Devices refuse in many words, or without any.

    Raises:
        DeviceError: if the device cannot be reached, or does not answer.
    """
    try:
        with open_service(address, "root:") as stream, stream.makefile("rb") as reader:
            return b"restarting" in reader.read()
    except ServiceRefusedError:
        return False
    except OSError as error:
        msg = f"device {address} does not say whether adbd may run as root: {error}"
        raise DeviceError(msg) from error


def listed(host: str, port: int, seconds: float | None = None) -> dict[str, str]:
    """Return the state of each device that an adb server lists, by serial.

    Raises:
        DeviceError: if no adb server answers within `seconds` (by default 20).
    """
    import adbutils  # it takes 50 ms to import

    connection = _open_server(host, port, seconds)
    try:
        connection.send_command("host:devices")
        connection.check_okay()
        lines = str(connection.read_string_block()).splitlines()
    except (adbutils.AdbError, OSError) as error:
        msg = f"the adb server at {host}:{port} does not list its devices: {error}"
        raise DeviceError(msg) from error
    finally:
        connection.conn.close()
    return {serial: state for serial, _, state in (line.partition("\t") for line in lines)}


def register(address: Address) -> None:
    """Register an emulator with the adb server, which emulators also do themselves.

    Raises:
        DeviceError: if no adb server answers.
    """
    connection = _open_server(address.adb_host, address.adb_port)
    port = int(address.serial.rpartition("-")[2]) + 1
    connection.send_command(f"host:emulator:{port}")
    connection.conn.close()


def _open_server(host: str, port: int, seconds: float | None = None) -> AdbConnection:
    import adbutils  # it takes 50 ms to import

    limit = _OPEN_SECONDS if seconds is None else seconds

    class Connection(adbutils.AdbConnection):  # type: ignore[misc]  # it has no types
        """A connection that supports IPv6, and never starts an adb server that would linger."""

        def _safe_connect(self) -> socket.socket:
            stream = socket.create_connection((host, port), timeout=min(5, limit))
            stream.settimeout(limit)
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return stream

    try:
        return Connection(host, port)
    except OSError as error:
        raise DeviceError(f"no adb server at {host}:{port}: {error}") from error
