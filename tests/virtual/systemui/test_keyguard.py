"""The lock screen: when it appears, what it shows, and how it is unlocked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.system.keyguard import dots_of

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

UI = "com.android.systemui:id/"


@pytest.fixture
def locked(demo: Phone) -> Phone:
    demo.key("POWER")
    demo.key("POWER")
    return demo


def test_the_screen_comes_back_locked(locked, hand, sh):
    assert hand.nodes("resource-id", f"{UI}lockscreen_clock_view")
    assert not hand.sees("Notes")
    assert "NotificationShade" in sh("dumpsys window | grep mCurrentFocus")
    policy = sh("dumpsys window policy")
    for line in ("mDreamingLockscreen=true", "mShowingLockscreen=true", "isKeyguardShowing=true"):
        assert line in policy


WAYS = ["input keyevent 82", "wm dismiss-keyguard", "input swipe 500 1800 500 600",
        "input keyevent MENU", "input swipe 500 2390 500 1000"]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_swipe_or_a_key_unlocks(locked, hand, sh, way):
    sh(way)
    assert hand.sees("Notes")
    assert "isKeyguardShowing=false" in sh("dumpsys window policy")


@pytest.mark.parametrize("way", ["input keyevent HOME", "input keyevent BACK", "input tap 5 500",
                                 "input keyevent APP_SWITCH", "input text abc"])  # fmt: skip
def test_other_things_do_not(locked, hand, sh, way):
    sh(way)
    assert locked.keyguard.showing
    assert locked.activities.top.component == "org.demo/org.demo.NotesActivity"


def test_without_a_lock_screen_nothing_is_locked(demo, hand, sh):
    assert sh("locksettings get-disabled") == "false\n"
    assert sh("locksettings set-disabled true") == "Lock screen disabled set to true\n"
    sh("input keyevent 223; input keyevent 224")
    assert hand.sees("Notes")


def test_a_pin_is_typed_on_its_pad(locked, hand, sh):
    assert sh("locksettings set-pin 1357") == "Pin set to '1357'\n"
    sh("input keyevent 82")
    assert hand.sees("Enter your PIN")
    for key in ("key1", "key9", "delete_button", "key3", "key5"):
        hand.tap("resource-id", f"{UI}{key}")
    hand.tap("resource-id", f"{UI}key_enter")
    assert hand.sees("Wrong PIN")
    locked.snapshots.save("asked")
    sh("input text 1357; input keyevent 66")
    assert hand.sees("Notes")
    locked.snapshots.load("asked")
    assert hand.sees("Wrong PIN")
    sh("input keyevent 8 10 12 14 66")
    assert hand.sees("Notes")


def test_back_leaves_the_bouncer(locked, hand, sh):
    sh("locksettings set-pin 1357; wm dismiss-keyguard; input keyevent BACK")
    assert hand.sees("Swipe up to open")


def test_after_five_wrong_answers_the_user_has_to_wait(locked, hand, sh):
    sh("locksettings set-pin 1357; wm dismiss-keyguard")
    for _ in range(5):
        sh("input text 1111; input keyevent 66")
    assert hand.sees(f"Try again in {locked.keyguard.waiting()} seconds.")
    sh("input text 1357; input keyevent 66")
    assert locked.keyguard.locked
    for _ in range(30):
        locked.clock.input_happened()
    sh("input text 1357; input keyevent 66")
    assert not locked.keyguard.locked


def test_a_password_is_typed(locked, hand, sh):
    assert sh("locksettings set-password s3cret") == "Password set to 's3cret'\n"
    sh("input swipe 500 1800 500 600")
    assert 'password="true"' in hand.node("resource-id", f"{UI}passwordEntry")
    sh("input text s3cret; input keyevent 66")
    assert hand.sees("Notes")


def test_a_pattern_is_drawn(locked, hand, sh):
    assert sh("locksettings set-pattern 12369") == "Pattern set to '12369'\n"
    sh("input swipe 500 1800 500 600")
    left, top, right, bottom = hand.bounds("resource-id", f"{UI}lockPatternView")
    xs, ys = ([low + (high - low) * n // 6 for n in (1, 3, 5)]
              for low, high in ((left, right), (top, bottom)))  # fmt: skip
    sh(f"input swipe {xs[0]} {ys[1]} {xs[2]} {ys[1]}")
    assert locked.keyguard.locked
    sh(f"input motionevent DOWN {xs[0]} {ys[0]}; input motionevent MOVE {xs[2]} {ys[0]}")
    sh(f"input motionevent MOVE {xs[2]} {ys[1]}; input motionevent UP {xs[2]} {ys[2]}")
    assert not locked.keyguard.locked


def test_dots_count_once():
    grid = (0, 0, 100, 100)
    assert dots_of([(50, 50), (250, 50), (50, 50), (50, 250)], grid) == "12347"
    assert dots_of([(50, 50), (250, 250)], grid) == "159"
    assert dots_of([(-50, 50), (350, 50)], grid) == "123"


def test_a_notification_waits_behind_the_lock(phone, hand, sh):
    phone.notifications.post("org.demo", "1", "News", "Read all")
    sh("input keyevent 26; input keyevent 26; locksettings set-pin 1357")
    hand.tap("text", "News")
    assert hand.sees("Enter your PIN")
    sh("input text 1357; input keyevent 66")
    assert hand.sees("Notes")
    assert phone.notifications.posted == []


FAILURES = [
    ("locksettings set-pin 12", 255,
     "New credential doesn't satisfy admin policies: Password too short; required: 4\n"),
    ("locksettings set-pin 1234 >/dev/null; locksettings clear", 255,
     "Old password not provided but the user has one\n"),
    ("locksettings set-pin 1234 >/dev/null; locksettings clear --old 1111", 255,
     "Old password '1111' didn't match\n"),
    ("locksettings set-pin 1234 >/dev/null; locksettings verify --old 1234", 0,
     "Lock credential verified successfully\n"),
    ("locksettings set-pin 1234 >/dev/null; locksettings clear --old 1234", 0,
     "Lock credential cleared\n"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "status", "out"), FAILURES, ids=[f[0] for f in FAILURES])
def test_lock_settings(shell, script, status, out):
    ran = shell(script)
    assert (ran.status, ran.out) == (status, out)


def test_the_pad_is_not_mirrored(locked, hand, sh):
    locked.locales.change(["ar-EG"])
    sh("locksettings set-pin 1357; wm dismiss-keyguard")
    assert hand.bounds("resource-id", f"{UI}key1")[0] < hand.bounds("resource-id", f"{UI}key3")[0]
