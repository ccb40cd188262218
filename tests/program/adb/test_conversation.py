"""Data on open streams: no byte is changed, and no byte passes before its command is allowed.

Also, how the commands of programs are parsed by default.
"""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import Key, Tap, Type
from pytest_mobileagent.device.drivers.adb.shell import (
    CLOSE_STDIN,
    STDIN,
    FrameReader,
    failure,
    frame,
)
from pytest_mobileagent.program.adb.adbd import Packet, PacketError, read_packet
from pytest_mobileagent.program.adb.conversation import splitter_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.program.adb.conversation import StreamSplitter


TYPED = st.lists(st.sampled_from([b"a", b"\n", b"\r", b"echo", b"", b"\xff", b"\0"])).map(b"".join)


def split(data: bytes, places: Iterable[int]) -> list[bytes]:
    ends = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(ends)]


def passed(gate: StreamSplitter, parts: Iterable[bytes]) -> tuple[bytes, list[str]]:
    """Return all data that passes a gate, and the commands that it asks to allow."""
    pieces = [piece for part in parts for piece in gate.feed(part)] + [*gate.rest()]
    return b"".join(data for data, _ in pieces), [c.text for _, cs in pieces for c in cs]


@pytest.mark.parametrize("service", ["shell:", "sync:"])
@given(data=TYPED, places=st.lists(st.integers(0, 99)))
def test_bytes_pass_unchanged(service, data, places):
    assert passed(splitter_of(service), split(data, places))[0] == data


@pytest.mark.parametrize("service", ["shell,v2,raw:", "shell,v2,TERM=xterm,pty:"])
@given(data=TYPED, places=st.lists(st.integers(0, 99)), cuts=st.lists(st.integers(0, 99)))
def test_framed_bytes_pass_unchanged(service, data, places, cuts):
    framed = b"".join(frame(STDIN, part) for part in split(data, places)) + frame(CLOSE_STDIN, b"")
    out, _ = passed(splitter_of(service), split(framed, cuts))
    frames = FrameReader().feed(out)
    assert b"".join(content for kind, content in frames if kind == STDIN) == data
    assert [kind for kind, _ in frames].index(CLOSE_STDIN) == len(frames) - 1


@given(data=TYPED, places=st.lists(st.integers(0, 99)))
def test_each_line_is_a_command_however_it_arrives(data, places):
    gate = splitter_of("shell,v2,raw:")
    framed = b"".join(frame(STDIN, part) for part in split(data, places))
    text = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").decode("utf-8", "replace")
    lines = text.removesuffix("\n").split("\n") if data else []
    assert passed(gate, [framed])[1] == lines


def test_incomplete_line_waits_except_on_a_terminal():
    raw = splitter_of("shell,v2,raw:")
    assert passed_so_far(raw, frame(STDIN, b"one\ntw")) == [(frame(STDIN, b"one\n"), 1)]
    assert passed_so_far(raw, frame(STDIN, b"o\n")) == [(frame(STDIN, b"two\n"), 1)]
    terminal = splitter_of("shell:")
    assert passed_so_far(terminal, b"on") == [(b"on", 0)]
    assert passed_so_far(terminal, b"e\rtwo") == [(b"e", 0), (b"\r", 1), (b"two", 0)]


def test_terminal_shell_is_ready_after_its_prompt():
    for service in ("shell:", "shell,v2,pty:"):
        gate = splitter_of(service)
        assert not gate.answers(b"input tap 1 1\r\n")  # the echo of the typed text
        assert gate.answers(b"\r\nphone:/ $ ")
    assert splitter_of("shell,v2,raw:").answers(b"done\n")


def passed_so_far(gate: StreamSplitter, data: bytes) -> list[tuple[bytes, int]]:
    return [(piece, len(commands)) for piece, commands in gate.feed(data)]


@given(frames=st.lists(st.tuples(st.integers(0, 5), st.binary())), cuts=st.lists(st.integers(0)))
def test_frames_are_parsed_however_they_arrive(frames, cuts):
    reader = FrameReader()
    data = b"".join(frame(kind, content) for kind, content in frames)
    assert [each for part in split(data, cuts) for each in reader.feed(part)] == frames
    assert reader.between_frames
    assert frames == [] or not (reader.feed(data[:3]) or reader.between_frames)


def test_failure_has_a_message_and_an_exit_status():
    assert FrameReader().feed(failure("no")) == [(2, b"no\n"), (3, b"\xff")]


async def read(data: bytes) -> Packet:
    reader = asyncio.StreamReader()
    reader.feed_data(data)
    reader.feed_eof()
    return await read_packet(reader)


@given(
    command=st.binary(min_size=4, max_size=4),
    numbers=st.tuples(*[st.integers(0, 2**32 - 1)] * 2),
    payload=st.binary(),
)
def test_packets_round_trip(command, numbers, payload):
    packet = Packet(command, numbers[0], numbers[1], payload)
    assert asyncio.run(read(packet.encoded())) == packet


@given(st.binary(max_size=60))
def test_invalid_packets_are_refused(data):
    with pytest.raises((PacketError, EOFError)):
        asyncio.run(read(data))


def test_services_are_parsed_like_on_android(recording):
    recording.out("shell", "input tap 3 4 && input text 'a%sb'")
    recording.out("exec-out", "screencap -p | wc -c")
    recording.out("shell", input=b"input keyevent KEYCODE_HOME\necho x")
    assert recording.adb("reboot").returncode == 1
    assert b"restart" in recording.adb("shell", "reboot").stderr
    assert recording.out("get-state") == "device\n"
    acts, looks, _, key, said, rebooted, rebooted_again = recording.watching.asked
    assert acts.command.acts == (Tap(3, 4), Type("a b"))
    assert looks.command.looks
    assert key.command.acts == (Key("home"),)
    assert said.command.acts == ()
    for each in (rebooted, rebooted_again):
        assert each.command.refused
        assert not each.ended.is_set()
