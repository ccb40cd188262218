"""A real Appium server, and phones that it controls."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import adbutils
import pytest
from appium.options.android import UiAutomator2Options
from appium.webdriver import Remote

from pytest_mobileagent.device.drivers.appium import server as appium
from tests.virtual.phones import Adb, Loop, Running, adb_server, free_port
from tests.virtual.phones import running as running_phone

from .connected import connected, demo, shared_phone  # noqa: F401 - fixtures

ROOT = Path(__file__).parents[3]
APPS = (Path(__file__).parent / "apps", Path(__file__).parents[1] / "apps")
# Capabilities for a phone on which the server's packages are already installed.
MINIMAL = {
    "appium:skipServerInstallation": True,
    "appium:skipDeviceInitialization": True,
    "appium:skipUnlock": True,
    "appium:ignoreHiddenApiPolicyError": True,
    "appium:skipLogcatCapture": True,
}


@pytest.fixture(scope="session")
def appium_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder apart: Appium empties the console's token there, which other tests need."""
    return tmp_path_factory.mktemp("appium")


@pytest.fixture(scope="session")
def appium_url(appium_home: Path) -> Iterator[str]:
    """The URL of an Appium server for these tests."""
    folder = Path(os.environ.get("MOBILE_APPIUM_HOME", ROOT / ".appium"))
    try:
        appium.find_appium(folder)
    except FileNotFoundError:
        pytest.skip("Appium is not installed: `make appium` does that, and needs npm")
    command = [sys.executable, "-m", appium.__name__, "--home", str(folder)]
    environment = {**os.environ, "HOME": str(appium_home)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.stdin.close()


@pytest.fixture(scope="session")
def appium_adb(appium_home: Path) -> Iterator[Adb]:
    program = Path(adbutils.__file__).with_name("binaries") / "adb"
    with adb_server(str(program), appium_home) as adb:
        yield adb


@dataclass(frozen=True)
class Sessions:
    """Opens sessions on phones."""

    url: str

    @contextlib.contextmanager
    def open(self, running: Running, **capabilities: Any) -> Iterator[Remote]:
        options = UiAutomator2Options().load_capabilities(
            {
                "platformName": "Android",
                "appium:udid": running.server.serial,
                "appium:adbPort": running.adb.port,
                "appium:systemPort": free_port(),
                "appium:newCommandTimeout": 600,
                **capabilities,
            }
        )
        driver = Remote(self.url, options=options)
        try:
            yield driver
        finally:
            driver.quit()


@pytest.fixture(scope="session")
def sessions(appium_url: str) -> Sessions:
    return Sessions(appium_url)


StartAppPhone = Callable[[], contextlib.AbstractContextManager[Running]]


@pytest.fixture(scope="session")
def start_app_phone(loop: Loop, appium_adb: Adb) -> StartAppPhone:
    """Start a phone with the tests' apps: `with start_app_phone() as running`."""
    return partial(running_phone, loop, appium_adb, apps=APPS)


@pytest.fixture(scope="module")
def driven(sessions: Sessions, start_app_phone: StartAppPhone) -> Iterator[tuple[Running, Remote]]:
    """A phone and a session with default capabilities, shared by all tests of a module."""
    with start_app_phone() as running, sessions.open(running) as driver:
        running.loop.call(lambda: running.phone.snapshots.save("in session"))
        yield running, driver


@pytest.fixture
def touches(driven: tuple[Running, Remote]) -> tuple[Running, Remote]:
    """The same, with the app that shows touches."""
    return started(driven, "org.touches")


@pytest.fixture
def notes(driven: tuple[Running, Remote]) -> tuple[Running, Remote]:
    """The same, with the notes of the demo app."""
    return started(driven, "org.demo")


def started(driven: tuple[Running, Remote], package: str) -> tuple[Running, Remote]:
    running, driver = driven

    def start() -> None:
        running.phone.snapshots.load("in session")
        running.phone.activities.launch(package)

    running.loop.call(start)
    driver.update_settings({"enableMultiWindows": False, "shouldUseCompactResponses": True})
    return running, driver
