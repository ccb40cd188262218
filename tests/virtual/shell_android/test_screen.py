"""screencap, uiautomator, wm, input and ime: output of and input on the screen."""

from __future__ import annotations

import asyncio
import base64
import io
import struct
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Hand

ADB = "com.android.adbkeyboard/.AdbIME"
GBOARD = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"


@pytest.fixture
def editor(demo: Phone, hand: Hand) -> Phone:
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    return demo


def title(phone):
    return phone.activities.top.activity.state["title"]


def output(phone, script):
    out = Collected()
    session = Session(phone=phone, uid=2000, stdin=Bytes(b""), stdout=out, stderr=Collected())
    assert asyncio.run(run(session, script)) == 0
    return out.data


def test_screenshots_are_png_or_raw(demo):
    png = output(demo, "screencap -p")
    assert Image.open(io.BytesIO(png)).size == (1080, 2400)
    output(demo, "screencap /sdcard/a.png")
    assert demo.files.read("/sdcard/a.png") == png
    raw = output(demo, "screencap")
    assert struct.unpack("<4I", raw[:16]) == (1080, 2400, 1, 1)
    assert Image.open(io.BytesIO(png)).convert("RGBA").tobytes() == raw[16:]


def test_a_dump_goes_to_a_file_or_the_terminal(sh, demo):
    assert sh("uiautomator dump") == "UI hierchary dumped to: /sdcard/window_dump.xml\n"
    assert demo.files.read("/sdcard/window_dump.xml").decode() == demo.dump()
    assert sh("cd /sdcard; uiautomator dump x.xml") == "UI hierchary dumped to: /sdcard/x.xml\n"
    assert sh("uiautomator dump --compressed /dev/tty") == (
        f"{demo.dump(compressed=True)}UI hierchary dumped to: /dev/tty\n"
    )


def test_new_files_have_the_modes_that_their_makers_give(sh, demo):
    sh("cd /data/local/tmp; uiautomator dump x.xml; uiautomator dump /sdcard/x.xml")
    assert sh("stat -c '%a %U' /data/local/tmp/x.xml /sdcard/x.xml") == "600 shell\n660 u0_a42\n"
    sh("cd /data/local/tmp; screencap x.png; screencap /sdcard/x.png")
    assert sh("stat -c %a /data/local/tmp/x.png /sdcard/x.png") == "664\n660\n"
    sh("chmod 644 /data/local/tmp/x.xml; uiautomator dump /data/local/tmp/x.xml")
    assert sh("stat -c %a /data/local/tmp/x.xml") == "644\n"


def test_wm_overrides_the_display(sh, demo):
    assert sh("wm size; wm density") == "Physical size: 1080x2400\nPhysical density: 420\n"
    sh("wm size 720x1280; wm density 320")
    assert sh("wm size") == "Physical size: 1080x2400\nOverride size: 720x1280\n"
    assert sh("wm density") == "Physical density: 420\nOverride density: 320\n"
    assert 'bounds="[0,0][720,1280]"' in demo.dump()
    sh("wm size 1080x2400; wm density reset")
    assert sh("wm size; wm density") == "Physical size: 1080x2400\nPhysical density: 420\n"
    sh("wm size 360dpx640dp")
    assert "Override size: 945x1680" in sh("wm size")


def test_wm_turns_the_display(sh, demo):
    assert sh("wm user-rotation") == "lock 0\n"
    sh("wm user-rotation lock 1")
    assert "mCurrentRotation=ROTATION_90" in sh("dumpsys window displays")
    assert "orientation=1" in sh("dumpsys display")


def test_input_touches(sh, demo, hand):
    x, y = hand.center("text", "Milk")
    sh(f"input tap {x} {y}.5")
    assert demo.activities.top.component.endswith("EditorActivity")
    sh("input touchscreen swipe 500 1800 500 1400 300")
    assert demo.activities.top.ui.scroll["form"] > 0
    sh("input motionevent DOWN 2 900; input motionevent MOVE 300 900; input motionevent UP 600 900")
    assert demo.activities.top.component.endswith("NotesActivity")
    sh(f"input draganddrop {x} {y} {x} 1500 1000")
    assert not hand.sees("Milk")


TYPED = [  # script, expected text of the field
    ("input text hello%sworld", "hello world"),
    ("input text 'a%b%%s'", "a%b% "),
    ('input keyboard text "it\'s <ok> & \\$1"', "it's <ok> & $1"),
    ("input text hello; input keycombination 113 29; input keyevent 67", ""),
    ("input text hello; input keycombination -t 50 CTRL_LEFT A; input text x", "x"),
    ("input text ab; input keyevent DEL KEYCODE_C 32", "acd"),
    ("input text ab; input keyevent --doubletap KEYCODE_DEL", ""),
    ("input text abc; input keyevent --longpress KEYCODE_DEL", "a"),
    ("input text ab; input keyevent NO_SUCH_KEY", "ab"),
]


@pytest.mark.parametrize(("script", "text"), TYPED)
def test_typing(sh, editor, script, text):
    assert sh(script) == ""
    assert title(editor) == text


def test_adb_keyboard_types_the_given_text(sh, editor):
    coded = base64.b64encode("Grüße 🙂".encode()).decode()
    tell = f"am broadcast -a ADB_INPUT_B64 --es msg {coded}"
    sh(tell)
    assert title(editor) == ""
    assert sh("ime list -s") == f"{GBOARD}\n"
    assert sh("ime list -a -s") == f"{GBOARD}\n{ADB}\n"
    assert sh(f"ime enable {ADB}") == f"Input method {ADB}: now enabled for user #0\n"
    assert sh(f"ime enable {ADB}") == f"Input method {ADB}: already enabled for user #0\n"
    assert sh(f"ime set {ADB}") == f"Input method {ADB} selected for user #0\n"
    assert f"mCurMethodId={ADB}" in sh("dumpsys input_method")
    assert "ADB Keyboard" in editor.windows.find("keyboard").box.view.label
    assert sh("settings get secure default_input_method") == f"{ADB}\n"
    sh(tell)
    assert title(editor) == "Grüße 🙂"
    sh("am broadcast -a ADB_CLEAR_TEXT")
    assert title(editor) == ""
    sh("am broadcast -a ADB_INPUT_TEXT --es msg 'plain text'")
    assert title(editor) == "plain text"
    assert sh(f"ime disable {ADB}") == f"Input method {ADB}: now disabled for user #0\n"
    assert sh("settings get secure default_input_method") == f"{GBOARD}\n"
    assert sh("ime reset").startswith("Reset current and enabled IMEs for user #0\n")


def test_the_shade_follows_the_status_bar_service(sh, demo, hand):
    sh("cmd statusbar expand-notifications")
    assert hand.sees("No notifications")
    left, top, right, bottom = demo.windows.find("shade").box.find("notification_panel").bounds
    assert (left, top, right) == (0, 0, 1080)
    assert bottom < 1000, "as high as what is in it"
    sh("input tap 540 1800")
    assert not hand.sees("No notifications")
    sh("cmd statusbar expand-notifications")
    assert hand.sees("No notifications")
    sh("cmd statusbar collapse; cmd notification post -t News tag 'Read all'")
    assert not hand.sees("No notifications")
    assert sh("cmd notification list") == "0|com.android.shell|2020|tag|2000\n"
