"""settings, properties, cmd, svc, media, dumpsys and logcat."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.device.logcat import DROPBOX_SCRIPT, dropbox_crashes
from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


def test_settings_are_listed_sorted_and_their_changes_logged(sh, phone):
    lines = sh("settings list system").splitlines()
    assert "font_scale=1.0" in lines
    assert "zen_duration=0\n" in sh("settings list secure")
    assert all(sh(f"settings list {space}").count("\n") > 30 for space in ("system", "global"))
    assert lines == sorted(lines)
    sh("settings put system font_scale 1.3")
    assert phone.log.entries[-1][1:4] == (
        "V", "SettingsProvider", "Notifying for 0: content://settings/system/font_scale",
    )  # fmt: skip


def test_time_is_set_and_frozen(sh, phone):
    sh("setprop debug.clock.frozen 0")
    assert not phone.clock.frozen
    sh("setprop debug.clock.frozen 1; cmd alarm set-time 1700000000000")
    sh("cmd alarm set-timezone Asia/Tokyo; cmd alarm set-timezone No/Where")
    assert phone.clock.now().isoformat() == "2023-11-15T07:13:20+09:00"
    assert sh("getprop persist.sys.timezone") == "Asia/Tokyo\n"


FOCUS = r"mCurrentFocus=Window\{[0-9a-f]+ u0 (\S+)\}"
APP = r"mFocusedApp=ActivityRecord\{[0-9a-f]+ u0 (\S+)\} t\d+\}"
TOP = r"ACTIVITY (\S+) [0-9a-f]+ pid=(\d+)"


def test_while_it_boots_a_phone_has_no_services(shell, phone):
    phone.init.set_booting(True)
    assert shell("getprop sys.boot_completed; getprop init.svc.bootanim").out == "\nrunning\n"
    ran = shell("pm list packages")
    assert (ran.status, ran.err) == (20, "cmd: Can't find service: package\n")
    phone.init.set_booting(False)
    ready = "1\nstopped\n"
    assert shell("getprop sys.boot_completed; getprop init.svc.bootanim").out == ready
    assert shell("pm list packages").out.startswith("package:")


def first(pattern, text):
    """The text that matches the pattern's first group."""
    match = re.search(pattern, text)
    assert match, f"{pattern} is not in {text}"
    return match[1]


def test_the_focus_is_where_tools_look_for_it(sh, demo, hand):
    displays = sh("dumpsys window displays")
    assert first(FOCUS, displays) == "org.demo/org.demo.NotesActivity"
    assert first(APP, displays) == "org.demo/.NotesActivity"
    assert "mCurrentFocus" not in sh("dumpsys window windows")
    assert "mCurrentFocus" in sh("dumpsys window")
    top = re.findall(TOP, sh("dumpsys -t 60 activity top"))[-1]
    assert top == ("org.demo/.NotesActivity", str(demo.proc.pid("org.demo")))
    assert re.search(r"  ResumedActivity: ActivityRecord\{\S+ u0 org.demo/.Notes",
                     sh("dumpsys activity activities"))  # fmt: skip
    hand.tap("content-desc", "More options")
    assert first(FOCUS, sh("dumpsys window")).startswith("PopupWindow:")
    sh("input keyevent NOTIFICATION")
    assert first(FOCUS, sh("dumpsys window")) == "NotificationShade"


def test_the_keyboard_is_where_tools_look_for_it(sh, demo, hand):
    assert "mInputShown=false" in sh("dumpsys input_method")
    hand.tap("content-desc", "Add")
    hand.tap("text", "Title")
    shown = sh("dumpsys input_method")
    assert "mInputShown=true" in shown
    assert "mServedView=android.widget.EditText{" in shown


def test_a_package_is_described(sh):
    text = sh("dumpsys package org.demo")
    for line in (r"    versionCode=42 minSdk=\d+ targetSdk=34", r"    versionName=1\.2",
                 r"    appId=10\d\d\d", r"      android.permission.INTERNET: granted=true",
                 r"    User 0: .* stopped=true .* enabled=0 .*"):  # fmt: skip
        assert re.search(f"^{line}$", text, re.MULTILINE), line


