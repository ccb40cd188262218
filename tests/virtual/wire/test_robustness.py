"""Clients that do not know adb, or do not keep to it, harm nobody but themselves."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Self

import pytest

from pytest_mobileagent.virtual.wire.packets import Packet

if TYPE_CHECKING:
    from tests.virtual.phones import Running

CNXN = Packet(b"CNXN", 0x01000001, 1 << 20, b"host::\0").encode()


def packet(command: bytes, arg0: int, arg1: int, payload: bytes = b"") -> bytes:
    return Packet(command, arg0, arg1, payload).encode()


class Client:
    """Speaks to adbd without an adb server in between."""

    def __init__(self, phone: Running) -> None:
        self.socket = socket.create_connection(("127.0.0.1", phone.server.adb_port), timeout=10)
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def receive(self) -> Packet:
        command, arg0, arg1, size, _, _ = struct.unpack("<4s5I", self.file.read(24))
        return Packet(command, arg0, arg1, self.file.read(size))


def test_connecting(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.socket.sendall(CNXN)
        answer = client.receive()
    assert (answer.command, answer.arg0, answer.arg1) == (b"CNXN", 0x01000001, 1 << 20)
    assert answer.payload == (
        b"device::ro.product.name=sdk_gphone64_x86_64;ro.product.model=sdk_gphone64_x86_64;"
        b"ro.product.device=emu64xa;features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"
    )


@pytest.mark.parametrize(
    "nonsense",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        struct.pack("<4s5I", b"OPEN", 1, 0, 1 << 31, 0, 0x4E45504F ^ 0xFFFFFFFF),
        CNXN + packet(b"NOPE", 1, 1),
        packet(b"CNXN", 0x01000001, 0),
        CNXN + packet(b"OPEN", 0, 0, b"sync:\0"),
    ],
    ids=["http", "too big", "unknown", "no room", "no number"],
)
def test_nonsense_ends_the_connection(
    running_phone: Running, nonsense: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with Client(running_phone) as client:
        client.socket.sendall(nonsense)
        client.socket.shutdown(socket.SHUT_WR)
        while client.file.read(1 << 16):
            pass
    assert capfd.readouterr().err.startswith("adb connection dropped: ")
    assert running_phone.adb.text("shell", "echo fine") == "fine"


@pytest.mark.parametrize("service", ["", "nope:", "shell", "tcp:1", "localabstract:x", "jdwp:1"])
def test_what_is_not_there_is_refused(running_phone: Running, service: str) -> None:
    with Client(running_phone) as client:
        client.socket.sendall(CNXN + packet(b"OPEN", 7, 0, service.encode() + b"\0"))
        assert client.receive().command == b"CNXN"
        assert client.receive() == Packet(b"CLSE", 0, 7)


def test_streams_are_not_without_number(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.socket.sendall(CNXN)
        client.receive()
        for number in range(1, 1002):
            client.socket.sendall(packet(b"OPEN", number, 0, b"sync:\0"))
            assert client.receive().command == (b"OKAY" if number <= 1000 else b"CLSE")


def test_packets_for_streams_that_are_gone_are_ignored(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.socket.sendall(
            CNXN
            + b"".join(packet(command, 5, 99, b"x") for command in (b"WRTE", b"OKAY", b"CLSE"))
            + packet(b"OPEN", 7, 0, b"exec:echo hi\0")
        )
        assert client.receive().command == b"CNXN"
        opened = client.receive()
        assert (opened.command, opened.arg1) == (b"OKAY", 7)
        assert client.receive() == Packet(b"WRTE", opened.arg0, 7, b"hi\n")
        client.socket.sendall(packet(b"OKAY", 7, opened.arg0))
        assert client.receive() == Packet(b"CLSE", opened.arg0, 7)


def test_a_client_that_never_reads_holds_up_only_itself(running_phone: Running) -> None:
    running_phone.phone.files.write("/data/local/tmp/big", bytes(1 << 23))
    with Client(running_phone) as client:
        client.socket.sendall(CNXN)
        for number in range(1, 20):
            client.socket.sendall(packet(b"OPEN", number, 0, b"exec:cat /data/local/tmp/big\0"))
        assert running_phone.adb.text("shell", "echo fine") == "fine"
    running_phone.loop.run(running_phone.all_commands_end())


def test_a_sync_client_that_leaves_in_the_middle_leaves_no_file(running_phone: Running) -> None:
    request = struct.pack("<4sI", b"SEND", 26) + b"/data/local/tmp/half,33188"
    with Client(running_phone) as client:
        client.socket.sendall(CNXN + packet(b"OPEN", 1, 0, b"sync:\0"))
        client.receive()
        stream = client.receive().arg0
        client.socket.sendall(packet(b"WRTE", 1, stream, request + b"DATA\x10\0\0\0half"))
    running_phone.loop.run(running_phone.all_commands_end())
    assert not running_phone.phone.files.exists("/data/local/tmp/half")


@pytest.mark.parametrize(
    ("request_", "complaint"),
    [
        (b"NOPE\x01\0\0\0x", b"unknown command 45504f4e"),
        (b"STAT\x01\x04\0\0", b"path too long"),
        (b"SEND\x02\0\0\0/x", b"missing , in ID_SEND_V1"),
        (b"SEND\x04\0\0\0/x,1NOPE\0\0\0\0", b"invalid data message"),
        (b"SEND\x04\0\0\0/x,1DATA\0\0\0\x7f", b"invalid data message"),
    ],
)
def test_bad_sync_requests_are_refused(
    running_phone: Running, request_: bytes, complaint: bytes
) -> None:
    with Client(running_phone) as client:
        client.socket.sendall(CNXN + packet(b"OPEN", 1, 0, b"sync:\0"))
        client.receive()
        stream = client.receive().arg0
        client.socket.sendall(packet(b"WRTE", 1, stream, request_))
        replies = [client.receive(), client.receive()]
    said = next(reply.payload for reply in replies if reply.command == b"WRTE")
    assert said == b"FAIL" + struct.pack("<I", len(complaint)) + complaint


def test_a_client_of_before_2016_gets_checksums(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.socket.sendall(Packet(b"CNXN", 0x01000000, 4096, b"host::\0").encode(checked=True))
        client.socket.sendall(packet(b"OPEN", 1, 0, b"shell:echo hello\0"))
        payloads = []
        while not payloads or payloads[-1] != b"hello\n":
            _, _, _, size, checksum, _ = struct.unpack("<4s5I", client.file.read(24))
            payloads.append(client.file.read(size))
            assert checksum == sum(payloads[-1])
