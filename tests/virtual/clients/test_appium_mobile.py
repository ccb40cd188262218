"""What Appium's driver does through adb: apps, files, settings, and the `mobile:` commands."""

# ruff: noqa: E501 - tables are read across

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from appium.webdriver.applicationstate import ApplicationState
from appium.webdriver.common.appiumby import AppiumBy
from selenium.common.exceptions import WebDriverException

if TYPE_CHECKING:
    from appium.webdriver import Remote

    from tests.virtual.phones import Running

    Driven = tuple[Running, Remote]

pytestmark = pytest.mark.slow

APP = "org.touches"


def mobile(driver: Remote, name: str, **arguments: object) -> Any:
    return driver.execute_script(f"mobile: {name}", arguments)


def test_apps_come_and_go(touches: Driven) -> None:
    _, driver = touches
    assert driver.is_app_installed(APP)
    assert driver.query_app_state(APP) == ApplicationState.RUNNING_IN_FOREGROUND
    driver.background_app(-1)
    assert driver.query_app_state(APP) == ApplicationState.RUNNING_IN_BACKGROUND
    assert driver.terminate_app(APP)
    assert driver.query_app_state(APP) == ApplicationState.NOT_RUNNING
    driver.activate_app(APP)
    assert (driver.current_package, driver.current_activity) == (APP, ".MainActivity")
    assert driver.query_app_state("org.nothing") == ApplicationState.NOT_INSTALLED
    assert mobile(driver, "removeApp", appId="org.demo") is True
    assert not driver.is_app_installed("org.demo")


def test_activities_are_started_and_data_is_cleared(touches: Driven) -> None:
    _, driver = touches
    mobile(driver, "startActivity", component="org.demo/.EditorActivity", wait=True)
    assert driver.current_activity == ".EditorActivity"
    driver.find_element(AppiumBy.ID, "title").send_keys("Eggs")
    driver.find_element(
        AppiumBy.ANDROID_UIAUTOMATOR,
        'new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().text("Save"))',
    ).click()
    driver.activate_app("org.demo")
    titles = lambda: [e.text for e in driver.find_elements(AppiumBy.ID, "note_title")]  # noqa: E731
    assert titles()[-1] == "Eggs"
    mobile(driver, "clearApp", appId="org.demo")
    driver.activate_app("org.demo")
    assert titles() == ["Milk", 'Bread <&> "salt"']


def test_broadcasts_and_shell_commands(touches: Driven) -> None:
    _, driver = touches
    assert 'data="pong"' in mobile(driver, "broadcast", action="demo.PING")
    assert mobile(driver, "shell", command="echo", args=["a", "b"]) == "a b\n"
    both = mobile(
        driver, "shell", command="ls", args=["/nowhere", "||", "true"], includeStderr=True
    )
    assert (both["stdout"], both["stderr"]) == ("", "ls: /nowhere: No such file or directory\n")


def test_permissions_are_read_and_changed(touches: Driven) -> None:
    _, driver = touches
    camera = "android.permission.CAMERA"

    def granted() -> list[str]:
        found: list[str] = mobile(driver, "getPermissions", type="granted", appPackage=APP)
        return found

    assert camera not in granted()
    mobile(driver, "changePermissions", permissions=camera, appPackage=APP, action="grant")
    assert camera in granted()
    mobile(driver, "changePermissions", permissions=camera, appPackage=APP, action="revoke")
    assert camera in mobile(driver, "getPermissions", type="denied", appPackage=APP)


def test_the_clipboard_takes_any_text(touches: Driven) -> None:
    running, driver = touches
    driver.set_clipboard_text("häl 🧀")
    assert running.loop.call(lambda: running.phone.clipboard.text) == "häl 🧀"
    assert driver.get_clipboard_text() == "häl 🧀"


def test_files_are_pushed_and_pulled(touches: Driven) -> None:
    _, driver = touches
    driver.push_file("/sdcard/Download/note.txt", base64.b64encode(b"hello").decode())
    assert base64.b64decode(driver.pull_file("/sdcard/Download/note.txt")) == b"hello"
    assert base64.b64decode(driver.pull_folder("/sdcard/Download"))[:2] == b"PK"
    assert mobile(driver, "deleteFile", remotePath="/sdcard/Download/note.txt") is True
    with pytest.raises(WebDriverException):
        driver.pull_file("/sdcard/Download/note.txt")


def test_the_screen_is_turned(touches: Driven) -> None:
    _, driver = touches
    assert driver.orientation == "PORTRAIT"
    driver.orientation = "LANDSCAPE"
    assert (driver.orientation, driver.get_window_size()["width"]) == ("LANDSCAPE", 2400)
    assert 'rotation="1" width="2400" height="1080"' in driver.page_source
    driver.find_element(AppiumBy.ID, "button").click()
    assert driver.find_element(AppiumBy.ID, "last").text == "click"
    driver.orientation = "PORTRAIT"
    assert driver.get_window_rect() == {"x": 0, "y": 0, "width": 1080, "height": 2400}