@pytest.fixture
def entries(phone: Phone) -> Phone:
    phone.log.clear({"main", "system", "crash"})
    phone.clock.set(1_700_000_000.25)
    phone.log.write("I", "One", "first", pid=42)
    phone.log.write("E", "Two", "second\nline", pid=43)
    phone.log.system("D", "One", "third")
    return phone


STAMP = "11-14 22:13:20.250"
DUMPS = [
    ("-d", (f"--------- beginning of main\n{STAMP}    42    42 I One     : first\n"
           f"{STAMP}    43    43 E Two     : second\n{STAMP}    43    43 E Two     : line\n"
           f"--------- beginning of system\n{STAMP}   577   577 D One     : third\n")),
    ("-d -b main -v brief One:I '*:S'", "--------- beginning of main\nI/One     (   42): first\n"),
    ("-d -v raw -s Two", "--------- beginning of main\nsecond\nline\n"),
    ("-d -v tag -e '^th'", "--------- beginning of system\nD/One     : third\n"),
    ("-d -v time --pid=42", f"--------- beginning of main\n{STAMP} I/One     (   42): first\n"),
    ("-t 1 -v process", "--------- beginning of system\nD(  577) third  (One)\n"),
    ("-d -m 1 -v thread", "--------- beginning of main\nI(   42:   42) first\n"),
    ("-d -v long One:I '*:S'", ("--------- beginning of main\n"
     f"[ {STAMP}    42:   42 I/One      ]\nfirst\n\n")),
    ("-d -v epoch --pid 42", ("--------- beginning of main\n"
     "     1700000000.250    42    42 I One     : first\n")),
    ("-d -v threadtime -v year '*:E' -e second", ("--------- beginning of main\n"
     f"2023-{STAMP}    43    43 E Two     : second\n2023-{STAMP}    43    43 E Two     : line\n")),
    ("-t 99 -b main -v raw", "--------- beginning of main\nfirst\nsecond\nline\n"),
    ("-t 2 -v raw One:I '*:S'", ""),
    ("-d -b main,events -v raw -m 1", "--------- beginning of main\nfirst\n"),
    ("-d -b events", ""),
    ("-d -T '11-14 22:13:21.000'", ""),
    ("-c; logcat -d", ""),
]  # fmt: skip


@pytest.mark.parametrize(("words", "text"), DUMPS, ids=[d[0] for d in DUMPS])
def test_logcat(sh, entries, words, text):
    assert sh(f"logcat {words}") == text


def test_logcat_prints_in_the_phones_zone(sh, entries):
    entries.props.set("persist.sys.timezone", "Europe/Berlin")
    assert "11-14 23:13:20.250" in sh("logcat -d -b main")


def test_logcat_follows_the_log(entries):
    out = Collected()
    session = Session(phone=entries, uid=2000, stdin=Bytes(b""), stdout=out, stderr=Collected())

    async def follow():
        task = asyncio.create_task(run(session, "logcat -v raw -m 5"))
        while b"third" not in out.data:
            await asyncio.sleep(0)
        entries.log.write("I", "One", "fourth")
        entries.log.write("I", "One", "fifth")
        return await task

    assert asyncio.run(follow()) == 0
    assert out.data.endswith(b"fourth\nfifth\n")
    assert entries.log._followers == []


def test_uiautomator_prints_events_as_they_come(demo, hand):
    out = Collected()
    session = Session(phone=demo, uid=2000, stdin=Bytes(b""), stdout=out, stderr=Collected())

    async def listen():
        task = asyncio.create_task(run(session, "uiautomator events"))
        while not demo.events.listeners:
            await asyncio.sleep(0)
        hand.tap("content-desc", "Add")
        while b"STATE" not in out.data:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(listen())
    assert out.data.startswith(b"11-20 12:00:00.000 EventType: TYPE_VIEW_CLICKED; EventTime: ")
    assert not demo.events.listeners


def test_recent_tasks_are_listed_with_what_started_them(sh, demo):
    lines = sh("dumpsys activity recents | grep -E 'Recent #|mActivityComponent'").splitlines()
    assert "type=standard" in lines[0]
    assert lines[1] == "    mActivityComponent=org.demo/.NotesActivity"
    assert lines[2].startswith("  * Recent #1: Task{")
    assert "type=home" in lines[2]


