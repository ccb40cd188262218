"""An adb stream on its own: everything written arrives, one packet at a time."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_mobileagent.virtual.wire.stream import Packet, ProtocolError, Stream

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
