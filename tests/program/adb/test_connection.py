"""Our implementation of adbd, with adb servers that may behave in any way."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.program.adb import Attachment
from pytest_mobileagent.program.adb.adbd import MOST_PAYLOAD, VERSION, Adbd, Packet, read_packet
from pytest_mobileagent.program.adb.services import banner

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from pytest_mobileagent.program.adb.adbd import Stream

PATIENCE = 20.0


class Server:
    """Stands in for an adb server, and exchanges packets one by one."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, command: str, *rest: Any) -> None:
        self.writer.write(Packet(command.encode(), *rest).encoded())

    async def receive(self) -> tuple[str, int, int, bytes]:
        packet = await read_packet(self.reader)
        return packet.command.decode(), packet.arg0, packet.arg1, packet.payload

    async def introduce(self, most: int = MOST_PAYLOAD) -> None:
        """Introduce this server."""
        self.send("CNXN", VERSION, most, b"host::")
        banner = await self.receive()
        assert banner == ("CNXN", VERSION, MOST_PAYLOAD, b"device::features=cmd")

    async def closed(self) -> bool:
        return await self.reader.read() == b""


async def echo(stream: Stream, service: str) -> None:
    """Send the name of the service, and then echo all data."""
    if service == "none:":
        return
    stream.accept()
    await stream.write(service.encode())
    while data := await stream.read():
        await stream.write(data)
    await stream.finish()


def talk(
    conversation: Callable[[Server], Coroutine[Any, Any, None]],
    most: int = MOST_PAYLOAD,
    serve: Callable[[Stream, str], Awaitable[None]] = echo,
) -> None:
    """Hold a conversation with an adbd, with payloads of at most `most` bytes."""

    async def talking() -> None:
        adbd = Adbd(b"device::features=cmd", serve)
        await adbd.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", adbd.port)
        try:
            async with asyncio.timeout(PATIENCE):
                server = Server(reader, writer)
                if most:
                    await server.introduce(most)
                await conversation(server)
        finally:
            writer.close()
            await adbd.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(talking())


def test_next_message_waits_for_acknowledgement():
    async def conversation(server: Server) -> None:
        server.send("OPEN", 7, 0, b"name:\0")
        assert await server.receive() == ("OKAY", 1, 7, b"")
        assert await server.receive() == ("WRTE", 1, 7, b"name:")
        server.send("WRTE", 7, 1, b"hello")
        assert await server.receive() == ("OKAY", 1, 7, b"")
        server.send("OPEN", 8, 0, b"other:\0")
        assert await server.receive() == ("OKAY", 2, 8, b"")  # no reply to "hello" before
        assert await server.receive() == ("WRTE", 2, 8, b"other:")
        server.send("OKAY", 7, 1)
        assert await server.receive() == ("WRTE", 1, 7, b"hello")

    talk(conversation)


def test_unread_data_is_not_acknowledged():
    async def conversation(server: Server) -> None:
        server.send("OPEN", 7, 0, b"name:\0")
        await server.receive()
        await server.receive()
        for part in (b"one", b"two"):
            server.send("WRTE", 7, 1, part)
        assert await server.receive() == ("OKAY", 1, 7, b"")  # "one" has been read, and is waiting
        server.send("OPEN", 8, 0, b"none:\0")
        assert await server.receive() == ("CLSE", 0, 8, b"")
        server.send("OKAY", 7, 1)
        answers = [await server.receive(), await server.receive()]
        assert sorted(answers) == [("OKAY", 1, 7, b""), ("WRTE", 1, 7, b"one")]

    talk(conversation)


def test_data_sent_before_closing_is_read():
    read: list[bytes] = []

    async def serve(stream: Stream, service: str) -> None:
        stream.accept()
        while not stream.closed:
            await asyncio.sleep(0)
        while data := await stream.read():
            read.append(data)
        with pytest.raises(BrokenPipeError):
            await stream.write(b"late")

    async def conversation(server: Server) -> None:
        server.send("OPEN", 7, 0, b"x:\0")
        await server.receive()
        for part in (b"one", b"two"):
            server.send("WRTE", 7, 1, part)
        server.send("CLSE", 7, 1)
        server.send("OPEN", 8, 0, b"x:\0")
        await server.receive()

    talk(conversation, serve=serve)
    assert read[:2] == [b"one", b"two"]


