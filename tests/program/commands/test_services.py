"""adb services as programs open them, parsed into acts and looks."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_mobileagent.action import Key, Open, Raw, Type, Wait
from pytest_mobileagent.action.gestures import LongPress, Swipe, Tap
from pytest_mobileagent.program.commands import (
    PASTE,
    SELECT_ALL,
    TO_THE_END,
    TO_THE_START,
    Act,
    Clear,
    Erase,
    Pointer,
)
from pytest_mobileagent.program.commands.sockets import read_service


def acts(script: str) -> tuple[Act, ...]:
    return read_service(f"shell:{script}").acts


# Commands that published agents and their tools send, verbatim.
_YADB = "com.ysbing.yadb.Main"
SENT: list[tuple[str, tuple[Act, ...] | None]] = [
    # AppAgent
    ("input tap 540 1200", (Tap(540, 1200),)),
    ("input swipe 540 1200 540 1200 1000", (LongPress(540, 1200, 1.0),)),
    ("input swipe 540 1200 540 800 400", (Swipe(540, 1200, 540, 800, 0.4),)),
    ("input text hello%sworld", (Type("hello world"),)),
    ("input keyevent KEYCODE_BACK", (Key("back"),)),
    # Mobile-Agent
    ("input text %s", (Type(" "),)),
    ("input text a", (Type("a"),)),
    ("input keyevent 66", (Key("enter"),)),
    ("am broadcast -a ADB_INPUT_TEXT --es msg 好", (Type("好"),)),
    ("am start -a android.intent.action.MAIN -c android.intent.category.HOME", (Key("home"),)),
    # Open-AutoGLM
    ("am broadcast -a ADB_CLEAR_TEXT", (Clear(),)),
    ("am broadcast -a ADB_INPUT_B64 --es msg 5L2g5aW9", (Type("你好"),)),
    ("am broadcast -a ADB_INPUT_B64 --es msg ", ()),  # warms up the keyboard
    ("ime set com.android.adbkeyboard/.AdbIME", ()),
    ("settings get secure default_input_method", ()),
    ("monkey -p com.tencent.mm -c android.intent.category.LAUNCHER 1", (Open("com.tencent.mm"),)),
    # mobile-use
    ("input touchscreen swipe 500 1500 500 500 400", (Swipe(500, 1500, 500, 500, 0.4),)),
    ("input keyevent 67 67 67", (Erase(), Erase(), Erase())),
    # AndroidWorld
    ("input -d 0 keyboard text 'a b'", (Type("a b"),)),
    ("am start -n com.android.settings/.Settings", (Open("com.android.settings"),)),
    ("am start -a android.intent.action.VIEW -d https://example.com", None),
    # mobile-mcp
    ("input keyevent KEYCODE_APP_SWITCH", (Key("overview"),)),
    (
        (
            "am broadcast -a devicekit.clipboard.set -e encoding base64 -e text eA== "
            "-n com.mobilenext.devicekit/.ClipboardBroadcastReceiver"
        ),
        (Raw("clipboard: x"),),
    ),
    ("input keyevent KEYCODE_PASTE", (PASTE,)),
    # droidrun
    (
        (
            "content insert --uri content://com.droidrun.portal/keyboard/input "
            "--bind base64_text:s:aGk= --bind clear:b:true"
        ),
        (Clear(), Type("hi")),
    ),
    (
        (
            "content insert --uri content://com.droidrun.portal/keyboard/input "
            "--bind base64_text:s:aGk= --bind clear:b:false"
        ),
        (Type("hi"),),
    ),
    (
        "content insert --uri content://com.droidrun.portal/keyboard/key --bind key_code:i:66",
        (Key("enter"),),
    ),
    # uiautomator2
    ("am broadcast -a ADB_KEYBOARD_INPUT_TEXT --es text aGk=", (Type("hi"),)),
    ("am broadcast -a ADB_KEYBOARD_CLEAR_TEXT", (Clear(),)),
    ("am broadcast -a ADB_KEYBOARD_SMART_ENTER", (Key("enter"),)),
    ("am broadcast -a ADB_KEYBOARD_EDITOR_CODE --es code 3", (Key("enter"),)),
    ("am broadcast -a ADB_KEYBOARD_HIDE", ()),
    ("settings put secure default_input_method com.github.uiautomator/.AdbKeyboard", ()),
    # UI-TARS
    (
        (
            "app_process -Djava.class.path=/data/local/tmp/yadb /data/local/tmp "
            "com.ysbing.yadb.Main -keyboard '你好 x'"
        ),
        (Type("你好 x"),),
    ),
    (
        (
            "app_process -Djava.class.path=/data/local/tmp/yadb /data/local/tmp "
            "com.ysbing.yadb.Main -touch 500 600 2000"
        ),
        (LongPress(500, 600, 2.0),),
    ),
    *(
        (f"app_process -Djava.class.path=/data/local/tmp/yadb /data/local/tmp {_YADB} {rest}", done)
        for rest, done in (
            ("-swipe 10 20 30.4 400 300", (Swipe(10, 20, 30, 400, 0.3),)),
            ("-keyboardClear", (Clear(),)),
            ("-writeClipboard 'a b'", (Raw("clipboard: a b"),)),
            ("-readClipboard", ()),
            ("-layout", ()),
        )
    ),
    # Midscene
    (f"app_process -Djava.class.path=/data/local/tmp/yadb / {_YADB} -pinch 1 2 3 4 5", None),
    # Waking a phone that is already awake, as many agents do at the start.
    ("input keyevent KEYCODE_WAKEUP", ()),
    ("input keyevent 224 && input keyevent 82", (Key("menu"),)),
    # Appium's preparations
    ("am start -n io.appium.settings/.Settings -a android.intent.action.MAIN", ()),
    ("am force-stop io.appium.uiautomator2.server", ()),
    ("settings put global hidden_api_policy 1", ()),
]


# All forms of Android's `input` and `am`.
READ: list[tuple[str, tuple[Act, ...] | None]] = [
    ("input tap 10.6 20.2", (Tap(11, 20),)),
    ("/system/bin/input tap 1 2", (Tap(1, 2),)),
    ("cmd input tap 1 2", (Tap(1, 2),)),
    ("cmd -w input tap 1 2", (Tap(1, 2),)),
    ("cmd", ()),
    ("app_process / com.android.commands.input.Input tap 1 2", (Tap(1, 2),)),
    ("app_process", ()),
    ("input mouse -d 2 tap 1 2", (Tap(1, 2),)),
    ("input swipe 1 2 300 4", (Swipe(1, 2, 300, 4, 0.3),)),
    ("input swipe 1 2 5 6 100", (Tap(1, 2),)),
    ("input draganddrop 1 2 300 4 900", None),
    ("input tap 1", None),
    ("input bogus", ()),
    ("input", ()),
    ("input text 'a%%s'", (Type("a% "),)),
    ("input text one two", (Type("one"),)),
    ("input text ''", ()),
    ('input text "it\'s"', (Type("it's"),)),
    (r"input text it\'s\ \$5", (Type("it's $5"),)),
    ("input text $'a\\tb'", (Type("a\tb"),)),
    ("input text 'a;b&&c'", (Type("a;b&&c"),)),
    ("input text a#b", (Type("a#b"),)),
    ("input keyevent HOME back 04", (Key("home"), Key("back"), Key("back"))),
    ("input keyevent A KEYCODE_7 SPACE COMMA", (Type("a"), Type("7"), Type(" "), Type(","))),
    ("input keyevent --longpress 67 67", (Erase(), Erase())),
    ("input keyevent --longpress HOME", None),
    ("input keyevent --delay 5 4", (Key("back"),)),
    ("input keyevent 0x4", None),
    ("input keyevent 123", (TO_THE_END,)),
    ("input keyevent MOVE_HOME FORWARD_DEL", (TO_THE_START, Erase())),
    ("input keycombination 113 29; input keyevent 67", (SELECT_ALL, Erase())),
    ("input keycombination -t 50 SHIFT_LEFT 8", (Type("!"),)),
    ("input motionevent DOWN 1 2", (Pointer("down", 1, 2),)),
    ("input motionevent CANCEL", (Pointer("cancel", 0, 0),)),
    ("sendevent /dev/input/event1 3 57 0", None),
    ("cat /sdcard/swipe > /dev/input/event1", None),
    ("am start -n $(cmd package resolve-activity --brief com.x | tail -n 1)", (Open("com.x"),)),
    ('a=`pm resolve-activity --brief com.x`; am start -n "$a"', (Open("com.x"),)),
    ("cmd package resolve-activity --brief $b; am start -n $a", (Raw("am start -n $a"),)),
    ("monkey -p com.x -v 500", None),
    ("monkey -p com.x", ()),
    ("am broadcast -a ADB_INPUT_CHARS --eia chars '128568,32,67'", (Type("\U0001f638 C"),)),
    ("am broadcast -a ADB_INPUT_CODE --ei code 67", (Erase(),)),
    ("am broadcast -a ADB_EDITOR_CODE --ei code 2", (Key("enter"),)),
    ("am broadcast -a ADB_INPUT_TEXT --es mcode '4096,29'", (SELECT_ALL,)),
    ("am broadcast -a ADB_INPUT_B64 --es msg '?'", None),
    ("am broadcast -a com.example.OTHER", ()),
    # `words` becomes the package.
    ("am broadcast -a ADB_INPUT_TEXT --es msg two words", None),
    (
        "am broadcast -a ADB_INPUT_TEXT --es msg 'two words' -p com.android.adbkeyboard",
        (Type("two words"),),
    ),
    ("am start com.example/.Main", (Open("com.example"),)),
    ("am start -W -S --user 0 -n com.example/.Main", (Open("com.example"),)),
    ("am start -n com.example/.Main --es goto end", None),
    ("cmd activity start -p com.example", (Open("com.example"),)),
    ("am start -a android.settings.WIFI_SETTINGS", None),
    ("am force-stop com.example", None),
    ("am instrument -w com.example/.Runner", ()),
    ("svc wifi disable", None),
    ("settings put system screen_brightness 9", None),
    ("cmd statusbar expand-notifications", None),
    ("cmd uimode night yes", None),
    ("content insert --uri content://settings/system --bind name:s:x", None),
    ("content query --uri content://sms/sent", ()),
    ("cmd wifi status", ()),
    ("service call statusbar 1", None),
    ("sh /sdcard/script.sh", None),
    ("getprop ro.product.model", ()),
    ("dumpsys window | grep mCurrentFocus", ()),
    ("echo input tap 1 2", ()),
]


SCRIPTS: list[tuple[str, tuple[Act, ...] | None]] = [
    ("input tap 1 2; input tap 3 4", (Tap(1, 2), Tap(3, 4))),
    ("input tap 1 2 && input tap 3 4 &", (Tap(1, 2), Tap(3, 4))),
    ("input tap \\\n 1 2 # there", (Tap(1, 2),)),
    ("input tap 1 2 >; input tap 3 4", (Tap(1, 2),)),  # nothing to write to
    ("input tap 1 2 || input tap 3 4", (Tap(1, 2),)),  # the second runs only if the first fails
    ("true || input tap 3 4", (Tap(3, 4),)),
    ("{ input tap 1 2; } 2>&1; (input tap 3 4)", (Tap(1, 2), Tap(3, 4))),
    ("! input tap 1 2 >/dev/null", (Tap(1, 2),)),
    ("sh -c 'input tap 1 2'", (Tap(1, 2),)),
    ("su 0 input tap 1 2", (Tap(1, 2),)),
    ("su -c 'input tap 1 2'", (Tap(1, 2),)),
    ("su root sh -c \"sh -c 'input tap 1 2'\"", (Tap(1, 2),)),
    ("nohup input tap 1 2", (Tap(1, 2),)),
    ("timeout -k 1 5 input tap 1 2", (Tap(1, 2),)),
    ("env A=b input tap 1 2", (Tap(1, 2),)),
    ("A=b C='d e' input tap 1 2", (Tap(1, 2),)),
    ("eval input tap 1 2", (Tap(1, 2),)),
    ("x=5; y=$x; input tap $x ${y}", (Tap(5, 5),)),
    ("input tap 1 2; sleep 2; input tap 1 2; sleep 1", (Tap(1, 2), Wait(2.0), Tap(1, 2))),
    ("input tap 1 2 & sleep 0.1; input tap 1 2", (Tap(1, 2), Tap(1, 2))),
    ("echo $(input tap 1 2)", (Tap(1, 2),)),
    ("x=`input tap 1 2`", (Tap(1, 2),)),
    ('input text "$(cat /sdcard/x)"', None),
    ("input tap $1 $2", None),
    ("input tap $((1+1)) 2", None),
    ("input $what 1 2", None),
    ("echo 1 2 | xargs input tap", (Raw("xargs input tap"),)),
    # Scripts that are not understood.
    ("for i in 1 2 3; do input keyevent 67; done", None),
    ("if true; then input tap 1 2; fi", None),
    ("case $x in a) input tap 1 2;; esac", None),
    ("f() { input tap 1 2; }; f", None),
    ("echo 'input tap 1 2' | sh", None),
    ("cat <<EOF | sh\ninput tap 1 2\nEOF", None),
    ("input tap 1 2; echo 'no end", None),
]


@pytest.mark.parametrize(("script", "done"), [*SENT, *READ, *SCRIPTS])
def test_scripts_are_read(script, done):
    """None stands for one act that nothing is known of."""
    assert acts(script) == ((Raw(script),) if done is None else done)


@pytest.mark.parametrize(
    ("service", "looks", "automation"),
    [
        ("exec:screencap -p", True, False),
        ("shell,v2,TERM=xterm-256color,raw:screencap -p /sdcard/x.png", True, False),
        ("shell:screenrecord --output-format=h264 -", True, False),
        ("shell:uiautomator dump /dev/tty", True, True),
        ("shell:uiautomator events", False, False),
        ("framebuffer:", True, False),
        ("shell:content query --uri content://com.droidrun.portal/state_full", True, False),
        ("shell:content query --uri content://com.droidrun.portal/packages", False, False),
        ("shell:input tap 1 2; screencap -p /sdcard/x.png", True, False),
        ("shell:screencap -p /sdcard/x.png; input tap 1 2", False, False),
        ("sync:", False, False),
        ("shell:", False, False),
        ("localabstract:scrcpy", False, False),
        ("", False, False),
    ],
)
def test_looks_are_recognised(service, looks, automation):
    command = read_service(service)
    assert (command.looks, command.automation) == (looks, automation)
    assert command.text == service
    assert not command.refused


def test_binder_services_are_parsed():
    assert read_service("abb_exec:input\0tap\x001\x002\0").acts == (Tap(1, 2),)
    assert read_service("abb:package\0clear\0com.x").acts == (Raw("cmd package clear com.x"),)


ANY_SCRIPT = st.lists(
    st.sampled_from(
        ["input", " ", "tap 1 2", "text x", "'", '"', "\\", "$(", ")", "(", "`", ";", "&&", "|",
         "\n", "{", "}", "for i in", "do", "done", "<<", ">", "#", "$x", "${y}", "sh -c", "=",
         "x", "screencap", "é", "\0", "su", "timeout", "-", "reboot", "xargs"]
    ),
    max_size=16,
).map("".join)  # fmt: skip


@given(ANY_SCRIPT)
@example("$(" * 100)
@example("sh -c " * 100)
@example("(" * 1000)
@example("`" * 3)
@example("sh -c '" + 'sh -c "' * 50)
def test_any_script_can_be_parsed(script):
    assert read_service(f"shell:{script}").text == f"shell:{script}"


@given(st.text())
def test_any_service_can_be_parsed(service):
    assert read_service(service).text == service


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(TEXTS.filter(lambda text: "%s" not in text))
def test_quoted_text_is_typed_exactly(text):
    assert acts(f"input text {shlex.quote(text)}") == (Type(text),)


def test_megabyte_script_is_parsed():
    assert acts(f"echo {'YWJj' * 200_000} | base64 -d > /sdcard/x") == ()
    assert acts(f"echo '{'a b;' * 200_000}'; input tap 1 2") == (Tap(1, 2),)


def test_long_command_is_truncated_in_its_act():
    (act,) = acts(f"am start -d {'x' * 5000}")
    assert isinstance(act, Raw)
    assert len(act.command) < 1100