def test_the_phone_is_locked_and_unlocked(touches: Driven) -> None:
    _, driver = touches
    driver.lock()
    assert driver.is_locked()
    driver.unlock()
    assert not driver.is_locked()
    assert driver.current_package == APP


def test_the_network_is_switched(touches: Driven) -> None:
    _, driver = touches
    assert mobile(driver, "getConnectivity") == {"wifi": True, "data": True, "airplaneMode": False}
    mobile(driver, "setConnectivity", wifi=False)
    assert mobile(driver, "getConnectivity")["wifi"] is False
    assert driver.set_network_connection(1) == 1
    assert mobile(driver, "getConnectivity")["airplaneMode"] is True


def test_positions_messages_and_notifications(touches: Driven) -> None:
    _, driver = touches
    mobile(driver, "setGeolocation", latitude=48.1, longitude=11.5, altitude=519)
    place = mobile(driver, "getGeolocation")
    assert (place["latitude"], place["longitude"], place["altitude"]) == (48.1, 11.5, 519)
    mobile(driver, "sendSms", phoneNumber="+15550100", message="hello")
    found = mobile(driver, "listSms", max=5)
    assert (found["items"][0]["address"], found["items"][0]["body"]) == ("+15550100", "hello")
    mobile(
        driver, "shell", command="cmd", args=["notification", "post", "-t", "Title", "tag", "Text"]
    )
    shown = mobile(driver, "getNotifications")["statusBarNotifications"]
    assert "Text" in [each["notification"]["text"] for each in shown]
    driver.open_notifications()
    assert driver.find_element(AppiumBy.ANDROID_UIAUTOMATOR, 'new UiSelector().text("Title")')
    mobile(driver, "statusBar", command="collapse")
    assert driver.find_element(AppiumBy.ID, "button")


def test_the_phones_description(touches: Driven) -> None:
    _, driver = touches
    info = mobile(driver, "deviceInfo")
    assert (info["realDisplaySize"], info["displayDensity"], info["locale"]) == (
        "1080x2400",
        420,
        "en_US",
    )
    assert mobile(driver, "batteryInfo")["level"] == 1
    assert driver.get_device_time("YYYY") >= "2020"
    assert driver.get_display_density() == 420
    bars = driver.get_system_bars()
    assert (bars["statusBar"]["height"], bars["navigationBar"]["y"]) == (63, 2337)
    assert mobile(driver, "viewportRect") == {"left": 0, "top": 63, "width": 1080, "height": 2337}
    assert list(mobile(driver, "screenshots")) == ["4619827259835644672"]
    assert driver.contexts == ["NATIVE_APP"]
    windows = mobile(driver, "listWindows", filters={"packageName": "org.*"}, skipScreenshots=True)
    assert [each["packageName"] for each in windows] == [APP]
    assert mobile(driver, "listDisplays")[0]["metrics"]["densityDpi"] == 420


def test_the_theme_and_the_battery_are_set(touches: Driven) -> None:
    running, driver = touches
    mobile(driver, "setUiMode", mode="night", value="yes")
    assert mobile(driver, "getUiMode", mode="night") == "yes"
    assert running.loop.call(lambda: running.phone.display.dark)
    mobile(driver, "powerCapacity", percent=37)
    assert mobile(driver, "batteryInfo")["level"] == 0.37


def test_the_log_is_read(touches: Driven) -> None:
    running, driver = touches
    running.loop.call(lambda: running.phone.log.write("I", "Tests", "a line for Appium"))
    entries = mobile(driver, "shell", command="logcat", args=["-d", "-s", "Tests"])
    assert "a line for Appium" in entries


def test_the_language_is_changed_with_a_session(sessions: Any, start_app_phone: Any) -> None:
    with start_app_phone() as running:
        language = {"appium:language": "fr", "appium:locale": "FR"}
        with sessions.open(running, **language) as driver:
            assert mobile(driver, "deviceInfo")["locale"] == "fr_FR"
        assert running.adb.text("shell", "getprop", "persist.sys.locale") == "fr-FR"


def test_performance_is_measured(touches: Driven) -> None:
    _, driver = touches
    assert {"memoryinfo", "cpuinfo", "networkinfo"} <= set(driver.get_performance_data_types())
    names, values = driver.get_performance_data(APP, "memoryinfo", 1)
    told = dict(zip(names, values, strict=True))
    assert all(int(told[name]) > 0 for name in names)
    assert int(told["totalPss"]) > int(told["nativePss"]) > int(told["nativePrivateDirty"])
    assert driver.get_performance_data(APP, "cpuinfo", 1) == [["user", "kernel"], ["0", "0"]]
    names, *rows = driver.get_performance_data(APP, "networkinfo", 1)
    assert {dict(zip(names, row, strict=True))["bucketDuration"] for row in rows} == {"3600"}
