"""dumpsys of every service, `service`, and the rarer commands of am and settings."""

import re
from datetime import datetime

import pytest

from pytest_mobileagent.device.logcat import DROPBOX_SCRIPT, dropbox_crashes

LOOKS = [  # an action, and the expected content of the dump
    ("", "wifi", r'^mWifiInfo SSID: "AndroidWifi", BSSID: \S+, '),
    ("svc wifi disable", "wifi", "^Wi-Fi is disabled$"),
    ("dumpsys battery set level 42", "activity broadcasts", r"Bundle\[{level=42, scale=100"),
    ("", "connectivity", "^Active default network: 100$"),
    ("svc wifi disable", "connectivity", "^Active default network: 101$"),
    ("cmd connectivity airplane-mode enable", "connectivity", "^Active default network: none$"),
    ("", "telephony.registry", "^    mCallState=0$"),
    ("cmd connectivity airplane-mode enable", "telephony.registry", r"mVoiceRegState=3\(POWER_OFF"),
    ("svc bluetooth disable", "bluetooth_manager", "^  state: OFF$"),
    ("media volume --stream 3 --set 11", "audio", "STREAM_MUSIC:(.*\n)+?   streamVolume:11$"),
    ("cmd alarm set-timezone Asia/Tokyo", "alarm", "^  Current timezone: Asia/Tokyo$"),
    ("", "alarm", r"^  nowRTC=\d{13}=2026-11-20 12:00:0\d"),
    ("", "meminfo", r"^ +[\d,]+K: system_server \(pid 577\)$"),
    ("", "meminfo com.android.systemui", r"TOTAL PSS: +\d+ +TOTAL RSS: +\d+ "),
    ("", "meminfo no.such", "^No process found for: no.such$"),
    ("", "cpuinfo", "% TOTAL: 0% user"),
    ("", "media_session", "have 0 sessions:$"),
    ("", "jobscheduler", "^Registered 0 jobs:$"),
    ("input keyevent SLEEP", "deviceidle", "mScreenOn=false"),
    ("settings put system user_rotation 1", "input", "^      SurfaceOrientation: 1$"),
    ("", "SurfaceFlinger --display-id", "^Display 4619827259835644672 "),
    ("", "SurfaceFlinger", r"orientation=0$"),
    ("settings put secure location_mode 0", "location", "^  Location Setting: false$"),
    ("", "location", r"gps provider:\n.*\n +last location=Location\[gps 37.421998,-122.084000 "),
]


@pytest.mark.parametrize(("script", "words", "pattern"), LOOKS,
                         ids=[f"{look[1]}-{n}" for n, look in enumerate(LOOKS)])  # fmt: skip
def test_dumps(shell, script, words, pattern):
    shell(script)
    said = shell(f"dumpsys {words}").out
    assert re.search(pattern, said, re.MULTILINE), said


def test_every_service_can_be_dumped(sh):
    names = sh("dumpsys -l").split()[3:]
    assert {"activity", "SurfaceFlinger", "wifi", "lock_settings"} <= set(names)
    for name in names:
        sh(f"dumpsys {name}")


ANSWERS = [
    ("service check wifi; service check nope", "Service wifi: found\nService nope: not found\n"),
    ("service call alarm 3 s16 Asia/Tokyo; getprop persist.sys.timezone",
     "Result: Parcel(00000000    '....')\nAsia/Tokyo\n"),
    ("service call activity 99",
     'Result: Parcel(Error: 0xffffffffffffffb6 "Not a data message")\n'),
    ("service list | grep wifi", ("WIFI: [android.net.wifi.IWifiManager]\n")),
    (("cmd location is-location-enabled; cmd location set-location-enabled false;"
     " cmd location is-location-enabled"), "true\nfalse\n"),
    ("cmd power set-mode 1; settings get global low_power", "1\n"),
    (("settings put global foo 1; settings reset global untrusted_defaults;"
     " settings get global foo; settings reset global untrusted_clear; settings get global foo"),
     "1\nnull\n"),
    (("settings put secure long_press_timeout 900; settings reset secure trusted_defaults;"
     " settings get secure long_press_timeout"), "400\n"),
    (("cmd battery set level 42; dumpsys battery | grep level; cmd battery reset;"
      " dumpsys battery | grep level"), "  level: 42\n  level: 100\n"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "answer"), ANSWERS, ids=[a[0] for a in ANSWERS])
def test_answers(sh, script, answer):
    said = re.sub(r"^\d+\t", "", sh(script), flags=re.MULTILINE)
    assert said == answer.replace("WIFI", "wifi")


FAILURES = [
    ("service call nope 1", 10, "service: Service nope does not exist\n"),
    ("service call", 10, "service: No service specified for call\n"),
    ("service tell", 10, "service: Unknown command tell\n"),
    ("settings reset system untrusted_defaults", 255, "Invalid namespace 'system'\n"),
]


@pytest.mark.parametrize(("script", "status", "err"), FAILURES, ids=[f[0] for f in FAILURES])
def test_failures(shell, script, status, err):
    ran = shell(script)
    assert (ran.status, ran.err) == (status, err)


def test_what_the_system_logs(sh, phone):
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
