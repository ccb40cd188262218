"""am instrument with Appium's server: how it starts, and all the ways in which it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.virtual.apk.manifest import Instrumentation
from pytest_mobileagent.virtual.app.app import App
from pytest_mobileagent.virtual.automation.appium import PORT
from pytest_mobileagent.virtual.automation.appium.server import PACKAGE
from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from pytest_mobileagent.virtual.phone import Phone

RUNNER = "androidx.test.runner.AndroidJUnitRunner"
COMMAND = f"am instrument -w -e disableAnalytics true {PACKAGE}.test/{RUNNER}"


class Target(App):
    package, label = PACKAGE, "Server"


class Runner(App):
    package, label = f"{PACKAGE}.test", "Tests"
    instrumentations = (Instrumentation(RUNNER, PACKAGE),)


class Shell:
    """Runs commands on a phone concurrently."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone

    async def run(self, script: str) -> tuple[int, str]:
        out = Collected()
        session = Session(phone=self.phone, uid=2000, stdin=Bytes(b""), stdout=out, stderr=out)
        return await run(session, script), out.data.decode()

    async def serving(self) -> asyncio.Task[tuple[int, str]]:
        task = asyncio.create_task(self.run(COMMAND))
        while PORT not in self.phone.sockets:
            await asyncio.sleep(0)
            assert not task.done(), task.result()
        return task

    async def ends(self) -> None:
        while PORT in self.phone.sockets or self.phone.ui_automation.owner:
            await asyncio.sleep(0)


@pytest.fixture(scope="module")
def shell_with_server() -> Shell:
    return Shell(boot([Target, Runner]))


def during(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 10))


def test_instrumentation_blocks_and_is_a_process_until_it_is_killed(
    shell_with_server: Shell,
) -> None:
    shell = shell_with_server

    async def story() -> None:
        task = await shell.serving()
        assert PACKAGE in (await shell.run("ps -A"))[1]
        assert await shell.run("uiautomator dump /dev/tty") == (137, "Killed\n")
        await shell.run(f"am force-stop {PACKAGE}")
        status, text = await task
        assert (status, text.splitlines()) == (
            0,
            ["INSTRUMENTATION_RESULT: shortMsg=Process crashed.", "INSTRUMENTATION_CODE: 0"],
        )
        assert PACKAGE not in (await shell.run("ps -A"))[1]
        assert (await shell.run("uiautomator dump"))[0] == 0

    during(story())


def test_instrumentation_lives_on_when_a_snapshot_is_loaded(shell_with_server: Shell) -> None:
    shell = shell_with_server

    async def story() -> None:
        task = await shell.serving()
        shell.phone.snapshots.save("meanwhile")
        shell.phone.snapshots.load("default_boot")
        assert PORT in shell.phone.sockets
        assert PACKAGE in (await shell.run("ps -A"))[1]
        await shell.run(f"am force-stop {PACKAGE}")
        await task
        shell.phone.snapshots.load("meanwhile")
        assert PACKAGE not in (await shell.run("ps -A"))[1]

    during(story())


def test_instrumentation_continues_without_a_waiting_client(shell_with_server: Shell) -> None:
    shell = shell_with_server

    async def story() -> None:
        task = await shell.serving()
        task.cancel()
        await asyncio.sleep(0)
        assert PORT in shell.phone.sockets
        await shell.run(f"am force-stop {PACKAGE}")
        await shell.ends()
        assert await shell.run(COMMAND.replace(" -w", "")) == (0, "")
        while PORT not in shell.phone.sockets:
            await asyncio.sleep(0)
        await shell.run(f"am force-stop {PACKAGE}")
        await shell.ends()

    during(story())


def test_a_second_one_takes_the_place_of_the_first(shell_with_server: Shell) -> None:
    shell = shell_with_server

    async def story() -> None:
        first = await shell.serving()
        second = asyncio.create_task(shell.run(COMMAND))
        assert "Process crashed" in (await first)[1]
        while PORT not in shell.phone.sockets:
            await asyncio.sleep(0)
            assert not second.done(), second.result()
        await shell.run(f"am force-stop {PACKAGE}")
        await second

    during(story())


def test_beside_another_tool_it_crashes(shell_with_server: Shell) -> None:
    with shell_with_server.phone.ui_automation.connect("somebody"):
        status, text = asyncio.run(shell_with_server.run(COMMAND))
    assert (status, text.splitlines()[0]) == (
        0,
        "INSTRUMENTATION_RESULT: shortMsg=Process crashed.",
    )
