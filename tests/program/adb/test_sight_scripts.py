"""Scripts of programs that may see one part of the screen: permitted, replaced or refused."""

from __future__ import annotations

import pytest

from pytest_mobileagent.program.adb.sight_scripts import HiddenError, may_read, sighted
from pytest_mobileagent.screen.sight import black

EMPTY = "<hierarchy"
READABLE = {"/sdcard/mine.txt"}

PERMITTED = [
    "input tap 1 2; echo X4EXIT:$?",
    "input text 'uiautomator dump'",
    "echo uiautomator dump",
    "x=$(getprop ro.build.version.sdk); echo $x",
    "dumpsys window windows | grep -E 'mCurrentFocus'",
    "dumpsys activity activities | grep mResumedActivity",
    "dumpsys activity services io.appium.settings",
    "dumpsys package com.example | head -20",
    "cat /sdcard/mine.txt; cat < /sdcard/mine.txt; base64 /storage/emulated/0/mine.txt",
    "ls /sdcard/Pictures/Screenshots",
    "CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main -p 9008",
    "toybox md5sum /data/local/tmp/u2.jar",
    "am instrument -w io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner",
    "settings put secure accessibility_enabled 0",
    "wm size; cmd package list packages; cmd statusbar expand-notifications; service list",
    "if [ 1 = 1 ]; then sleep 1; fi; while false; do input tap 1 1; done",
    "content insert --uri content://com.droidrun.portal/keyboard/input --bind base64_text:s:aGk=",
    "sh -c 'input tap 1 1'",
    "dumpsys input | grep -m 1 -o -E 'orientation=[0-9]' | grep -o \"[0-9]*\"",
    "dumpsys window | grep 'com.a/.Main' | sed -n '1p' | sed 's/.*u0 //g'",
    "pm list packages | sed -e 's|package:||' | awk -F: '{print $1, $NF}'",
    "ps | awk '/com.a/ {print $2}'; find /sdcard -name '*.png' -type f",
    "sed -n '2q' /sdcard/mine.txt",
    "app_process -Djava.class.path=/data/local/tmp/yadb /a com.ysbing.yadb.Main -keyboard 'a b'",
]
REFUSED = [
    "grep /sdcard/* x",
    "grep /sdc''ard/* 'x'",
    "grep -c 5 '/sdcard/other.txt'",
    "grep -f '/sdcard/other.txt' /sdcard/mine.txt",
    "grep -e '[a]' '/sdcard/other.txt'",
    "grep '[a]' /sdcard/other.txt",
    "grep '[a]' '/sdcard/other.txt' '[a]'",
    "grep -ra hierarchy",
    "grep -e '' --recursive",
    "sed p /sdcard/mine.txt",
    "sed 'r /sdcard/other.txt' /sdcard/mine.txt",
    "sed 's/a/b/w /sdcard/mine.txt' /sdcard/other.txt",
    "sed 's/a/b/e' /sdcard/mine.txt",
    "sed 's/a/b/;r /sdcard/other.txt' /sdcard/mine.txt",
    "sed '1p' -e 'r /sdcard/other.txt'",
    "sed '1p' -f /sdcard/other.txt",
    "sed -n '1p' -i /sdcard/other.txt",
    "sed 's/[/]r/x/' -er/sdcard/other.txt",
    "sed '1p' -er\\ x",
    "awk '{print $1}' /sdcard/other.txt",
    "awk '{print $1; system(x)}'",
    "awk '{print $1}' -f x",
    "find /sdcard -exec cat {} +",
    "find /sdcard -name x -fprint /sdcard/mine.txt",
    "find /sdcard $X",
    "sed\N{NO-BREAK SPACE}'1p'",
    'sed "s/a/$X/" /sdcard/mine.txt',
    'awk "{print $1}"',
    "app_process / com.ysbing.yadb.Main -layout",
    "app_process / com.ysbing.yadb.Main",
    "cat /sdcard/other.txt",
    "cat < /sdcard/other.txt",
    "echo $(</sdcard/other.txt)",
    "cat /sdcard/mine.txt/../other.txt",
    "cat /sdcard/m*",
    "cat <>/sdcard/other.txt",
    "echo >> /sdcard/other.txt; cat /sdcard/other.txt",
    "true || echo > /sdcard/other.txt; cat /sdcard/other.txt",
    "if false; then echo > /sdcard/other.txt; fi; cat /sdcard/other.txt",
    "cat /sdcard/mine.tx?",
    'f=/sdcard/other.txt; cat "$f"',
    "grep -r . /sdcard",
    "cp /sdcard/other.txt /sdcard/mine.txt",
    "ln -s /sdcard/other.txt /sdcard/mine.txt",
    "dd if=/sdcard/other.txt",
    "PATH=/data/local/tmp input tap 1 1",
    "export PATH=/data/local/tmp; input tap 1 1",
    "LD_PRELOAD=/data/local/tmp/x.so input tap 1 1",
    "/data/local/tmp/input tap 1 1",
    "../data/local/tmp/input tap 1 1",
    "cat <<EOF | sh\nscreencap -p\nEOF",
    "sh",
    "sh /data/local/tmp/x.sh",
    "source /data/local/tmp/x.sh",
    "trap 'screencap' EXIT",
    "alias input=screencap; input tap 1 1",
    "echo 'a",
    "am instrument -w -r com.other/.Runner",
    "am broadcast -a com.other.SEND_TREE",
    "am broadcast -n com.other/.Receiver",
    "app_process / com.genymobile.scrcpy.Server",
    "settings put secure enabled_accessibility_services com.other/.Tree",
    "content read --uri content://media/external/images/media/1",
    "content query --uri content://com.other/state",
    "nc -l -p 7000",
    "tcpdump",
]
HIDDEN = {
    "hierarchy": [
        "eval 'uiautomator dump /dev/tty'",
        "echo 'uiautomator dump /dev/tty' | sh",
        "`echo uiautomator` dump /dev/tty",
        "f() { uiautomator dump /dev/tty; }; f",
        "xargs uiautomator dump < /dev/null",
        "find /system/bin/uiautomator -exec {} dump /dev/tty ';'",
        "env uiautomator dump /dev/tty",
        "dumpsys activity -c activities",
        "dumpsys activity all",
        "dumpsys -t 5 activity top",
        "cmd activity dump top",
        "pm dump com.android.launcher3",
        "dumpsys accessibility",
        "dumpsys autofill",
        "dumpsys notification",
        "wm dump-visible-window-views",
        "service call window 1",
        "content query --uri content://com.droidrun.portal/state",
        "settings put secure enabled_accessibility_services a.b/.C",
        "am broadcast -a accessibility_forwarder.intent.action.ENABLE_TREE",
        "am instrument -w -r com.example.test/androidx.test.runner.AndroidJUnitRunner",
        "cd /sdcard; uiautomator dump d.xml; cat d.xml",
        "dumpsys",
        "dumpsys activity top",
        "dumpsys activity -a activities",
        "dumpsys activity activities -c",
        "dumpsys activity com.example/.Main",
        "dumpsys window visible-window-views",
        "dumpsys input_method",
        "pm dump com.example",
        "cmd window dump-visible-window-views",
        "uiautomator events",
        "uiautomator runtest x.jar",
        "content query --uri content://com.droidrun.portal/state_full",
        "sh -c 'uiautomator dump'",
        'echo "$(uiautomator dump /dev/tty)"',
        "uiautomator dump $FILE",
    ],
    "screenshot": [
        "eval screencap -p | base64",
        "echo 'screencap -p' | sh | base64",
        "env screencap -p",
        "su 0 screencap -p",
        "toybox cat /dev/graphics/fb0",
        "cat /dev/graphics/fb0",
        "f() { screencap -p; }; f",
        "screenrecord --output-format=h264 --time-limit 1 -",
        "false && echo > /sdcard/Pictures/x.png; cat /sdcard/Pictures/x.png",
        "echo screencap /sdcard/own.png; cat /sdcard/own.png | base64",
        "echo > /sdcard/*.png; cat /sdcard/*.png | base64",
        "CLASSPATH=/data/local/tmp/s.jar app_process / com.genymobile.scrcpy.Server",
        "am dumpheap com.android.launcher3 /data/local/tmp/heap",
        "screenrecord /sdcard/a.mp4",
        "input keyevent 120",
        "input keyevent KEYCODE_SYSRQ",
        "input keycombination 25 26",
        "content query --uri content://com.droidrun.portal/screenshot",
        "sh -c screencap",
        "screencap -p $FILE",
        "echo $(screencap -p | base64)",
    ],
}


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("script", PERMITTED)
def test_scripts_that_show_nothing_are_passed_on_unchanged(script, hidden):
    assert sighted(script, hidden, READABLE).text() == script


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("script", REFUSED)
def test_scripts_that_may_show_anything_are_refused(script, hidden):
    with pytest.raises(HiddenError):
        sighted(script, hidden, READABLE)


