"""Endless and oversized commands: others are still answered, and the client can end them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.shell import limits
from pytest_mobileagent.virtual.shell.processes import processes_of
from pytest_mobileagent.virtual.wire import shell

if TYPE_CHECKING:
    from ..phones import Running

RECURSIVE = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x FROM t)"
# Commands that print "up" first run for ever, or for a very long time.
ENDLESS = [
    "echo up; sleep 1000",
    "echo up; while :; do :; done",
    "echo up; sleep 1000 | cat",
    "echo up; x=$(sleep 1000)",
    "echo up; sleep 1000 & sleep 1000 & cat",
    "echo up; sleep 1000 > /dev/null 2>&1 & echo up; sleep 1000",
    "echo up; sh -c 'sh -c \"sleep 1000\"'",
    "echo up; seq 1 100000000000 | tail -n 1",
    "echo up; yes | cat > /dev/null",
    "echo up; yes | grep -B 100000000 n",
    "echo up; cat /dev/zero > /dev/null",
    "echo up; cat /dev/urandom | md5sum",
    "echo up; dd if=/dev/zero of=/dev/null bs=1m",
    "echo up; f() { f & f; wait; }; while :; do f; done > /dev/null 2>&1",
    "echo up; logcat",
    "echo up; top -d 1000",
    f"echo up; sqlite3 :memory: '{RECURSIVE} SELECT count(*) FROM t'",
    "echo up; monkey -p com.android.settings 1000000000 > /dev/null",
    "yes up",
    "echo up; cat /dev/zero",
]


@pytest.mark.parametrize(
    ("way", "script"),
    [*(("shell", each) for each in ENDLESS), *(("exec-out", each) for each in ENDLESS[::9])],
)
def test_others_are_answered_and_nothing_outlives_the_client(
    shared_phone: Running, monkeypatch: pytest.MonkeyPatch, way: str, script: str
) -> None:
    monkeypatch.setattr(shell, "MOMENT", 0.05)
    adb, loop = shared_phone.adb, shared_phone.loop
    command = adb.command(way, script)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=adb.env,
    ) as client:  # fmt: skip
        assert client.stdout
        assert client.stdout.readline() == b"up\n"
        assert adb.text("shell", "echo alive") == "alive"
        client.kill()
    loop.run(shared_phone.all_commands_end())
    left = [each.words for each in loop.call(lambda: processes_of(shared_phone.phone).running())]
    assert left == []


def test_a_job_under_nohup_outlives_its_client(running_phone: Running) -> None:
    adb, loop = running_phone.adb, running_phone.loop
    script = "nohup sleep 1000 > /dev/null 2>&1 & echo up; sleep 1000"
    with subprocess.Popen(adb.command("shell", script), stdout=subprocess.PIPE, env=adb.env) as one:
        assert one.stdout
        assert one.stdout.readline() == b"up\n"
        one.kill()
    loop.run(running_phone.all_commands_end())
    assert adb.text("shell", "pgrep sleep; pkill sleep").isdigit()


def test_data_sent_before_the_client_left_is_still_read(running_phone: Running) -> None:
    text = b"line\n" * 100_000
    adb = running_phone.adb
    assert adb.run("exec-in", "cat > /data/local/tmp/sent", stdin=text).returncode == 0
    running_phone.loop.run(running_phone.all_commands_end())
    assert running_phone.phone.files.read("/data/local/tmp/sent") == text


def test_a_full_storage_ends_writing_commands(running_phone: Running) -> None:
    files = running_phone.phone.files
    files.size = files.used + (8 << 20)
    told = running_phone.adb.text("shell", "yes > /sdcard/x; echo $?; ls /sdcard/x; rm /sdcard/x")
    assert told == "1\n/sdcard/x\nyes: /sdcard/x: No space left on device"


def test_a_command_has_a_time_limit(
    running_phone: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SECONDS", 0.2)
    adb = running_phone.adb
    told = adb.text("shell", "sh -c 'while :; do :; done'; echo $?")
    assert told == "152\nCPU time limit exceeded"
    assert adb.text("shell", "while :; do :; done & wait $!; echo $?").endswith("152")
    assert adb.text("shell", "yes | cat > /dev/null; echo alive") != ""
    assert adb.text("shell", "echo alive") == "alive"
