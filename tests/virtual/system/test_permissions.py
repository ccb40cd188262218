"""Runtime permissions: the dialog, stored answers, and the shell's commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.boot import boot
from pytest_mobileagent.virtual.sdk import Activity, App, Button, Column, Text, View

CAMERA, CONTACTS = "android.permission.CAMERA", "android.permission.READ_CONTACTS"
CHANGES = "android.permission.WRITE_CONTACTS"
FINE, COARSE = (f"android.permission.ACCESS_{kind}_LOCATION" for kind in ("FINE", "COARSE"))
IDS = "com.android.permissioncontroller:id/permission_"
OWNER = "com.google.android.permissioncontroller"
SCREEN = f"{OWNER}/com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.virtual.phone import Phone


class Main(Activity):
    name = ".Main"
    title = "Asks"

    def on_create(self) -> None:
        self.state = {"answers": []}

    def content(self) -> View:
        texts = [Text(each) for each in self.state["answers"]]
        camera = Button("Camera", on_click=lambda: self.request_permission(CAMERA, request="c"))
        names = (CONTACTS, FINE, COARSE)
        more = Button("More", on_click=lambda: self.request_permission(*names, request="m"))
        write = Button("Write", on_click=lambda: self.request_permission(CHANGES, request="w"))
        return Column([camera, more, write, *texts])

    def on_permission(self, request: str, granted: Mapping[str, bool]) -> None:
        words = " ".join(f"{name.rpartition('.')[2]}={on}" for name, on in granted.items())
        self.set(answers=[*self.state["answers"], f"{request}: {words}"])


class Asks(App):
    package = "org.asks"
    label = "Asks"
    activities = (Main,)
    permissions = (CAMERA, CONTACTS, CHANGES, FINE, COARSE, "android.permission.INTERNET")


@pytest.fixture(scope="module")
def booted() -> Phone:
    return boot([Asks], frozen=True)


@pytest.fixture
def asks(phone: Phone) -> Phone:
    phone.activities.launch("org.asks")
    return phone


def test_the_dialog_is_androids_own(asks, hand):
    hand.tap("text", "Camera")
    assert asks.activities.top.component == SCREEN
    message = hand.node("resource-id", f"{IDS}message")
    assert 'text="Allow Asks to take pictures and record video?"' in message
    assert 'package="com.google.android.permissioncontroller"' in message
    for name, label in (("allow_foreground_only", "While using the app"),
                        ("allow_one_time", "Only this time"), ("deny", "Don’t allow")):  # fmt: skip
        assert f'text="{label}"' in hand.node("resource-id", f"{IDS}{name}_button")
    hand.tap("resource-id", f"{IDS}allow_foreground_only_button")
    assert hand.sees("c: CAMERA=True")
    hand.tap("text", "Camera")
    assert asks.activities.top.component == "org.asks/org.asks.Main"


def test_a_permission_refused_twice_is_not_requested_again(asks, hand, sh):
    hand.tap("text", "Camera")
    hand.tap("resource-id", f"{IDS}deny_button")
    assert hand.sees("c: CAMERA=False")
    assert "CAMERA: granted=false, flags=[ USER_SET|" in sh("dumpsys package org.asks")
    hand.tap("text", "Camera")
    hand.tap("resource-id", f"{IDS}deny_and_dont_ask_again_button")
    assert "CAMERA: granted=false, flags=[ USER_FIXED|" in sh("dumpsys package org.asks")
    hand.tap("text", "Camera")
    assert asks.activities.top.package == "org.asks"
    asks.permissions.reset("org.asks")
    hand.tap("text", "Camera")
    assert asks.activities.top.component == SCREEN


def test_groups_are_asked_for_one_after_the_other(asks, hand):
    hand.tap("text", "More")
    assert "access your contacts" in hand.node("resource-id", f"{IDS}message")
    hand.tap("resource-id", f"{IDS}allow_button")
    hand.tap("resource-id", f"{IDS}location_accuracy_radio_coarse")
    hand.tap("resource-id", f"{IDS}allow_foreground_only_button")
    answer = "READ_CONTACTS=True ACCESS_FINE_LOCATION=False ACCESS_COARSE_LOCATION=True"
    assert hand.sees(f"m: {answer}")


def test_nothing_is_asked_if_another_permission_of_the_group_is_granted(asks, hand, sh):
    sh(f"pm grant org.asks {CONTACTS}; pm grant org.asks {COARSE}")
    hand.tap("text", "Write")
    assert hand.sees("w: WRITE_CONTACTS=True")
    hand.tap("text", "More")
    assert "location" in hand.node("resource-id", f"{IDS}message")


def test_the_dialog_ends_with_the_app_that_asks(asks, hand, sh):
    hand.tap("text", "Camera")
    sh("am force-stop org.asks")
    assert asks.activities.top.component != SCREEN
    assert not [task for task in asks.activities.tasks if task.records[-1].component == SCREEN]


def test_back_leaves_without_an_answer(asks, hand):
    hand.tap("text", "Camera")
    asks.key("BACK")
    assert hand.sees("c: CAMERA=False")
    assert "USER_SET" not in asks.permissions.flags("org.asks", CAMERA)


def test_a_one_time_permission_ends_with_the_process(asks, hand, sh):
    hand.tap("text", "Camera")
    hand.tap("resource-id", f"{IDS}allow_one_time_button")
    assert asks.permissions.granted("org.asks", CAMERA)
    sh("am force-stop org.asks")
    assert not asks.permissions.granted("org.asks", CAMERA)


def test_the_dialog_survives_a_snapshot(asks, hand):
    hand.tap("text", "Camera")
    asks.snapshots.save("asking")
    asks.key("HOME")
    asks.snapshots.load("asking")
    hand.tap("resource-id", f"{IDS}allow_foreground_only_button")
    assert hand.sees("c: CAMERA=True")
    asks.snapshots.load("asking")
    assert not asks.permissions.granted("org.asks", CAMERA)


def test_pm_grants_and_revokes(asks, sh, hand):
    sh(f"pm grant org.asks {CAMERA}")
    hand.tap("text", "Camera")
    assert hand.sees("c: CAMERA=True")
    sh(f"pm revoke org.asks {CAMERA}")
    assert not asks.proc.running("org.asks")
    sh(f"pm grant org.asks {CAMERA}; pm clear org.asks")
    assert not asks.permissions.granted("org.asks", CAMERA)


OPS = [
    ("appops get org.asks CAMERA", "No operations.\nDefault mode: allow\n"),
    ("appops set org.asks CAMERA ignore; appops get org.asks CAMERA", "CAMERA: ignore\n"),
    ("appops set org.asks android:camera deny; cmd appops get org.asks", "CAMERA: deny\n"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "answer"), OPS, ids=[op[0] for op in OPS])
def test_app_operations(asks, sh, script, answer):
    assert sh(script) == answer


def test_an_operation_that_is_off_counts_as_refused(asks, sh):
    sh(f"pm grant org.asks {CAMERA}; appops set org.asks CAMERA ignore")
    assert not asks.packages.app("org.asks").has_permission(CAMERA)
    assert asks.permissions.granted("org.asks", CAMERA)


FAILURES = [
    ("appops get", 255, "Error: Package name not specified.\n"),
    ("appops get no.such", 255, "Error: No UID for no.such in user 0\n"),
    ("appops set org.asks NOPE allow", 255, "Error: Unknown operation string: NOPE\n"),
    ("appops set org.asks CAMERA maybe", 255, "Error: Mode is not valid: maybe\n"),
]


@pytest.mark.parametrize(("script", "status", "err"), FAILURES, ids=[f[0] for f in FAILURES])
def test_wrong_app_operations(shell, asks, script, status, err):
    ran = shell(script)
    assert (ran.status, ran.err) == (status, err)


def test_the_user_changes_them_later(asks, hand, sh):
    start = "am start -a android.intent.action.MANAGE_APP_PERMISSIONS --es"
    sh(f"{start} android.intent.extra.PACKAGE_NAME org.asks")
    assert hand.sees("Not allowed")
    hand.tap("text", "Camera")
    radio = "com.android.permissioncontroller:id/{}_radio_button"
    assert 'checked="true"' in hand.node("resource-id", radio.format("ask"))
    hand.tap("resource-id", radio.format("allow_foreground_only"))
    assert asks.permissions.granted("org.asks", CAMERA)
    asks.key("BACK")
    assert hand.sees("Only while app is in use")
    hand.tap("text", "Camera")
    hand.tap("resource-id", radio.format("deny"))
    assert not asks.proc.running("org.asks")
    asks.activities.launch("org.asks")
    hand.tap("text", "Camera")
    assert hand.sees("c: CAMERA=False")


def test_the_dialog_speaks_the_phones_language(asks, hand):
    asks.locales.change(["fr-FR"])
    hand.tap("text", "Camera")
    assert hand.sees("Autoriser Asks à prendre des photos et à enregistrer des vidéos ?")
    assert hand.sees("Ne pas autoriser")