@pytest.mark.parametrize(
    ("hidden", "script"), [(part, each) for part, scripts in HIDDEN.items() for each in scripts]
)
def test_scripts_that_show_only_the_hidden_part_are_refused(hidden, script):
    with pytest.raises(HiddenError):
        sighted(script, hidden, READABLE)


@pytest.mark.parametrize(
    ("script", "replaced", "files"),
    [
        ("uiautomator dump; input tap 1 1", "window_dump.xml'; }; input tap 1 1", "window_dump"),
        ("true && uiautomator dump --compressed /sdcard/a.xml", " > /sdcard/a.xml; echo", "a.xml"),
        ("uiautomator dump /dev/tty | grep x", "'; echo 'UI hier", ""),
        ("timeout 5 uiautomator dump /sdcard/a.xml >/dev/null 2>&1", "} >/dev/null 2>&1", "a.xml"),
        ("uiautomator dump '/sdcard/a b.xml'", " > '/sdcard/a b.xml'", ""),
        ("uiautomator dump '/sdcard/$(x).xml'", " > '/sdcard/$(x).xml'", ""),
    ],
)
def test_dumps_are_replaced_in_place(script, replaced, files):
    result = sighted(script, "hierarchy", ())
    assert replaced in result.text()
    assert EMPTY in result.text()
    assert "".join(result.files).endswith(f"{files}.xml" if files == "window_dump" else files)


