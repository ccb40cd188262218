"""The event listener through `adb forward`, and `uiautomator events` through `adb shell`."""

from __future__ import annotations

import json
import socket
import subprocess
from typing import TYPE_CHECKING

from tests.virtual.phones import PATIENCE

if TYPE_CHECKING:
    from tests.virtual.phones import Adb

LISTENER = "org.mobileagent.listener"
SETTING = "secure enabled_accessibility_services"


def test_events_come_over_a_forwarded_port(adb: Adb) -> None:
    adb.text("shell", f"settings put {SETTING} {LISTENER}/.ListenerService")
    port = int(adb.text("forward", "tcp:0", f"localabstract:{LISTENER}"))
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as stream,
        stream.makefile("rw", encoding="utf-8") as lines,
    ):
        hello = json.loads(lines.readline())
        assert hello["protocol"] == 1
        lines.write(json.dumps({"since": hello["sequence"]}) + "\n")
        lines.flush()
        adb.text(
            "shell", "am start -a android.settings.SETTINGS; input keyevent HOME; input tap 9 9"
        )
        adb.text("shell", "input swipe 540 5 540 1800")
        event = json.loads(lines.readline())
    assert event["sequence"] == hello["sequence"] + 1
    assert event["type"].startswith("TYPE_")


def test_without_the_setting_no_listener_runs(adb: Adb) -> None:
    port = int(adb.text("forward", "tcp:0", f"localabstract:{LISTENER}"))
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as stream:
        assert stream.recv(1) == b""


def test_events_are_printed_until_the_shell_ends(adb: Adb) -> None:
    command = adb.command("shell", "uiautomator events")
    with subprocess.Popen(command, env=adb.env, stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout
        while not adb.text("shell", "pgrep -f 'uiautomator events'"):
            pass
        adb.text("shell", "input swipe 540 5 540 1800")
        line = following.stdout.readline()
        following.kill()
    assert " EventType: TYPE_WINDOW_STATE_CHANGED; EventTime: " in line
    assert "Text: [Notification shade.]" in line
