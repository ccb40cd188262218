"""The uiautomator2 package from PyPI: the device, apps, screens and gestures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from lxml import etree

if TYPE_CHECKING:
    from pathlib import Path

    import uiautomator2

    from tests.virtual.phones import Running

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # adbutils leaves sockets open
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def test_the_device_is_described(demo: uiautomator2.Device) -> None:
    assert demo.info == {
        "currentPackageName": "org.demo",
        "displayHeight": 2400,
        "displayRotation": 0,
        "displaySizeDpX": 411,
        "displaySizeDpY": 914,
        "displayWidth": 1080,
        "productName": "sdk_gphone64_x86_64",
        "screenOn": True,
        "sdkInt": 34,
        "naturalOrientation": True,
    }
    assert demo.device_info["version"] == 14
    assert demo.window_size() == (1080, 2400)
    assert demo.jsonrpc.ping() == "pong"


def test_the_hierarchy_has_the_windows_of_the_system_too(demo: uiautomator2.Device) -> None:
    root = etree.fromstring(demo.dump_hierarchy().encode())
    packages = {node.get("package") for node in root}
    assert packages == {"org.demo", "com.android.systemui"}
    milk = root.find(".//node[@text='Milk']")
    assert milk is not None
    assert milk.get("resource-id") == "org.demo:id/note_title"
    assert milk.get("visible-to-user") == "true"
    assert re.fullmatch(r"\d+", milk.get("drawing-order", ""))
    own = etree.fromstring(demo.dump_hierarchy(root_in_active=True).encode())
    assert {node.get("package") for node in own.iter("node")} == {"org.demo"}
    flat = etree.fromstring(demo.dump_hierarchy(max_depth=2).encode())
    assert max(len(list(node.iterancestors())) for node in flat.iter("node")) == 2
    assert len(list(root.iter())) > len(
        list(etree.fromstring(demo.dump_hierarchy(compressed=True).encode()).iter())
    )


def test_screenshots(demo: uiautomator2.Device, tmp_path: Path) -> None:
    picture = demo.screenshot()
    assert picture.size == (1080, 2400)
    assert len(picture.getcolors(1 << 20) or "many") > 2
    demo.screenshot(str(tmp_path / "screen.jpg"))
    assert (tmp_path / "screen.jpg").read_bytes().startswith(b"\xff\xd8")
    assert demo(text="Milk").screenshot().width < 300


def test_apps(demo: uiautomator2.Device) -> None:
    current = demo.app_current()
    assert (current["package"], current["activity"]) == ("org.demo", ".NotesActivity")
    assert demo.wait_activity(".NotesActivity", timeout=1)
    assert demo.app_wait("org.demo", front=True) == current["pid"]
    assert demo.app_info("org.demo") == {"versionName": "1.2", "versionCode": 42}
    assert "org.demo" in demo.app_list("-3")
    assert "org.demo" in demo.app_list_running()
    demo.app_stop("org.demo")
    assert "org.demo" not in demo.app_list_running()
    with demo.session("org.demo") as session:
        assert session(text="Milk").exists
    demo.app_start("org.demo", ".EditorActivity")
    assert demo.app_current()["activity"] == ".EditorActivity"
    demo.app_clear("org.demo")
    assert demo.app_current()["package"] != "org.demo"
    assert demo.app_uninstall("org.demo")
    assert "org.demo" not in demo.app_list()


def test_keys(demo: uiautomator2.Device) -> None:
    demo(resourceId="org.demo:id/add").click()
    demo.press("back")  # only finishes the screen, as no keyboard is open
    assert demo(text="Milk").exists
    demo.press("home")
    assert demo.app_current()["package"] == "com.google.android.apps.nexuslauncher"
    demo.press("recent")
    assert demo(description="Demo").exists
    demo.press(4)
    assert demo.press("no such key") is False
    demo.long_press("power")


def test_the_screen_goes_off_and_on(demo: uiautomator2.Device) -> None:
    demo.screen_off()
    assert demo.info["screenOn"] is False
    demo.screen_on()
    assert demo.info["screenOn"] is True


def test_the_screen_turns(demo: uiautomator2.Device) -> None:
    assert demo.orientation == "natural"
    demo.orientation = "left"
    assert (demo.orientation, demo.window_size()) == ("left", (2400, 1080))
    demo.set_orientation("n")
    demo.freeze_rotation(False)
    assert demo.shell("settings get system accelerometer_rotation").output.strip() == "1"


def test_the_clipboard(demo: uiautomator2.Device) -> None:
    assert demo.clipboard is None
    demo.clipboard = "copied ✓"
    assert demo.clipboard == "copied ✓"


def test_toasts(demo: uiautomator2.Device) -> None:
    assert demo.last_toast is None
    demo(description="More options").click()
    demo(text="Rate").click()
    demo(text="Yes").click()
    assert demo.last_toast == "Thank you"
    assert demo.toast.get_message(wait_timeout=0) == "Thank you"
    demo.toast.reset()
    assert demo.toast.get_message(wait_timeout=0, default="none") == "none"


def test_the_shade(demo: uiautomator2.Device) -> None:
    demo.open_notification()
    assert "notification" in demo.dump_hierarchy(root_in_active=True)
    assert not demo(text="Milk").exists
    demo.press("back")
    assert demo(text="Milk").exists
    demo.open_quick_settings()
    assert demo(resourceIdMatches=".*quick_settings.*").exists


def test_touches_by_place(shared_phone: Running, demo: uiautomator2.Device) -> None:
    demo.click(*demo(resourceId="org.demo:id/loud").center())
    assert demo(resourceId="org.demo:id/loud").info["checked"]
    demo.double_click(*demo(resourceId="org.demo:id/loud").center(), duration=0)
    assert demo(resourceId="org.demo:id/loud").info["checked"]
    x, y = demo(text="Milk").center()
    demo.long_click(x, y, 0.6)
    assert not demo(text="Milk").exists
    demo.touch.down(x, y).up(x, y)
    assert demo.app_current()["activity"] == ".EditorActivity"


def test_swipes_scroll(demo: uiautomator2.Device) -> None:
    demo(resourceId="org.demo:id/add").click()
    top = demo(text="Line 3").bounds()[1]
    demo.swipe(500, 1500, 500, 1200, steps=200)
    assert demo(text="Line 3").bounds()[1] < top - 200
    demo.swipe_ext("down", scale=0.8)
    assert demo(text="Line 0").exists
    demo.swipe_points([(500, 1500), (500, 1300), (500, 1000)], 0.5)
    assert demo(text="Line 3").bounds()[1] < top - 200
    demo.drag(500, 1000, 500, 1600)
    assert demo(text="Line 0").exists


def test_waiting_for_what_comes_later(shared_phone: Running, demo: uiautomator2.Device) -> None:
    phone, event_loop = shared_phone.phone, shared_phone.loop.loop
    start = lambda: phone.activities.launch("org.demo")  # noqa: E731
    demo.press("home")
    event_loop.call_soon_threadsafe(event_loop.call_later, 0.1, start)
    assert demo(text="Milk").wait(timeout=5)
    event_loop.call_soon_threadsafe(event_loop.call_later, 0.1, phone.activities.home)
    assert demo(text="Milk").wait_gone(timeout=5)
    assert not demo(text="Milk").wait(timeout=0.05)


def test_a_second_server_is_refused(shared_phone: Running, demo: uiautomator2.Device) -> None:
    jar = "CLASSPATH=/data/local/tmp/u2.jar"
    shared_phone.loop.call(lambda: None)
    demo.reset_uiautomator()
    said = demo.shell(f"{jar} app_process / com.wetest.uia2.Main -p 9009")
    assert "already registered!" in said.output
    assert demo(text="Milk").exists


def test_programs_that_are_not_in_the_archive_do_not_run(demo: uiautomator2.Device) -> None:
    said = demo.shell("CLASSPATH=/nope.jar app_process / com.wetest.uia2.Main")
    assert said.exit_code == 134
    assert demo.shell("app_process").exit_code == 134