def test_the_views_of_an_app_are_reported_by_its_package(sh, demo):
    assert re.match(r"TASK \S*:org.demo .*\n  ACTIVITY org.demo/", sh("dumpsys activity org.demo"))
    assert "\n    View Hierarchy:\n" in sh("dumpsys activity org.demo org.demo")
    demo.activities.force_stop("org.demo")
    assert sh("dumpsys activity org.demo").startswith(
        "Bad activity command, or no activities match"
    )


def test_the_views_of_the_activity_on_top_are_reported_as_they_lie(sh, demo):
    text = sh("dumpsys activity top").partition("View Hierarchy:\n")[2]
    assert re.match(r" {6}DecorView@[0-9a-f]+\[NotesActivity\]\n {8}\S+\{[0-9a-f]+ V", text)
    views = re.findall(r"^ +([\w.]+)\{[0-9a-f]+ ([\w.]{9}) [\w.]{8} 0,0-", text, re.MULTILINE)
    dumped = re.findall(r'class="([^"]*)"', demo.dump())
    assert {name for name, _ in views} <= set(dumped)
    assert any(flags[6] == "C" for flags in re.findall(r"\{[0-9a-f]+ ([\w.]{9}) ", text))


def test_apps_may_be_exempt_from_dozing(sh, phone):
    ask = "dumpsys deviceidle whitelist"
    assert sh(f"{ask} +org.demo +org.nope") == "Added: org.demo\nUnknown package: org.nope\n"
    assert (
        sh(ask)
        == f"system,com.android.shell,2000\nuser,org.demo,{phone.packages['org.demo'].uid}\n"
    )
    assert "Whitelist user apps:\n    org.demo\n" in sh("dumpsys deviceidle")
    assert sh(f"{ask} -org.demo -org.demo") == "Removed: org.demo\n"
    assert "user," not in sh("cmd deviceidle whitelist")


def test_every_service_can_be_dumped(sh):
    names = sh("dumpsys -l").split()[3:]
    assert {"activity", "SurfaceFlinger", "wifi", "lock_settings"} <= set(names)
    for name in names:
        sh(f"dumpsys {name}")


def test_a_phone_goes_on_without_any_of_its_settings(sh):
    for namespace in ("system", "secure", "global"):
        names = [line.partition("=")[0] for line in sh(f"settings list {namespace}").splitlines()]
        assert names
        for name in names:
            assert sh(f"settings delete {namespace} {name}").startswith("Deleted")
    for name in sh("dumpsys -l").split()[3:]:
        sh(f"dumpsys {name}")
    assert "dumped" in sh("uiautomator dump")


def test_lines_that_the_system_logs(sh, phone):
    sh("settings put system screen_brightness 99")
    last = [entry for entry in phone.log.entries if entry.tag == "DisplayPowerController"][-1]
    assert last.message == (
        "Brightness [0.39] reason changing to: 'manual', previous reason: 'manual'."
    )


def test_changes_of_the_time_zone_are_reported(sh, demo, monkeypatch):
    told = []
    monkeypatch.setattr(
        type(demo.packages.app("org.demo")), "on_broadcast", lambda _, intent: told.append(intent)
    )
    sh("cmd alarm set-timezone Asia/Tokyo")
    assert told[-1].action == "android.intent.action.TIMEZONE_CHANGED"
    assert told[-1].extras == {"time-zone": "Asia/Tokyo"}


