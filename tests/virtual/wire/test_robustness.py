"""Clients that violate the adb protocol only harm themselves; and an adb stream on its own."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.virtual.wire.stream import Packet, ProtocolError, Stream
from tests.virtual.wire.client import CHECKED, Client, packet

if TYPE_CHECKING:
    from tests.virtual.phones import Running

CNXN = packet(b"CNXN", 0x01000001, 1 << 20, b"host::\0")


def test_connecting(running_phone: Running) -> None:
    with Client(running_phone) as client:
        answer = client.connect()
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
    ],
    ids=["http", "too big", "unknown", "no room"],
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


def test_a_stream_without_number_ends_the_connection(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.connect()
        client.send(b"OPEN", 0, 0, b"sync:\0")
        assert client.file.read(1) == b""


def test_unknown_services_are_refused(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.connect()
        for service in (b"", b"nope:", b"shell", b"tcp:1", b"localabstract:x", b"jdwp:1"):
            client.send(b"OPEN", 7, 0, service + b"\0")
            assert client.receive() == Packet(b"CLSE", 0, 7), service


def test_streams_are_not_without_number(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.connect()
        for number in range(1, 1002):
            client.send(b"OPEN", number, 0, b"sync:\0")
            assert client.receive().command == (b"OKAY" if number <= 1000 else b"CLSE")


def test_packets_for_streams_that_are_gone_are_ignored(running_phone: Running) -> None:
    with Client(running_phone) as client:
        client.connect()
        for command in (b"WRTE", b"OKAY", b"CLSE"):
            client.send(command, 5, 99, b"x")
        client.send(b"OPEN", 7, 0, b"exec:echo hi\0")
        opened = client.receive()
        assert (opened.command, opened.arg1) == (b"OKAY", 7)
        assert client.receive() == Packet(b"WRTE", opened.arg0, 7, b"hi\n")
        client.send(b"OKAY", 7, opened.arg0)
        assert client.receive() == Packet(b"CLSE", opened.arg0, 7)


def test_a_client_that_never_reads_holds_up_only_itself(running_phone: Running) -> None:
    running_phone.phone.files.write("/data/local/tmp/big", bytes(1 << 23))
    with Client(running_phone) as client:
        client.connect()
        for number in range(1, 20):
            client.send(b"OPEN", number, 0, b"exec:cat /data/local/tmp/big\0")
        assert running_phone.adb.text("shell", "echo fine") == "fine"
    running_phone.loop.run(running_phone.all_commands_end())


def test_a_sync_client_that_leaves_in_the_middle_leaves_no_file(running_phone: Running) -> None:
    request = struct.pack("<4sI", b"SEND", 26) + b"/data/local/tmp/half,33188"
    with Client(running_phone) as client:
        client.connect()
        client.send(b"OPEN", 1, 0, b"sync:\0")
        stream = client.receive().arg0
        client.send(b"WRTE", 1, stream, request + b"DATA\x10\0\0\0half")
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
        client.connect()
        client.send(b"OPEN", 1, 0, b"sync:\0")
        stream = client.receive().arg0
        client.send(b"WRTE", 1, stream, request_)
        replies = [client.receive(), client.receive()]
    assert said_in(replies) == b"FAIL" + struct.pack("<I", len(complaint)) + complaint


def said_in(replies: list[Packet]) -> bytes:
    return next(reply.payload for reply in replies if reply.command == b"WRTE")


def test_a_sync_client_and_the_shell_see_the_same_inode(running_phone: Running) -> None:
    path = b"/system/bin/sh"
    with Client(running_phone) as client:
        client.connect()
        client.send(b"OPEN", 1, 0, b"sync:\0")
        stream = client.receive().arg0
        client.send(b"WRTE", 1, stream, struct.pack("<4sI", b"STA2", len(path)) + path)
        said = said_in([client.receive(), client.receive()])
    _, error, _, inode = struct.unpack_from("<4sIQQ", said)
    shown = running_phone.adb.text("shell", f"stat -c %i {path.decode()}")
    assert (error, str(inode)) == (0, shown.strip())


def test_a_client_of_before_2016_gets_checksums(running_phone: Running) -> None:
    with Client(running_phone, CHECKED) as client:
        assert client.connect().command == b"CNXN"
        client.send(b"OPEN", 1, 0, b"shell:echo hello\0")
        while client.receive().payload != b"hello\n":
            pass


CHUNKS = st.lists(st.binary(min_size=1, max_size=50), max_size=20)


class Pair:
    """Two ends of a stream; packets arrive in the order in which they were sent."""

    def __init__(self, max_payload: int) -> None:
        self.unacknowledged = 0
        self.here = Stream(lambda packet: self.cross(packet, self.there), 1, 2, max_payload)
        self.there = Stream(lambda packet: self.cross(packet, self.here), 2, 1, max_payload)
        self.max_payload = max_payload

    def cross(self, packet: Packet, end: Stream) -> None:
        assert len(packet.payload) <= self.max_payload
        deliver = {
            b"WRTE": lambda: end.take_data(packet.payload),
            b"OKAY": lambda: end.take_okay(packet.arg0),
            b"CLSE": end.drop,
        }[packet.command]
        asyncio.get_running_loop().call_soon(deliver)


@settings(max_examples=30)  # each has an event loop of its own
@given(CHUNKS, st.integers(1, 60), st.integers(1, 60))
def test_everything_written_is_read_in_order(chunks: list[bytes], payload: int, read: int) -> None:
    async def transfer() -> bytes:
        pair = Pair(payload)

        async def write() -> None:
            for chunk in chunks:
                await pair.here.write(chunk)
            await pair.here.close()

        writer = asyncio.create_task(write())
        received = b""
        while data := await pair.there.read(read):
            assert len(data) <= read
            received += data
        await writer
        return received

    assert asyncio.run(transfer()) == b"".join(chunks)


def test_a_writer_waits_for_its_reader() -> None:
    async def waits() -> bool:
        sent: list[Packet] = []
        stream = Stream(sent.append, 1, 2, 4096)
        writer = asyncio.create_task(stream.write(bytes(1 << 20)))
        await writer
        second = asyncio.create_task(stream.write(b"more"))
        await asyncio.sleep(0)
        assert [packet.command for packet in sent] == [b"WRTE"]
        stream.drop()
        with pytest.raises(BrokenPipeError):
            await second
        return True

    assert asyncio.run(waits())


def test_a_sender_that_ignores_acknowledgements_is_stopped() -> None:
    async def flood() -> None:
        stream = Stream(lambda _: None, 1, 2, 4096)
        for _ in range(100):
            stream.take_data(bytes(1 << 20))

    with pytest.raises(ProtocolError, match="without waiting"):
        asyncio.run(flood())


def test_reading_exactly_fails_at_the_end() -> None:
    async def read() -> None:
        stream = Stream(lambda _: None, 1, 2, 4096)
        stream.take_data(b"abc")
        stream.drop()
        assert await stream.read_exactly(0) == b""
        assert await stream.read_exactly(2) == b"ab"
        await stream.read_exactly(2)

    with pytest.raises(EOFError):
        asyncio.run(read())
