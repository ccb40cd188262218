"""The event listener: enabled by a setting, it sends events through a socket."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.image.event_listener import ADDRESS, PACKAGE
from pytest_mobileagent.virtual.wire.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.wire.stream import Packet

SERVICE = f"{PACKAGE}/.ListenerService"
ENABLE = f"settings put secure enabled_accessibility_services {SERVICE}"


class Client:
    """The client's end of a stream to the listener."""

    def __init__(self, phone):
        self.stream = Stream(self._take, 1, 2, 1 << 20)
        self.received = b""
        self.ended = False
        self.task = asyncio.create_task(phone.sockets[ADDRESS](self.stream))

    def _take(self, packet: Packet) -> None:
        if packet.command == b"WRTE":
            self.received += packet.payload
            asyncio.get_running_loop().call_soon(self.stream.take_okay, 2)
        elif packet.command == b"CLSE":
            self.ended = True

    def ask(self, **request):
        self.stream.take_data(json.dumps(request).encode() + b"\n")

    async def line(self):
        """The next line from the listener."""
        async with asyncio.timeout(5):
            while b"\n" not in self.received:
                await asyncio.sleep(0)
        line, _, self.received = self.received.partition(b"\n")
        return json.loads(line)

    async def events(self):
        """All events sent so far."""
        self.ask(ping="now")
        found = []
        while "pong" not in (line := await self.line()):
            found.append(line)
        return found


@pytest.fixture
def listening(demo: Phone, sh: Callable[[str], str]) -> Phone:
    sh(ENABLE)
    return demo


def test_the_listener_listens_when_the_setting_names_it_and_while_it_is_installed(phone, sh):
    assert ADDRESS not in phone.sockets
    assert not phone.events.listeners
    sh(ENABLE)
    assert ADDRESS in phone.sockets
    assert sh("settings get secure accessibility_enabled") == "1\n"
    assert PACKAGE in sh("ps -A -o NAME")
    sh(f"am force-stop {PACKAGE}")
    assert ADDRESS not in phone.sockets
    assert sh("settings get secure accessibility_enabled") == "0\n"
    sh(ENABLE)
    sh(f"pm uninstall {PACKAGE}")
    assert ADDRESS not in phone.sockets
    sh(ENABLE)
    assert not phone.events.listeners


def test_the_listener_sends_a_greeting_and_then_events(listening, hand):
    async def talk():
        hand.tap("text", "Loud")
        client = Client(listening)
        hello = await client.line()
        assert hello["protocol"] == 1
        assert hello["sequence"] > 0
        client.ask(since=hello["sequence"])
        assert await client.events() == []
        hand.tap("content-desc", "Add")
        clicked, opened, *_ = await client.events()
        client.stream.drop()
        return hello, clicked, opened

    hello, clicked, opened = asyncio.run(talk())
    assert clicked["sequence"] == hello["sequence"] + 1
    assert clicked["type"] == "TYPE_VIEW_CLICKED"
    assert clicked["resource_id"] == "org.demo:id/add"
    assert clicked["text"] == [clicked["content_description"]] == ["Add"]
    assert clicked["class_name"] == "android.widget.ImageButton"
    assert clicked["package"] == "org.demo"
    assert clicked["time"].startswith("2026-11-20T12:00:00.000")
    assert len(clicked["bounds"]) == 4
    assert opened["type"] == "TYPE_WINDOW_STATE_CHANGED"
    assert "resource_id" not in opened


def test_missed_events_are_sent_again_on_request(listening, hand):
    async def talk():
        client = Client(listening)
        hello = await client.line()
        client.ask(since=hello["sequence"])
        hand.tap("text", "Loud")
        first = await client.events()
        client.stream.drop()
        hand.tap("content-desc", "Add")
        again = Client(listening)
        assert (await again.line())["session"] == hello["session"]
        again.ask(since=first[-1]["sequence"])
        rest = await again.events()
        again.stream.drop()
        return [event["sequence"] for event in first + rest]

    sequence = asyncio.run(talk())
    assert sequence == list(range(sequence[0], sequence[0] + len(sequence)))


def test_no_events_are_sent_before_a_request(listening, hand):
    async def talk():
        client = Client(listening)
        await client.line()
        hand.tap("text", "Loud")
        events = await client.events()
        client.stream.drop()
        return events

    assert asyncio.run(talk()) == []


@pytest.mark.parametrize("nonsense", [b"what?\n", b"\xff\xfe\n", b"x" * 5000])
def test_nonsense_ends_the_connection(listening, nonsense):
    async def talk():
        client = Client(listening)
        await client.line()
        client.stream.take_data(nonsense)
        await asyncio.wait_for(client.task, 5)

    asyncio.run(talk())


def test_a_snapshot_ends_the_connection_and_starts_a_new_session(listening, hand):
    listening.snapshots.save("here")

    async def talk():
        client = Client(listening)
        before = await client.line()
        client.ask(since=before["sequence"])
        hand.tap("text", "Loud")
        listening.snapshots.load("here")
        await asyncio.wait_for(client.task, 5)
        assert client.ended
        again = Client(listening)
        after = await again.line()
        again.ask(since=0)
        events = await again.events()
        again.stream.drop()
        return before, after, events

    before, after, events = asyncio.run(talk())
    assert before["session"] != after["session"]
    assert events == []
    listening.snapshots.delete("here")


def test_clients_stay_connected_to_a_phone_that_takes_over_the_state_of_another(listening, hand):
    async def talk():
        client = Client(listening)
        client.ask(since=(await client.line())["sequence"])
        listening.snapshots.take_over(listening.snapshots)
        hand.tap("text", "Loud")
        events = await client.events()
        client.stream.drop()
        return events

    assert "TYPE_VIEW_CLICKED" in {event["type"] for event in asyncio.run(talk())}


def test_a_test_tool_may_suppress_services_for_as_long_as_it_runs(listening, hand):
    async def talk():
        client = Client(listening)
        client.ask(since=(await client.line())["sequence"])
        with listening.ui_automation.connect("tool", suppress=True):
            hand.tap("text", "Loud")
        with listening.ui_automation.connect("tool"):
            hand.tap("content-desc", "Add")
        events = await client.events()
        client.stream.drop()
        return [event["text"] for event in events if event["type"] == "TYPE_VIEW_CLICKED"]

    assert asyncio.run(talk()) == [["Add"]]
