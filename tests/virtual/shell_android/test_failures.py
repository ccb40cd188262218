"""How commands fail: exit status, stream and message are Android's."""

import pytest

UNKNOWN = "Unknown command: foo\n"


def java(command, message, kind="java.lang.IllegalArgumentException"):
    return f"\nException occurred while executing '{command}':\n{kind}: {message}\n"


FAILURES = [  # script, status, stdout, start of stderr
    ("am foo", 255, UNKNOWN, ""),
    ("pm foo", 255, UNKNOWN, ""),
    ("wm foo", 255, UNKNOWN, ""),
    ("cmd package foo", 255, UNKNOWN, ""),
    ("input foo", 0, UNKNOWN, ""),
    ("cmd", 20, "", "cmd: No service specified; use -l to list all running services\n"),
    ("cmd foo", 20, "", "cmd: Can't find service: foo\n"),
    ("am force-stop", 255, "", java("force-stop", 'Argument expected after "force-stop"')),
    ("am force-stop --x", 255, "", "Error: Unknown option: --x\n"),
    ("am start -n foo", 255, "", java("start", "Bad component name: foo")),
    ("am start", 255, "", java("start", "No intent supplied")),
    ("am broadcast --es a b", 255, "", java("broadcast", "No intent supplied")),
    ("log -p x hello", 1, "", "log: bad -p 'x'\n"),
    ("am stack foo", 255, "", "Error: unknown command 'foo'\n"),
    (
        "am broadcast -a android.intent.action.BOOT_COMPLETED",
        255,
        "Broadcasting: Intent { act=android.intent.action.BOOT_COMPLETED flg=0x400000 }\n",
        java(
            "broadcast",
            "Permission Denial: not allowed to send broadcast"
            " android.intent.action.BOOT_COMPLETED from pid=4711, uid=2000",
            "java.lang.SecurityException",
        ),
    ),
    ("am startservice -n a/.B", 255, "Starting service: Intent { cmp=a/.B }\n",
     "Error: Not found; no service started.\n"),
    ("input tap 1", 255, "", java("tap", "Error: Invalid arguments for command: tap")),
    ("input tap a b", 255, "", java("tap", "Error: Invalid arguments for command: tap")),
    ("input -d x tap 1 1", 255, "", java("-d", "Error: Invalid arguments for display ID.")),
    ("input motionevent HOVER 1 1", 255, "", java("motionevent", "Unknown action: HOVER")),
    ("input keycombination FOO 1", 255, "", java("keycombination", "Unknown keycode: FOO")),
    ("input keycombination 29", 255, "",
     java("keycombination", "keycombination requires at least 2 keycodes")),
    ("input text Grüße", 255, "",
     java("text", "Attempt to get length of null array", "java.lang.NullPointerException")),
    ("wm size 1080", 255, "", "Error: bad size 1080\n"),
    ("wm size axb", 255, "",
     'Error: bad number java.lang.NumberFormatException: For input string: "a"\n'),
    ("wm density 10", 255, "", "Error: density must be >= 72\n"),
    ("wm user-rotation foo", 255, "", "Error: argument needs to be either -d, free or lock.\n"),
    ("settings foo system x", 255, "", "Invalid command: foo\n"),
    ("settings get foo x", 255, "", "Invalid namespace 'foo'\n"),
    ("settings put system x", 255, "", "Bad arguments\n"),
    ("settings get system x y", 255, "", "Too many arguments\n"),
    ("settings --user 99 get system x", 255, "", "Invalid command: --user\n"),
    ("settings get --user 99 system x", 255, "", "Invalid user: 99\n"),
    ("settings put system font_scale big", 255, "",
     java("put", "Invalid value: big for setting: font_scale")),
    ("setprop a", 1, "usage: setprop NAME VALUE\n\nSets an Android system property.\n", ""),
    ("setprop .a b", 1, "", "setprop: Property names must not start or end with a '.'\n"),
    ("setprop a..b c", 1, "", "setprop: '..' is not allowed in a property name\n"),
    ("setprop 'a b' c", 1, "", "setprop: Invalid character ' ' in name 'a b'\n"),
    ("setprop ro.x y", 1, "",
     "setprop: Failed to set property 'ro.x' to 'y'.\nSee dmesg for error reason.\n"),
    ("pm list packages -z", 255, "Error: Unknown option: -z\n", ""),
    ("pm path nope", 1, "", ""),
    ("pm clear nope", 1, "", "Failed\n"),
    ("pm clear", 1, "", "Error: no package specified\n"),
    ("pm uninstall nope", 1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n", ""),
    ("pm uninstall", 1, "", "Error: package name not specified\n"),
    ("pm disable-user nope", 255, "", java("disable-user", "Unknown package: nope")),
    ("pm grant org.demo", 1, "", "Error: no permission specified\n"),
    ("pm grant nope android.permission.CAMERA", 255, "", java("grant", "Unknown package: nope")),
    ("pm grant org.demo x", 255, "", java("grant", "Unknown permission: x")),
    ("pm grant org.demo android.permission.INTERNET", 255, "",
     java("grant", "Permission android.permission.INTERNET requested by org.demo"
          " is not a changeable permission type", "java.lang.SecurityException")),
    ("pm grant org.demo android.permission.READ_SMS", 255, "",
     java("grant", "Package org.demo has not requested permission android.permission.READ_SMS",
          "java.lang.SecurityException")),
    ("ime set a/.B", 255, "", "Unknown input method a/.B cannot be selected for user #0\n"),
    ("ime enable a/.B", 255, "", "Unknown input method a/.B cannot be enabled for user #0\n"),
    ("ime set com.android.adbkeyboard/.AdbIME", 255, "",
     "Unknown input method com.android.adbkeyboard/.AdbIME cannot be selected for user #0\n"),
    ("screencap -x", 1, "", "\nusage: screencap [-hp]"),
    ("screencap -d 0", 1, "", "Display Id '0' is not valid.\n"),
    ("screencap /nope/a.png", 1, "",
     "Error opening file: /nope/a.png (Read-only file system)\n"),
    ("uiautomator", 0, "", "Usage: uiautomator <subcommand>"),
    ("dumpsys foo", 0, "", "Can't find service: foo\n"),
    ("logcat -d -b foo", 1, "", "logcat: unknown buffer foo\n"),
    ("logcat -d -v foo", 1, "", 'logcat: Invalid parameter "foo" to -v\n'),
    ("logcat -d -T foo", 1, "", 'logcat: -T "foo" not in time format\n'),
    ("logcat -t 0", 1, "", 'logcat: -t "0" isn\'t an integer greater than zero\n'),
    ("logcat -d 'a:x'", 1, "", "logcat: Invalid filter expression 'a:x'\n"),
    ("svc wifi", 1, "Available commands:\n", ""),
]  # fmt: skip


@pytest.mark.parametrize(("script", "status", "out", "err"), FAILURES, ids=[f[0] for f in FAILURES])
def test_failures(shell, script, status, out, err):
    ran = shell(script)
    assert ran.status == status
    assert ran.out == out or (out and ran.out.startswith(out))
    assert ran.err.startswith(err) if err else ran.err == ""


def test_a_monkey_without_anything_to_run_gives_up(shell):
    ran = shell("monkey -p nope -c android.intent.category.LAUNCHER 1")
    assert ran.status == 252
    assert ran.err == "** No activities found to run, monkey aborted.\n"


def test_nothing_is_typed_if_a_character_has_no_key(shell, phone):
    shell("am start -n org.demo/.EditorActivity")
    phone.windows.focus_next(fields_only=True)
    shell("input text abcü")
    assert phone.windows.focused_field().text == ""


def test_a_dump_that_cannot_be_written_still_claims_success(shell):
    ran = shell("uiautomator dump /nope/x.xml")
    assert ran == (0, "UI hierchary dumped to: /nope/x.xml\n", "")


def test_there_is_no_hierarchy_while_the_screen_is_off(shell):
    shell("input keyevent SLEEP")
    assert shell("uiautomator dump /sdcard/x.xml").err == (
        "ERROR: null root node returned by UiTestAutomationBridge.\n"
    )


def test_help_ends_with_one_newline(shell):
    for script in ("ime", "wm", "service", "svc", "input", "cmd notification"):
        help_text = shell(script).out
        assert help_text.endswith("\n"), script
        assert not help_text.endswith("\n\n"), script
