"""A client that talks to adbd directly, without an adb server in between."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Self

from pytest_mobileagent.virtual.wire.adbd import private_numbers
from pytest_mobileagent.virtual.wire.stream import Packet
from tests.virtual.phones import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Running

CURRENT, CHECKED = 0x01000001, 0x01000000  # protocol versions: only the older has checksums
TOKEN, SIGNATURE, PUBLIC_KEY = 1, 2, 3
_DIGEST = bytes.fromhex("3021300906052b0e03021a05000414")


def packet(command: bytes, arg0: int, arg1: int, payload: bytes = b"") -> bytes:
    return Packet(command, arg0, arg1, payload).encode()


def sign(key: Path, token: bytes) -> bytes:
    """Sign as adb does: PKCS#1 v1.5, with the token in place of a SHA-1 digest."""
    modulus, _, exponent, *_ = private_numbers(key.read_bytes())
    padded = b"\0\1" + b"\xff" * (256 - 3 - len(_DIGEST) - len(token)) + b"\0" + _DIGEST + token
    return pow(int.from_bytes(padded, "big"), exponent, modulus).to_bytes(256, "big")


class Client:
    """A connection to adbd, with the key of the adb server that the phone knows."""

    def __init__(self, phone: Running, version: int = CURRENT) -> None:
        self.key = phone.adb.home / ".android" / "adbkey"
        self.version = version
        port = phone.server.adb_port
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def send(self, command: bytes, arg0: int, arg1: int, payload: bytes = b"") -> None:
        sent = Packet(command, arg0, arg1, payload)
        self.socket.sendall(sent.encode(checked=self.version == CHECKED))

    def receive(self) -> Packet:
        command, arg0, arg1, size, checksum, _ = struct.unpack("<4s5I", self.file.read(24))
        payload = self.file.read(size)
        if self.version == CHECKED:
            assert checksum == sum(payload)
        return Packet(command, arg0, arg1, payload)

    def ask(self) -> Packet:
        """Request a connection; return the token to sign."""
        self.send(b"CNXN", self.version, 4096 if self.version == CHECKED else 1 << 20, b"host::\0")
        return self.receive()

    def connect(self) -> Packet:
        """Request a connection and authenticate; return adbd's answer."""
        self.send(b"AUTH", SIGNATURE, 0, sign(self.key, self.ask().payload))
        return self.receive()
