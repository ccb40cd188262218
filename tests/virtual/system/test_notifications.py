"""Notifications: posting, the shade, gestures on them, and the shell's view of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.sdk import Activity, App, Intent, Text, View
from pytest_mobileagent.virtual.system.notifications import HIGH, Deed

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import App as InstalledApp
    from pytest_mobileagent.virtual.phone import Phone

POST = "android.permission.POST_NOTIFICATIONS"
SYSTEM_UI = "com.android.systemui:id/"


class Inbox(Activity):
    name = ".Inbox"
    title = "Inbox"

    def content(self) -> View:
        return Text(f"message {self.extras.get('message', 'none')}")


class Mail(App):
    package = "org.mail"
    label = "Mail"
    activities = (Inbox,)
    permissions = (POST,)

    def on_broadcast(self, intent: Intent) -> str | None:
        if intent.action == "mail.ANSWER":
            self.preferences().put("answer", str(intent.extras["reply"]))
        if intent.action == "mail.READ":
            self.cancel_notification("7")
        return None

    def arrive(self, **more: object) -> None:
        self.notify(
            "7",
            "Ann",
            "Hello",
            intent=Intent(component="org.mail/org.mail.Inbox", extras={"message": 7}),
            deeds=(
                Deed("Reply", Intent("mail.ANSWER"), told=True, reply="Reply to Ann"),
                Deed("Mark as read", Intent("mail.READ"), told=True),
            ),
            long_text="Hello, and much more",
            **more,
        )


@pytest.fixture(scope="module")
def booted() -> Phone:
    return boot([Mail], frozen=True)


@pytest.fixture
def mail(phone: Phone) -> InstalledApp:
    phone.permissions.answer("org.mail", [POST], "always")
    return phone.packages.app("org.mail")


def test_nothing_is_posted_without_the_permission(phone, sh):
    phone.packages.app("org.mail").arrive()
    assert phone.notifications.posted == []
    sh(f"pm grant org.mail {POST}")
    phone.packages.app("org.mail").arrive()
    assert sh("cmd notification list") == f"0|org.mail|0|7|{phone.packages['org.mail'].uid}\n"


def test_a_tap_opens_what_it_is_about(phone, mail, hand):
    mail.arrive()
    phone.key("NOTIFICATION")
    hand.tap("text", "Ann")
    assert hand.sees("message 7")
    assert phone.notifications.posted == []


def test_the_first_one_is_expanded_and_has_buttons(phone, mail, hand):
    mail.arrive()
    phone.key("NOTIFICATION")
    assert hand.sees("Hello, and much more")
    hand.tap("content-desc", "Collapse")
    assert hand.sees("Hello")
    assert not hand.sees("Mark as read")
    hand.tap("content-desc", "Expand")
    hand.tap("text", "Mark as read")
    assert phone.notifications.posted == []
    assert hand.sees("No notifications")


def test_an_answer_can_be_typed(phone, mail, hand):
    mail.arrive()
    phone.key("NOTIFICATION")
    hand.tap("text", "Reply")
    phone.type_text("on my way")
    hand.tap("resource-id", f"{SYSTEM_UI}remote_input_send")
    assert mail.preferences()["answer"] == "on my way"
    assert not phone.ime.shown


def test_a_notification_is_swiped_aside_or_all_are_cleared(phone, mail, hand, sh):
    mail.arrive()
    mail.notify("8", "Playing", "A song", ongoing=True)
    phone.key("NOTIFICATION")
    x, y = hand.center("text", "Ann")
    phone.swipe(x, y, x + 500, y)
    assert [each.tag for each in phone.notifications.posted] == ["8"]
    x, y = hand.center("text", "Playing")
    phone.swipe(x, y, x + 500, y)
    assert hand.sees("Playing")
    assert not hand.sees("Clear all")
    sh("cmd notification post one two >/dev/null")
    hand.tap("resource-id", f"{SYSTEM_UI}dismiss_text")
    assert [each.tag for each in phone.notifications.posted] == ["8"]


def test_an_important_one_shows_itself_for_some_seconds(phone, mail, hand):
    phone.activities.launch("org.mail")
    mail.arrive(importance=HIGH)
    window = phone.windows.find("headsup")
    assert window
    assert phone.windows.active.kind == "activity"
    left, top, right, bottom = window.box.bounds
    phone.snapshots.save("announced")
    phone.swipe(left + 100, bottom - 40, left + 100, top)
    assert phone.windows.find("headsup") is None
    phone.snapshots.load("announced")
    phone.tap((left + right) // 2, top + 100)
    assert hand.sees("message 7")
    phone.snapshots.load("announced")
    for _ in range(5):
        phone.clock.input_happened()
    assert phone.windows.find("headsup") is None
    assert phone.notifications.posted


def test_do_not_disturb_keeps_it_in_the_shade(phone, mail, sh):
    sh("cmd notification set_dnd priority")
    mail.arrive(importance=HIGH)
    assert phone.windows.find("headsup") is None
    assert sh("settings get global zen_mode") == "1\n"


def test_notifications_survive_a_snapshot(phone, mail, hand):
    mail.arrive()
    phone.key("NOTIFICATION")
    phone.snapshots.save("posted")
    phone.notifications.cancel_all()
    phone.snapshots.load("posted")
    hand.tap("text", "Ann")
    assert hand.sees("message 7")


def test_dumpsys_prints_texts_only_on_request(phone, mail, sh):
    mail.arrive(importance=HIGH)
    uid = phone.packages["org.mail"].uid
    text = sh("dumpsys notification --noredact")
    assert f"pkg=org.mail user=UserHandle{{0}} id=0 tag=7 importance=4 key=0|org.mail|0|7|{uid}: " \
        in text  # fmt: skip
    assert "android.title=String (Ann)" in text
    assert '[0] "Reply" -> PendingIntent{' in text
    redacted = sh("dumpsys notification")
    assert "android.text=String [length=5]" in redacted
    assert "Ann" not in redacted


def test_the_shell_posts(phone, sh, hand):
    said = sh("cmd notification post -t Title -S bigtext tag 'Some words'")
    assert said.startswith("posting:\n  Notification(channel=shell_cmd ")
    key = sh("cmd notification list").strip()
    assert key == "0|com.android.shell|2020|tag|2000"
    assert "android.title=String (Title)" in sh("dumpsys notification --noredact")
    sh("cmd statusbar expand-notifications")
    assert hand.sees("Some words")
    sh("cmd statusbar collapse")
    assert not phone.shade.open
