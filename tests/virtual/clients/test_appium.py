"""Sessions of a real Appium server: start, end, and several at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import InvalidSessionIdException, WebDriverException

from tests.virtual.clients.conftest import MINIMAL

if TYPE_CHECKING:
    from tests.virtual.clients.conftest import Sessions, StartAppPhone
    from tests.virtual.phones import Running

pytestmark = pytest.mark.slow

SERVER = "io.appium.uiautomator2.server"


def test_default_capabilities_install_everything(
    sessions: Sessions, start_app_phone: StartAppPhone
) -> None:
    with start_app_phone() as running:
        with sessions.open(running) as driver:
            assert "<android.widget.FrameLayout" in driver.page_source
            told = driver.capabilities
            assert told["deviceScreenSize"] == "1080x2400"
            assert (told["deviceApiLevel"], told["platformVersion"]) == (34, "14")
            packages = running.loop.call(running.phone.packages.names)
            assert {SERVER, f"{SERVER}.test", "io.appium.settings"} <= set(packages)
            listed = running.adb.text("shell", "pm", "list", "instrumentation")
            assert f"{SERVER}.test/androidx.test.runner.AndroidJUnitRunner" in listed
            assert SERVER in running.adb.text("shell", "ps", "-A")
        assert SERVER not in running.adb.text("shell", "ps", "-A")
        with sessions.open(running, **MINIMAL) as driver:  # requires only what is installed
            assert driver.current_package == "com.google.android.apps.nexuslauncher"


def test_an_app_is_started_with_the_session(
    sessions: Sessions, start_app_phone: StartAppPhone
) -> None:
    app = {"appium:appPackage": "org.touches", "appium:appActivity": ".MainActivity"}
    with start_app_phone() as running, sessions.open(running, **app) as driver:
        assert (driver.current_package, driver.current_activity) == ("org.touches", ".MainActivity")
        driver.find_element(AppiumBy.ID, "button").click()
        assert driver.find_element(AppiumBy.ID, "last").text == "click"


def test_a_session_that_has_ended_is_over(
    sessions: Sessions, start_app_phone: StartAppPhone
) -> None:
    with start_app_phone() as running:
        with sessions.open(running) as driver:
            pass
        with pytest.raises(InvalidSessionIdException):
            _ = driver.page_source
        assert "tcp:6790" not in running.loop.call(lambda: dict(running.phone.sockets))


def test_while_the_server_runs_nothing_else_sees_the_hierarchy(
    sessions: Sessions, start_app_phone: StartAppPhone
) -> None:
    with start_app_phone() as running:
        with sessions.open(running):
            dumped = running.adb.run("shell", "uiautomator", "dump")
            assert (dumped.returncode, dumped.stdout) == (137, b"")
        assert running.adb.run("shell", "uiautomator", "dump").returncode == 0


def test_a_session_survives_the_loading_of_a_snapshot(
    sessions: Sessions, start_app_phone: StartAppPhone
) -> None:
    with start_app_phone() as running, sessions.open(running) as driver:
        driver.activate_app("org.demo")
        milk = driver.find_element(AppiumBy.XPATH, "//*[@text='Milk']")
        assert running.adb.text("emu", "avd", "snapshot", "save", "notes") == "OK"
        driver.find_element(AppiumBy.ACCESSIBILITY_ID, "Add").click()
        assert not driver.find_elements(AppiumBy.XPATH, "//*[@text='Milk']")
        assert running.adb.text("emu", "avd", "snapshot", "load", "notes") == "OK"
        assert milk.text == "Milk"
        assert running.adb.text("emu", "avd", "snapshot", "load", "default_boot") == "OK"
        assert driver.current_package == "com.google.android.apps.nexuslauncher"
        assert driver.page_source


def test_killing_the_server_ends_the_session(
    sessions: Sessions, start_app_phone: StartAppPhone
) -> None:
    with start_app_phone() as running:
        with sessions.open(running) as driver:
            running.adb.run("shell", "am", "force-stop", SERVER)
            assert "tcp:6790" not in running.loop.call(lambda: dict(running.phone.sockets))
            with pytest.raises(WebDriverException, match=r"instrumentation process|socket hang up"):
                _ = driver.page_source
        with sessions.open(running) as driver:
            assert driver.page_source


def test_eight_sessions_at_once_do_not_meet(
    sessions: Sessions, start_app_phone: StartAppPhone
) -> None:
    with ExitStack() as stack:
        phones = [stack.enter_context(start_app_phone()) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            names = list(pool.map(lambda each: type_name(sessions, each), phones))
        assert names == [running.server.serial for running in phones]


def type_name(sessions: Sessions, running: Running) -> str:
    app = {"appium:appPackage": "org.touches", "appium:appActivity": ".MainActivity"}
    with sessions.open(running, **app) as driver:
        driver.implicitly_wait(10)  # eight apps at once start slowly on a busy machine
        for part in running.server.serial.split("-"):
            field = driver.find_element(AppiumBy.ID, "name")
            field.send_keys(part if field.get_attribute("showing-hint") == "true" else f"-{part}")
        return driver.find_element(AppiumBy.ID, "name").text
