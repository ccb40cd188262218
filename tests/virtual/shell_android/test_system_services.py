"""Services, toolbox commands and failures whose answers are longer than a row of `answers.toml`."""

from __future__ import annotations

import asyncio
import re
from datetime import datetime

from pytest_mobileagent.device.logcat import DROPBOX_SCRIPT, dropbox_crashes
from pytest_mobileagent.virtual.shell.interpreter import Session, run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected


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
