"""Tests of a phone's state: what is read from the answers of Android, and what is unknown."""

from __future__ import annotations

import re

import pytest

from pytest_mobileagent.device.state import BY_ROLE, SERVICES, UNREAD, StateReader
from pytest_mobileagent.errors import DeviceError

# As Android 14 prints it, with a work profile, and an app from the image that has been updated.
PACKAGES = """\
  Package [com.a] (1a2b3c):
    versionCode=7 minSdk=24 targetSdk=34
      android.permission.INTERNET: granted=true
    User 0: ceDataInode=1 installed=true hidden=false suspended=false stopped=false enabled=0 instant=false
        android.permission.CAMERA: granted=true, flags=[ USER_SET|USER_SENSITIVE_WHEN_GRANTED]
        android.permission.READ_SMS: granted=true, flags=[ GRANTED_BY_ROLE]
    User 10: ceDataInode=2 installed=true hidden=false suspended=false stopped=true enabled=3 instant=false
        android.permission.CAMERA: granted=false, flags=[ USER_SET]
  Package [com.b] (4d5e6f):
    versionCode=9 minSdk=24 targetSdk=34
    User 0: ceDataInode=3 installed=true hidden=false suspended=false stopped=true enabled=3 instant=false
  Package [com.b] (778899):
    versionCode=4 minSdk=24 targetSdk=34
"""  # noqa: E501
ANSWERS = {
    "settings list system": "volume=5",
    "pm list packages": "package:com.a\npackage:com.b",
    "dumpsys package packages": PACKAGES,
    "echo ": "SYSTEM_ALERT_WINDOW:\ncom.a\nWRITE_SETTINGS:\nNo operations.",
    "find /sdcard/ -type f": "3 1700000000 /sdcard/a b.txt",
    "find /sdcard/ -mindepth": "/sdcard/b",
    "content query": "No result found.",
}


class Answering:
    """A phone's shell, which answers each part of a script as far as it permits that."""

    def __init__(self, answers):
        self.answers = answers

    def shell(self, script):
        (mark,) = {*re.findall(r"; echo '(-- .*? --)'; ", script)}
        parts = script.split(f"; echo; echo '{mark}'; ")
        return f"\n{mark}\n".join(self._answer(part.removeprefix("{ ")) for part in parts)

    def _answer(self, script):
        return next((said for start, said in self.answers.items() if script.startswith(start)), "")


def read(system):
    return StateReader().read(system)


def test_apps_have_versions_permissions_and_may_be_disabled():
    state = read(Answering(ANSWERS))
    assert state.apps == {
        ("com.a", "version"): "7",
        ("com.a", "android.permission.CAMERA"): "granted",
        ("com.a", "android.permission.READ_SMS"): BY_ROLE,
        ("com.a", "SYSTEM_ALERT_WINDOW"): "allowed",
        ("com.b", "version"): "9",
        ("com.b", "disabled"): "yes",
    }
    assert state.files == {"/sdcard/a b.txt": (3, 1700000000), "/sdcard/b/": (0, 0)}


def test_without_root_databases_are_unknown_and_without_a_shell_everything():
    assert read(Answering(ANSWERS)).unknown == [UNREAD]
    locked = read(Answering({"pm list packages": "package:com.a"}))
    assert {"settings", "permissions", UNREAD, "content://sms"} <= {*locked.unknown}

    class Silent:
        def shell(self, script):
            raise DeviceError("it has no shell")

    state = read(Silent())
    assert {UNREAD, "settings", "it has no shell"} <= {*state.unknown}


@pytest.mark.parametrize(
    ("name", "output", "found"),
    [
        (
            "role",
            "  {\n    name=app.role.SMS\n    holders=com.a\n  }\n",
            [("app.role.SMS", "com.a")],
        ),
        ("preferred", '<item name="a/.B" match="2" always="true" set="2">', [("a/.B", "true")]),
        ("account", "  Accounts: 1\n    Account {name=a@b.c, type=d.e}\n", [("a@b.c", "d.e")]),
        ("data saver", "Restrict background status: enabled", [("", "enabled")]),
        ("lock", "    Quality: 0\n    CredentialType: PIN\n", [("", "CredentialType: PIN")]),
    ],
)
def test_services_are_read_from_what_android_prints(name, output, found):
    assert re.findall(SERVICES[name][1], output) == found
