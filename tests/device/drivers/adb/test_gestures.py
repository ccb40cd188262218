"""Tests of the shell commands that perform actions on a phone."""

from __future__ import annotations

import base64
import shlex
import subprocess
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pytest_mobileagent.action import Ask, Finish, Impossible, Key, KeyName, Open, Type, Wait
from pytest_mobileagent.action.gestures import Direction, DoubleTap, LongPress, Scroll, Swipe, Tap
from pytest_mobileagent.device.drivers.adb.gestures import KEYCODES, needs_unicode_keyboard, script

SIZE = (1080, 2400)


@pytest.mark.parametrize(
    ("action", "command"),
    [
        (Tap(1, 2), "input tap 1 2"),
        (DoubleTap(1, 2), "input tap 1 2; input tap 1 2"),
        (LongPress(1, 2, 0.75), "input swipe 1 2 1 2 750"),
        (Swipe(1, 2, 3, 4, 0.25), "input swipe 1 2 3 4 250"),
        (Scroll("up"), "input swipe 540 1800 540 600 1000"),
        (Scroll("left"), "input swipe 810 1200 270 1200 1000"),
        (Scroll("up", at=(100, 1100)), "input swipe 100 1700 100 500 1000"),
        (Key("back"), "input keyevent 4"),
        (Wait(0.5), "sleep 0.5"),
        (Ask("?"), ""),
        (Finish("a"), ""),
        (Impossible(), ""),
        (Type(""), ""),
        (Type("a b"), "input text a%sb"),
        (Type("it's $HOME"), "input text 'it'\"'\"'s%s$HOME'"),
        (Type("100%sure"), "input text 100%; input text sure"),
        (
            Type("a\nb\t", at=(5, 6), enter=True),
            (
                "input tap 5 6; input text a; input keyevent 66; input text b; input keyevent 61;"
                " input keyevent 66"
            ),
        ),
        (Type("x", clear=True), "input keycombination 113 29; input keyevent 67; input text x"),
        (Type("é"), "am broadcast -a ADB_INPUT_B64 -p com.android.adbkeyboard --es msg w6k="),
    ],
    ids=repr,
)
def test_action_becomes_an_android_command(action, command):
    assert script(action, SIZE, 34) == command


RESOLVED = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n{}\n"
NONE = "No activity found\n", "No activities found\n"


@pytest.mark.parametrize(
    ("package", "resolved", "queried", "started"),
    [
        ("com.shop", RESOLVED.format("com.shop/.Main$Home"), "", "com.shop/.Main$Home"),
        ("com.shop", "com.shop/com.other.Main\n", "", "com.shop/com.other.Main"),
        (
            "com.shop",
            RESOLVED.format("android/com.android.internal.app.ResolverActivity"),
            f"2 activities found:\n{RESOLVED.format('com.shop/.First')}com.shop/.Second\n",
            "com.shop/.First",
        ),
        ("com.shop", *NONE, ""),  # it has none, or is disabled
        ("com.shop", RESOLVED.format("com.shopping/.Main"), "", ""),
        ("com.shop", "cmd: Failure calling service package: Broken pipe (32)\n", "", ""),
        ("a'b; exit 7 $(exit 7)", *NONE, ""),
    ],
)
def test_an_app_is_opened_as_a_launcher_does(package, resolved, queried, started):
    first, then = shlex.quote(resolved), shlex.quote(queried)
    phone = (
        f'cmd() {{ case "$2" in res*) printf %s {first};; *) printf %s {then};; esac; }};'
        'am() { printf "%s|" "$@"; }; '
        "dumpsys() { echo 'mCurrentFocus=Window{1 u0 com.shop/.Main}'; }; "
    )
    command = ["/bin/sh", "-c", phone + script(Open(package), SIZE, 26)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    main = "-a|android.intent.action.MAIN|-c|android.intent.category.LAUNCHER|-f|0x10200000|-n|"
    assert ran.stdout == (f"start|{main}{started}|" if started else "")


def test_every_key_has_a_code():
    assert set(KEYCODES) == set(get_args(KeyName))


def typed(command: str) -> str:
    """Return the text that Android would type, given how `input text` and `input keyevent` work."""
    # A real shell parses the command; this `input` only prints its arguments.
    shell = f"input() {{ printf '%s\\0' \"$@\"; printf '\\001'; }}; {command}"
    printed = subprocess.run(["/bin/sh", "-c", shell], capture_output=True, text=True, check=True)
    text = ""
    for call in printed.stdout.split("\1")[:-1]:
        match call.split("\0")[:-1]:
            case ["text", argument]:
                text += argument.replace("%s", " ")
            case ["keyevent", code]:
                text += {"66": "\n", "61": "\t"}[code]
            case other:
                pytest.fail(f"not expected: {other}")
    return text


PRINTED = st.characters(codec="ascii", exclude_categories=["Cc"])
ASCII = st.text(PRINTED | st.sampled_from("\n\t%s '\";$"))


@settings(max_examples=15)  # each starts a shell
@given(ASCII)
@example("a\r\nb\rc")
def test_ascii_text_is_typed_unchanged_with_enter_for_any_line_ending(text):
    assert not needs_unicode_keyboard(Type(text))
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    assert typed(script(Type(text), SIZE, 34)) == lines


@settings(max_examples=30)
@given(st.text().filter(lambda text: not text.isascii()))
def test_other_text_is_sent_to_the_unicode_keyboard(text):
    assert needs_unicode_keyboard(Type(text))
    *_, message = script(Type(text), SIZE, 34).split()
    assert base64.b64decode(message).decode() == text


@given(
    st.sampled_from(get_args(Direction)),
    st.tuples(st.integers(200, 4000), st.integers(200, 4000)).flatmap(
        lambda size: st.tuples(
            st.just(size),
            st.none() | st.tuples(st.integers(0, size[0] - 1), st.integers(0, size[1] - 1)),
        )
    ),
)
def test_scroll_moves_half_the_screen_away_from_the_edges(direction, where):
    size, at = where
    *_, x1, y1, x2, y2, _milliseconds = script(Scroll(direction, at), size, 34).split()
    moved = (int(x2) - int(x1), int(y2) - int(y1))
    half = (size[0] // 4 * 2, size[1] // 4 * 2)
    assert moved == pytest.approx(
        {"up": (0, -half[1]), "down": (0, half[1]), "left": (-half[0], 0), "right": (half[0], 0)}[
            direction
        ],
        abs=2,
    )
    for x, y in ((int(x1), int(y1)), (int(x2), int(y2))):
        assert size[0] // 20 <= x <= size[0] - size[0] // 20
        assert size[1] // 20 <= y <= size[1] - size[1] // 20
