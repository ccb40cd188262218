"""What adb reports of a phone: events, the log, bug reports, processes, and files of the system."""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import zipfile
from typing import TYPE_CHECKING

from tests.virtual.phones import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Adb, Running

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


def test_lines_arrive_as_they_are_written(running_phone: Running) -> None:
    adb = running_phone.adb
    adb.run("logcat", "-c")
    command = adb.command("logcat", "-v", "raw", "-s", "Live")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=adb.env) as client:
        assert client.stdout
        for word in ("one", "two"):
            adb.run("shell", f"log -t Live {word}")
            while (line := client.stdout.readline()).startswith(b"-----"):
                pass
            assert line == f"{word}\n".encode()
        client.kill()


def test_entries_as_logd_keeps_them(adb: Adb) -> None:
    adb.run("logcat", "-c")
    adb.run("shell", "log -p i -t Tests hello; log -p w -t Other world; log -p e -t Tests no")
    data = adb.run("exec-out", "logcat -B -d Tests:I '*:S'").stdout
    entries = []
    while data:
        size, header, _, _, seconds, _, buffer, _ = struct.unpack_from("<HHiIIIII", data)
        payload, data = data[header : header + size], data[header + size :]
        entries.append((buffer, payload))
        assert seconds
    assert entries == [(0, b"\x04Tests\0hello\0"), (0, b"\x06Tests\0no\0")]


def test_a_bug_report_is_complete(adb: Adb, tmp_path: Path) -> None:
    adb.run("shell", "log -t Tests remarkable; settings put global something special")
    done = adb.run("bugreport", str(tmp_path / "report.zip"))
    assert done.returncode == 0, done
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        name = archive.read("main_entry.txt").decode()
        assert name.startswith("bugreport-emu64xa-")
        report = archive.read(name).decode()
    assert "Build fingerprint: 'google/sdk_gphone64_x86_64/" in report
    assert "Tests   : remarkable\n" in report
    assert "something=special\n" in report
    assert "[ro.product.model]: [sdk_gphone64_x86_64]" in report
    assert "DUMP OF SERVICE package:" in report


def test_other_calls_are_refused(adb: Adb) -> None:
    assert adb.text("shell", "bugreportz -v") == "1.2"
    assert adb.run("shell", "bugreportz --what").returncode == 1


def test_only_root_makes_the_system_writable(own_phone: Running, tmp_path: Path) -> None:
    adb = own_phone.adb
    said = adb.run("remount")
    assert b'Try "adb root" first' in said.stdout + said.stderr
    file = tmp_path / "file"
    file.write_bytes(b"new")
    adb.run("root")
    adb.run("wait-for-device")
    assert adb.run("push", str(file), "/system/file").returncode
    assert "Remount succeeded" in adb.text("remount")
    adb.text("push", str(file), "/system/file")
    assert adb.text("shell", "cat /system/file") == "new"
    assert "Successfully disabled verity" in adb.text("disable-verity")


def test_debuggers_see_the_processes_of_apps(adb: Adb) -> None:
    assert adb.text("shell", "pidof com.android.systemui") in adb.text("jdwp").split()


def test_an_app_of_the_image_can_be_pulled(adb: Adb, tmp_path: Path) -> None:
    path = adb.text("shell", "pm path com.android.systemui").removeprefix("package:")
    adb.text("pull", path, str(tmp_path / "base.apk"))
    assert (tmp_path / "base.apk").read_bytes().startswith(b"PK")
