"""The phone behind the tools: failed scripts, recorded pages, and calls that arrive twice.

A script's failure is recognised by its status, or by the output of commands without one. Actions
that recorded pages do not support are reported as errors. A call that is repeated is done only
once.
"""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
from typing import TYPE_CHECKING, cast

import pytest

from pytest_mobileagent import Tap
from pytest_mobileagent.dataset.graph import Graph
from pytest_mobileagent.device.drivers.graph import GraphDevice
from pytest_mobileagent.mcp.endpoint import _LAUNCHABLE, OwnPhone, run_script
from pytest_mobileagent.mcp.phone_server import Caller, ClientCall, RepeatedCalls
from pytest_mobileagent.testing import FakePhone, make_screen
from tests.dataset.graph.conftest import write_notes

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import System


class Computer:
    """A system whose shell is that of this machine."""

    def shell(self, script: str) -> str:
        return subprocess.run(
            ["sh", "-c", script], capture_output=True, check=False
        ).stdout.decode()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo fine; (exit 0)", ""),
        ("echo 'no such app' >&2; exit 3", "no such app"),
        ("false", "it failed"),
        ("echo 'Starting: x'; echo 'Error: not started'", "Starting: x\nError:*"),
        ("echo 'Failure [DELETE_FAILED_INTERNAL_ERROR]'", "Failure *"),
        ("echo 'no Error here'", ""),
        ("echo 'a quote has no end", "*"),
    ],
)
def test_the_output_of_a_failed_script_is_returned(script, why):
    found = run_script(cast("System", Computer()), script)
    assert found.startswith(why[:-1]) if why.endswith("*") else found == why
    assert bool(found) == bool(why)


@pytest.mark.parametrize(
    ("printed", "listed"),
    [
        ("com.a/.Main\n  com.a/.Other\ncom.gone/.Main\n", {"com.a"}),
        ("Unknown command: query-activities", {"com.a", "com.provider"}),  # before Android 7
    ],
)
def test_apps_that_can_be_launched_are_listed(printed, listed):
    phone = FakePhone([make_screen("home")], apps=["com.a", "com.provider"])
    phone.answers[_LAUNCHABLE] = printed
    assert set(asyncio.run(OwnPhone(phone).packages())) == listed


def test_actions_that_recorded_pages_lack_are_reported(tmp_path):
    write_notes(tmp_path / "notes")
    device = GraphDevice(Graph.open(tmp_path / "notes"))
    own = OwnPhone(device)

    async def play() -> list[str]:
        moved = await own.act(Tap(500, 150))
        nowhere = await own.act(Tap(500, 2000))
        script = await own.run("mobile_terminate_app", "am force-stop x")
        return [each.notice for each in (moved, nowhere, script)]

    with contextlib.closing(device):
        told = asyncio.run(play())
    assert told[:2] == ["", "nothing is recorded for this action here"]
    assert told[2].endswith("has recorded pages, which have no shell")


SESSION = Caller("s1", has_session=True)
PROGRAM = Caller("program", has_session=False)


class Play:
    """Makes calls and records those that are carried out."""

    def __init__(self):
        self.now = 0.0
        self.done = []
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.repeats = RepeatedCalls(lambda: self.now)

    async def call(self, caller, number, content):
        call = ClientCall(caller, number, content)

        async def do():
            await self.go_on.wait()
            self.done.append(content)
            return len(self.done)

        self.repeats.note_request(caller, call)
        return await self.repeats.once(call, do)


def played(story):
    """Play a story; return the calls that were carried out."""

    async def play():
        play = Play()
        await story(play)
        await play.repeats.close()
        return play.done

    return asyncio.run(play())


@pytest.mark.parametrize("caller", [SESSION, PROGRAM])
def test_a_repeat_waits_for_the_call_that_is_under_way(caller):
    async def story(play):
        play.go_on.clear()
        first, second = (asyncio.create_task(play.call(caller, "1", "tap")) for _ in range(2))
        await asyncio.sleep(0)
        play.go_on.set()
        assert await first == await second == 1

    assert played(story) == ["tap"]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ((SESSION, "1", "tap"), (SESSION, "2", "tap")),
        ((SESSION, "1", "tap"), (SESSION, "1", "swipe")),
        ((SESSION, "1", "tap"), (Caller("s2", has_session=True), "1", "tap")),
        ((PROGRAM, "1", "tap"), (PROGRAM, "2", "tap")),
        ((PROGRAM, "1", "tap"), (Caller("other", has_session=False), "1", "tap")),
        ((PROGRAM, "1", "tap"), (PROGRAM, '"1"', "tap")),
    ],
)
def test_other_requests_are_not_repeats(one, two):
    async def story(play):
        await play.call(*one)
        await play.call(*two)

    assert len(played(story)) == 2


def test_a_client_without_a_session_may_restart_its_ids():
    async def gone_on(play):
        await play.call(PROGRAM, "1", "tap")
        play.repeats.note_request(PROGRAM)
        await play.call(PROGRAM, "1", "tap")

    async def later(play):
        await play.call(PROGRAM, "1", "tap")
        play.now += 31
        await play.call(PROGRAM, "1", "tap")

    assert played(gone_on) == played(later) == ["tap", "tap"]


def test_an_id_counts_as_long_as_its_session():
    async def story(play):
        await play.call(SESSION, "1", "tap")
        await play.call(SESSION, "2", "swipe")
        play.now += 3600
        await play.call(SESSION, "1", "tap")

    assert played(story) == ["tap", "swipe"]


async def lose(play, caller, number, content):
    """Make a call whose client disappears before the reply."""
    play.go_on.clear()
    waiting = asyncio.create_task(play.call(caller, number, content))
    await asyncio.sleep(0)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    play.go_on.set()


def test_a_lost_reply_is_given_to_the_same_call_under_another_id():
    async def story(play):
        await lose(play, PROGRAM, "1", "tap")
        play.now += 3600
        assert await play.call(PROGRAM, "2", "tap") == 1
        assert await play.call(PROGRAM, "3", "tap") == 2  # the reply arrived, so this is a new call

    assert played(story) == ["tap", "tap"]


def test_a_lost_reply_expires_once_the_client_has_looked():
    async def story(play):
        await lose(play, PROGRAM, "1", "tap")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        play.repeats.note_request(PROGRAM)
        await play.call(PROGRAM, "3", "tap")

    assert played(story) == ["tap", "tap"]