def test_payloads_respect_the_servers_maximum():
    async def conversation(server: Server) -> None:
        server.send("OPEN", 7, 0, b"longer:\0")
        assert (await server.receive())[0] == "OKAY"
        received = b""
        while len(received) < 7:
            *_, payload = await server.receive()
            assert len(payload) <= 4
            received += payload
            server.send("OKAY", 7, 1)
        assert received == b"longer:"

    talk(conversation, most=4)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        Packet(b"CNXN", VERSION, 1, b"").encoded()[:20] + b"\0" * 4,
        Packet(b"WRTE", 1, 1, b"x" * (MOST_PAYLOAD + 1)).encoded()[:24],
    ],
    ids=["HTTP", "wrong check", "too much"],
)
def test_a_client_that_does_not_speak_adb_is_disconnected(data):
    async def conversation(server: Server) -> None:
        server.writer.write(data)
        assert await server.closed()

    talk(conversation, most=0)


def test_server_without_introduction_opens_no_stream():
    async def conversation(server: Server) -> None:
        server.send("OPEN", 7, 0, b"early:\0")
        await server.introduce()
        server.send("OPEN", 8, 0, b"late:\0")
        assert await server.receive() == ("OKAY", 1, 8, b"")

    talk(conversation, most=0)


def test_packets_for_unknown_streams_are_ignored():
    async def conversation(server: Server) -> None:
        for command in ("OKAY", "WRTE", "CLSE", "AUTH", "SYNC"):
            server.send(command, 9, 9, b"x")
        server.send("OPEN", 7, 0, b"name:\0")
        assert await server.receive() == ("OKAY", 1, 7, b"")

    talk(conversation)


def test_too_many_streams_are_refused():
    async def serve(stream: Stream, service: str) -> None:
        await stream.read()

    async def conversation(server: Server) -> None:
        for number in range(1, 502):
            server.send("OPEN", number, 0, b"x:\0")
        assert await server.receive() == ("CLSE", 0, 501, b"")
        server.send("CLSE", 1, 1)

    talk(conversation, serve=serve)


def test_closing_cuts_off_open_streams(monkeypatch):
    monkeypatch.setattr("pytest_mobileagent.program.adb.adbd._ENDING_SECONDS", 0.01)
    cut: list[str] = []

    async def serve(stream: Stream, service: str) -> None:
        stream.accept()
        try:
            await asyncio.sleep(600)
        finally:
            cut.append(service)

    async def conversation(server: Server) -> None:
        server.send("OPEN", 7, 0, b"x:\0")
        await server.receive()

    talk(conversation, serve=serve)
    assert cut == ["x:"]


def test_vanished_device_closes_its_connections(monkeypatch):
    address = Address("emulator-5554", "127.0.0.1", 5037, "")
    there, vanishes = asyncio.Event(), asyncio.Event()

    class Dropped:
        serial, port = "emulator-20000", 20001

        def drop(self) -> None:
            vanishes.set()

    async def states(_host: str, _port: int, serial: str) -> AsyncIterator[str]:
        yield "device"
        if serial == address.serial:
            await there.wait()
            yield "offline"
        await asyncio.Event().wait()

    async def check() -> None:
        attached = Attachment(address, cast("Adbd", Dropped()), 5037)
        await attached.start()
        assert not vanishes.is_set()
        there.set()
        await asyncio.wait_for(vanishes.wait(), 5)
        await attached.close()

    monkeypatch.setattr("pytest_mobileagent.program.adb.states", states)
    asyncio.run(check())


def test_features_that_would_need_imitation_are_not_offered(monkeypatch):
    async def ask_server(_: Address, request: str) -> str:
        if request == "host:devices-l":
            return "other device\nemulator-5554 device product:p model:m device:d transport_id:1\n"
        return "shell_v2,cmd,delayed_ack,sendrecv_v2_brotli,abb,abb_exec,track_app,stat_v2"

    monkeypatch.setattr("pytest_mobileagent.program.adb.services.ask_server", ask_server)
    assert asyncio.run(banner(Address("emulator-5554", "127.0.0.1", 5037, ""))) == (
        b"device::ro.product.name=p;ro.product.model=m;ro.product.device=d;"
        b"features=shell_v2,cmd,stat_v2"
    )