@pytest.mark.parametrize(
    ("script", "replaced"),
    [
        ("screencap -p", "; { { echo $MOBILEAGENT_PICTURE | base64 -d; }; }"),
        ("screencap /sdcard/a.png; sync", "| base64 -d; } > /sdcard/a.png; }; sync"),
        ("screencap -p > /sdcard/a.png", "| base64 -d; }; } > /sdcard/a.png"),
        ("screencap -d 1 -p /sdcard/a.png", "> /sdcard/a.png"),
        ("screencap", "head -c 48 /dev/zero"),
    ],
)
def test_screenshots_are_replaced_by_black_ones_of_the_same_size(script, replaced):
    result = sighted(script, "screenshot", ())
    assert result.shows_picture
    assert replaced in result.text(black((3, 4)))
    assert sighted(script, "hierarchy", ()).text() == script


def test_a_script_that_would_be_too_long_for_adb_is_refused():
    with pytest.raises(HiddenError, match="too long"):
        sighted("input text " + 60_000 * "a", "screenshot", ()).text()


def test_only_files_that_the_program_wrote_itself_can_be_read_later():
    files = sighted(
        "screencap -p /sdcard/a.png; echo > /sdcard/b; false && echo > /sdcard/Pictures/c.png; "
        "echo > '/sdcard/*'; echo > /data/data/x; echo screencap /sdcard/d; echo > /sdcard/../e",
        "hierarchy",
        (),
    ).files
    assert files == {"/sdcard/a.png", "/sdcard/b"}
    assert may_read("/storage/emulated/0/a.png", files)
    assert not may_read("/sdcard/A.png", files)
