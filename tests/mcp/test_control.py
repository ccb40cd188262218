"""What the tools do on a phone, and the results that they return."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from pytest_mobileagent.action import Ask, Finish, Impossible, Key, Open, Type
from pytest_mobileagent.action.gestures import DoubleTap, LongPress, Swipe, Tap
from pytest_mobileagent.device.drivers.adb.gestures import open_app
from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.mcp.control import Control, ToolError
from pytest_mobileagent.mcp.tools import TOOLS
from tests.mcp.fakes import FakePhone, screen_of

CLICK = "mobile_click_on_screen_at_coordinates"


class Player:
    """Calls tools one after another, as a client does."""

    def __init__(self, phone, **options):
        self.control = Control(phone, **options)

    def __call__(self, tool, **arguments):
        return asyncio.run(TOOLS[tool].call(self.control, arguments))

    def text(self, tool, **arguments):
        return self(tool, **arguments).text

    def error(self, tool, **arguments):
        with pytest.raises(ToolError) as raised:
            self(tool, **arguments)
        return str(raised.value)


@pytest.mark.parametrize(
    ("tool", "arguments", "deed"),
    [
        (CLICK, {"x": 353, "y": 784}, Tap(540, 1200)),
        (CLICK, {"x": 0, "y": 1567.5}, Tap(0, 2399)),
        ("mobile_double_tap_on_screen", {"x": "353", "y": "784"}, DoubleTap(540, 1200)),
        (
            "mobile_long_press_on_screen_at_coordinates",
            {"x": 353, "y": 784},
            LongPress(540, 1200, 0.5),
        ),
        (
            "mobile_long_press_on_screen_at_coordinates",
            {"x": 353, "y": 784, "duration": 2000},
            LongPress(540, 1200, 2.0),
        ),
        ("mobile_swipe_on_screen", {"direction": "up"}, Swipe(540, 1920, 540, 480, 1.0)),
        (
            "mobile_swipe_on_screen",
            {"direction": "left", "x": 700, "y": 784, "distance": 353},
            Swipe(1070, 1200, 530, 1200, 1.0),
        ),
        (
            "mobile_swipe_on_screen",
            {"direction": "down", "x": 353, "y": 1500},
            Swipe(540, 2295, 540, 2398, 1.0),
        ),
        ("mobile_type_keys", {"text": "hi", "submit": True}, Type("hi", enter=True)),
        ("mobile_press_button", {"button": "BACK"}, Key("back")),
        ("mobile_press_button", {"button": "volume_up"}, Key("volume_up")),
        (
            "mobile_press_button",
            {"button": "DPAD_CENTER"},
            ("mobile_press_button DPAD_CENTER", "input keyevent 23"),
        ),
        ("mobile_launch_app", {"packageName": "com.example"}, Open("com.example")),
        (
            "mobile_launch_app",
            {"packageName": "com.example", "locale": "fr-FR, en-GB"},
            (
                "mobile_launch_app com.example fr-FR,en-GB",
                (
                    "cmd locale set-app-locales com.example --locales fr-FR,en-GB >/dev/null 2>&1; "
                    f"{open_app('com.example')}"
                ),
            ),
        ),
        (
            "mobile_terminate_app",
            {"packageName": "com.example"},
            ("mobile_terminate_app com.example", "am force-stop com.example"),
        ),
        (
            "mobile_open_url",
            {"url": "https://a.example/'; reboot; '?a=1&b=2"},
            (
                "mobile_open_url https://a.example/'; reboot; '?a=1&b=2",
                (
                    "am start -a android.intent.action.VIEW -d "
                    "'https://a.example/'\"'\"'; reboot; '\"'\"'?a=1&b=2'"
                ),
            ),
        ),
        (
            "mobile_set_orientation",
            {"orientation": "landscape"},
            (
                "mobile_set_orientation landscape",
                (
                    "settings put system accelerometer_rotation 0 && "
                    "settings put system user_rotation 1"
                ),
            ),
        ),
        (
            "mobile_install_app",
            {"path": "/sdcard/a b.apk"},
            ("mobile_install_app /sdcard/a b.apk", "pm install -r '/sdcard/a b.apk'"),
        ),
        (
            "mobile_uninstall_app",
            {"bundle_id": "com.example"},
            ("mobile_uninstall_app com.example", "pm uninstall com.example"),
        ),
        ("ask_user", {"question": "Which?"}, Ask("Which?")),
        ("finish", {"answer": "4711"}, Finish("4711")),
        ("impossible", {"reason": "no such app"}, Impossible("no such app")),
    ],
)
def test_each_tool_does_one_thing(tool, arguments, deed):
    phone = FakePhone()
    Player(phone)(tool, **arguments)
    assert phone.done == [deed]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        (CLICK, {"x": 706, "y": 5}, "outside the screen"),
        (
            CLICK,
            {"x": 5, "y": -1},
            "picture that mobile_take_screenshot returns, which is 706x1568",
        ),
        ("mobile_swipe_on_screen", {"direction": "up", "x": 1000, "y": 5}, "outside"),
        ("mobile_press_button", {"button": "POWER"}, "The buttons are: BACK, HOME"),
        ("mobile_launch_app", {"packageName": "a; reboot"}, "is not a package"),
        ("mobile_launch_app", {"packageName": "a", "locale": "en;reboot"}, "language tags"),
        ("mobile_terminate_app", {"packageName": "$(reboot)"}, "is not a package"),
        ("mobile_open_url", {"url": "file:///etc"}, "Only http:// and https://"),
        ("mobile_open_url", {"url": "http://a\nreboot"}, "not allowed here"),
        ("mobile_install_app", {"path": "--user"}, "not allowed here"),
        ("mobile_save_screenshot", {"saveTo": "../etc/x.png"}, "must be in"),
        ("mobile_save_screenshot", {"saveTo": "x.sh"}, "must end with"),
    ],
)
def test_an_invalid_call_is_not_a_step_and_explains_what_is_valid(tool, arguments, told):
    phone = FakePhone()
    assert told in Player(phone).error(tool, **arguments)
    assert phone.done == []


def test_results_count_the_steps_without_looks():
    phone = FakePhone(limit=3)
    play = Player(phone)
    play("mobile_take_screenshot")
    text = play.text(CLICK, x=10, y=20)
    assert text == "Clicked on screen at coordinates: 10, 20 (step 1, 2 steps left)"
    play("mobile_list_elements_on_screen")
    assert play.text("mobile_type_keys", text="a").endswith("(step 2, 1 step left)")
    assert play.text("ask_user", question="?").startswith("The user replies: Blue. (step 3")
    assert Player(FakePhone()).text(CLICK, x=1, y=1).endswith("(step 1)")


def test_after_the_limit_every_tool_says_so():
    phone = FakePhone(limit=1)
    play = Player(phone)
    play(CLICK, x=1, y=1)
    assert play.error(CLICK, x=1, y=1).startswith("The step limit is reached: the episode is over")
    looks = phone.looks
    for tool, arguments in [
        ("mobile_take_screenshot", {}),
        ("mobile_list_apps", {}),
        ("mobile_terminate_app", {"packageName": "com.example"}),
        ("mobile_press_button", {"button": "DPAD_UP"}),
        ("finish", {"answer": "late"}),
    ]:
        assert "the episode is over" in play.error(tool, **arguments)
    assert phone.done == [Tap(1, 1)]
    assert phone.looks == looks


def test_the_first_report_stands():
    phone = FakePhone()
    play = Player(phone)
    first = play.text("finish", answer="4711")
    assert first == "Reported that the task is done, with the answer: 4711"
    assert play.text("finish", answer="4712") == first
    assert play.text("impossible", reason="bored") == first
    assert phone.done == [Finish("4711")]
    assert "You have already reported" in play.error(CLICK, x=1, y=1)


def test_a_failed_action_is_an_error_and_a_step():
    play = Player(FakePhone(limit=5, notice="no app of this package is installed"))
    told = play.error("mobile_launch_app", packageName="com.nothing")
    assert told == (
        "This could not be done: no app of this package is installed (step 1, 4 steps left)"
    )


def test_coordinates_are_in_the_turned_picture_once_the_screen_has_turned():
    phone = FakePhone()
    play = Player(phone)
    play("mobile_take_screenshot")
    phone.screen = screen_of((2400, 1080))
    turned = play.text("mobile_set_orientation", orientation="landscape")
    assert turned.endswith(
        "The screen has rotated: coordinates now refer to a picture of 1568x706."
    )
    play(CLICK, x=1567, y=705)
    assert phone.done[-1] == Tap(2398, 1078)
    assert play.text("mobile_get_screen_size") == "Screen size is 1568x706 pixels"
    assert play.text("mobile_get_orientation") == "Current device orientation is landscape"


def test_a_picture_can_come_with_every_act():
    shown = Player(FakePhone(), show=True)(CLICK, x=1, y=1)
    assert shown.picture[:2] == b"\xff\xd8"
    assert Player(FakePhone())(CLICK, x=1, y=1).picture == b""


def test_a_broken_phone_is_reported(monkeypatch):
    async def broken(self):
        raise DeviceError("R5CT broke off")

    monkeypatch.setattr(FakePhone, "observe", broken)
    assert "R5CT broke off" in Player(FakePhone()).error("mobile_take_screenshot")


def test_apps_and_the_phone_are_listed():
    play = Player(FakePhone())
    apps = play.text("mobile_list_apps")
    assert apps == (
        "Found these apps on device: Settings (com.android.settings), com.example (com.example)"
    )
    assert '"id": "R5CT"' in play.text("mobile_list_available_devices")


def test_a_screenshot_is_saved_to_a_new_file_only(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    play = Player(FakePhone())
    path = tmp_path / "a.png"
    assert play.text("mobile_save_screenshot", saveTo=str(path)) == f"Screenshot saved to: {path}"
    assert path.read_bytes() == screen_of().png
    play("mobile_save_screenshot", saveTo="b.jpg")
    assert (tmp_path / "b.jpg").read_bytes()[:2] == b"\xff\xd8"
    assert "File exists" in play.error("mobile_save_screenshot", saveTo="a.png")
    (tmp_path / "out").symlink_to(Path.home())
    assert "must be in" in play.error("mobile_save_screenshot", saveTo="out/a.png")
