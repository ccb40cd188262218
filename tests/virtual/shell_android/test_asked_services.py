"""Services that original harnesses use: their dumps, and the effect of `cmd`."""

import re

import pytest

ANSWERS = [
    ("cmd overlay list", "android\n[x] com.android.internal.systemui.navbar.threebutton\n\n"),
    ("cmd overlay enable com.android.internal.systemui.navbar.threebutton; echo $?", "0\n"),
    (("cmd overlay enable-exclusive --category com.android.internal.systemui.navbar.threebutton;"
      " echo $?"), "0\n"),
    ("cmd display set-brightness 0; settings get system screen_brightness", "1\n"),
    ("cmd display set-brightness 1; cmd display get-brightness 0", "1\n"),
    ("cmd role get-role-holders android.app.role.HOME", "com.google.android.apps.nexuslauncher\n"),
    ("cmd role get-role-holders android.app.role.NONE", "\n"),
    ("cmd jobscheduler get-battery-not-low; cmd jobscheduler get-storage-not-low", "true\ntrue\n"),
    ("cmd color_display set-saturation 50; echo $?", "0\n"),
    (("cmd time_detector set_auto_detection_enabled false;"
      " cmd time_detector is_auto_detection_enabled"), "false\n"),
    ("cmd webviewupdate set-webview-implementation com.google.android.webview", "Success\n"),
    ("dumpsys clipboard", ""),
    ("dumpsys batterystats --reset", "Battery stats reset.\n"),
]  # fmt: skip
REFUSALS = [
    ("cmd overlay enable org.none", "", "Error: Failed to enable overlay\n", 1),
    ("cmd display set-brightness 2", "",
     "Error: brightness should be a number between 0 and 1\n", 1),
    ("cmd jobscheduler run -f com.android.systemui 7", "",
     "Could not find job 7 in package com.android.systemui / user 0\n", 23),
    ("cmd jobscheduler run org.none 7", "", "Package not found: org.none / user 0\n", 24),
    ("cmd color_display set-saturation 101",
     "Error: saturation level must be an integer between 0 and 100, inclusive\n", "", 255),
    ("cmd permission list", "", "No shell command implementation.\n", 0),
    ("cmd webviewupdate nonsense", "Unknown command: nonsense\n", "", 255),
]  # fmt: skip
LOOKS = [  # an action, and the expected content of the dump
    ("", "telecom", r"^  mCalls: \n  mCallAudioManager:"),
    ("", "accessibility", r"^     Enabled services:\{\}$"),
    ("", "batterystats", r"^  Time on battery: \d+h \d+m \d+s"),
    ("", "sensorservice", r"^Goldfish Accelerometer: last 1 events\n.*0.00, 9.81, 0.00,$"),
    ("", "content", "^Auto sync: u0=true$"),
    ("", "role", r"name=android.app.role.HOME\n +holders=com.google.android.apps.nexuslauncher$"),
    ("", "webviewupdate", r"\(name, version\): \(com.google.android.webview, [\d.]+\)$"),
    ("settings put system user_rotation 1", "display",
     r"orientation=1, logicalFrame=Rect\(0, 0 - (\d+), (\d+)\), physicalFrame=Rect\(0, 0 - \1, \2"),
    ("wm user-rotation lock 1", "display", "^    mCurrentOrientation=1$"),
    ("", "display", "^  mScreenState=ON$"),
    ("input keyevent SLEEP", "display", "^  mScreenState=OFF$"),
    ("", "activity services",
     (r"^  \* ServiceRecord{\w+ u0 (com.google.android.inputmethod.latin)/[^}]+}\n(    .*\n)+"
      r"    app=ProcessRecord{\w+ \d+:\1/u0a\d+}$")),
    ("", "activity services com.android.chrome", r"^  \(nothing\)$"),
    ("am start -n org.demo/.NotesActivity", "activity",
     (r"^    baseActivity={(org.demo/org.demo.NotesActivity)}\n    topActivity={\1}\n"
      r"    realActivity={\1}$")),
    ("settings put system user_rotation 1", "input",
     r"logicalFrame=(\[0, 0, \d+, \d+\]), physicalFrame=\1"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "answer"), ANSWERS, ids=[a[0] for a in ANSWERS])
def test_answers(shell, script, answer):
    ran = shell(script)
    assert (ran.out, ran.err) == (answer, "")


@pytest.mark.parametrize(("script", "out", "err", "status"), REFUSALS, ids=[a[0] for a in REFUSALS])
def test_refusals(shell, script, out, err, status):
    ran = shell(script)
    assert (ran.out, ran.err, ran.status) == (out, err, status)


@pytest.mark.parametrize(
    ("script", "words", "pattern"), LOOKS, ids=[f"{a} {b}" for a, b, _ in LOOKS]
)
def test_dumps(shell, script, words, pattern):
    shell(script)
    said = shell(f"dumpsys {words}").out
    assert re.search(pattern, said, re.MULTILINE), said


def test_memory_has_the_columns_that_appium_counts(sh):
    lines = sh("dumpsys meminfo com.android.systemui").splitlines()
    found = {words[0]: words for line in lines if (words := line.split())}
    native = next(line.split() for line in lines if line.split()[:2] == ["Native", "Heap"])
    pss, dirty, _, _, rss, size, allocated, free = map(int, native[2:])
    assert dirty < pss < rss
    assert abs(allocated + free - size) < 3
    assert len(next(line.split() for line in lines if line.split()[:1] == ["TOTAL"])) == 9
    assert {"EGL", "GL"} <= set(found)


def test_traffic_is_reported_as_appium_reads_it(sh):
    said = sh("dumpsys netstats").partition("Xt stats:")[2]
    assert re.match(r"\n  Pending bytes: 0\n", said)
    assert re.search(r"bucketDuration=3600\n +st=\d+ rb=0 rp=0 tb=0 tp=0 op=0\n", said)


def test_a_call_is_printed_without_most_of_its_number(phone, sh):
    phone.telephony.ring("5551234")
    said = sh("dumpsys telecom")
    assert re.search(r"\[Call id=TC@1, state=RINGING, .*handle=tel:\*{5}34,", said), said


def test_services_that_are_only_declared_do_not_run(phone, sh, monkeypatch):
    """Appium takes a recorder that is listed for a recording, and stops it."""
    monkeypatch.setattr(type(phone.packages.app("org.demo")), "services", (".Recorder",))
    sh("am start -n org.demo/.NotesActivity")
    assert "(nothing)" in sh("dumpsys activity services org.demo")