def test_dropbox_keeps_crashes_when_the_log_is_cleared(demo, sh):
    assert sh("dumpsys dropbox --print data_app_crash").endswith("\n(No entries found.)\n")
    with demo.activities.guard("org.demo"):
        raise ValueError("no such note")
    sh("logcat -c")
    found = sh("dumpsys dropbox --print data_app_crash")
    assert found.startswith("Drop box contents: 1 entries\nMax entries: 1000\n")
    body = found.partition("\nSearching for: data_app_crash\n\n")[2]
    assert re.match(
        r"={40}\n2026-11-20 12:00:0\d data_app_crash \(text, \d+ bytes\)\nProcess: org.demo\n"
        r"PID: \d+\nPackage: org.demo v\d+ \(.+\)\nForeground: Yes\nBuild: .+\n\nTraceback .*\n",
        body,
    )
    ((when, crash),) = dropbox_crashes(sh(DROPBOX_SCRIPT), datetime(2026, 11, 20))
    assert f"{when:%F %T}" == body[41:60]
    assert str(crash).startswith("org.demo: ValueError: no such note, shell_android/test_")
    assert dropbox_crashes(sh(DROPBOX_SCRIPT), datetime(2026, 11, 21)) == []
    assert body.endswith("ValueError: no such note\n\n")
    day = body[41:51]
    assert sh(f"dumpsys dropbox -p {day} data_app_crash").endswith(body)
    assert "(No entries" in sh("dumpsys dropbox --print 1999-01-01")
    assert "(No entries" in sh("dumpsys dropbox --print data_app_anr")
    listed = sh("dumpsys dropbox")
    assert f"{body[41:60]} data_app_crash (text, " in listed
    assert "    Process: org.demo/PID: " in listed
    assert "/data/system/dropbox/data_app_crash@" in sh("dumpsys dropbox --file")
    assert sh("dumpsys dropbox -x").startswith("Unknown argument: -x\nDrop box contents: 1")
    demo.snapshots.save("crashed")
    demo.snapshots.load("default_boot")
    assert "(No entries" in sh("dumpsys dropbox --print")
    demo.snapshots.load("crashed")
    assert "no such note" in sh("dumpsys dropbox --print")
    demo.snapshots.delete("crashed")


def test_memory_has_the_columns_that_appium_counts(sh):
    lines = sh("dumpsys meminfo com.android.systemui").splitlines()
    found = {words[0]: words for line in lines if (words := line.split())}
    native = next(line.split() for line in lines if line.split()[:2] == ["Native", "Heap"])
    pss, dirty, _, _, rss, size, allocated, free = map(int, native[2:])
    assert dirty < pss < rss
    assert abs(allocated + free - size) < 3
    assert len(next(line.split() for line in lines if line.split()[:1] == ["TOTAL"])) == 9
    assert {"EGL", "GL"} <= set(found)


def test_a_call_is_printed_without_most_of_its_number(phone, sh):
    phone.telephony.ring("5551234")
    said = sh("dumpsys telecom")
    assert re.search(r"\[Call id=TC@1, state=RINGING, .*handle=tel:\*{5}34,", said), said


def test_services_that_are_only_declared_do_not_run(phone, sh, monkeypatch):
    """Appium takes a recorder that is listed for a recording, and stops it."""
    monkeypatch.setattr(type(phone.packages.app("org.demo")), "services", (".Recorder",))
    sh("am start -n org.demo/.NotesActivity")
    assert "(nothing)" in sh("dumpsys activity services org.demo")


def test_nc_joins_two_shells(phone):
    async def both() -> bytes:
        heard = Collected()
        listening = asyncio.ensure_future(
            run(
                Session(phone=phone, uid=2000, stdin=Bytes(b""), stdout=heard, stderr=heard),
                "nc -l -p 4321",
            )
        )
        while "tcp:4321" not in phone.sockets:
            await asyncio.sleep(0)
        await run(
            Session(phone=phone, uid=2000, stdin=Bytes(b"hello\n"), stdout=heard, stderr=heard),
            "nc localhost 4321",
        )
        await listening
        return heard.data

    assert asyncio.run(asyncio.wait_for(both(), 10)) == b"hello\n"


def test_nothing_is_typed_if_a_character_has_no_key(shell, phone):
    shell("am start -n org.demo/.EditorActivity")
    phone.windows.focus_next(fields_only=True)
    shell("input text abcü")
    assert phone.windows.focused_field().text == ""


def test_help_ends_with_one_newline(shell):
    for script in ("ime", "wm", "service", "svc", "input", "cmd notification"):
        help_text = shell(script).out
        assert help_text.endswith("\n"), script
        assert not help_text.endswith("\n\n"), script
