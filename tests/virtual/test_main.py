"""The command line of a virtual phone, run as a process."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from pytest_mobileagent.virtual.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 10
APP = """
from pytest_mobileagent.virtual.sdk import Activity, App, Text
from .words import WORD

class Main(Activity):
    name = ".Main"
    def content(self):
        return Text(WORD)

class Tiny(App):
    package = "com.example.tiny"
    label = WORD
    activities = [Main]
"""


@contextmanager
def device(
    home: Path, *options: str, stdin: int = subprocess.PIPE, **env: str
) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Run a phone in a separate process; yield the process, and the phone's announcement."""
    start = "from pytest_mobileagent.virtual.main import main; raise SystemExit(main())"
    command = [sys.executable, "-c", start, "--port=0", *options]
    with subprocess.Popen(
        command,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path), **env},
    ) as process:
        assert process.stdout
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def console(port: int, home: Path, command: str) -> str:
    token = (home / ".emulator_console_auth_token").read_text()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(f"auth {token}\n{command}\nquit\n".encode())
        with connection.makefile("r") as said:
            return said.read().split("OK\n", 2)[2]


def test_a_phone_prints_its_ports_and_ends_with_its_input(tmp_path: Path) -> None:
    with device(tmp_path, "--adb-server-port=1") as (process, about):
        assert about == {
            "serial": f"emulator-{about['console_port']}",
            "console_port": about["console_port"],
            "adb_port": about["console_port"] + 1,
            "adb_server_port": 1,
            "pid": process.pid,
        }
        _, complaints = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert complaints == (
            f"no adb server on port 1 yet: {about['serial']} "
            "will register as soon as there is one\n"
        )


def test_a_phone_whose_input_has_ended_from_the_start_says_how_to_keep_it(tmp_path: Path) -> None:
    with device(tmp_path, "--adb-server-port=1", stdin=subprocess.DEVNULL) as (process, _):
        assert process.wait(PATIENCE) == 0
        assert process.stderr
        assert "standard input has ended already" in (said := process.stderr.read())
        assert "--keep" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_phone_quietly(tmp_path: Path, number: signal.Signals) -> None:
    with device(tmp_path, ANDROID_ADB_SERVER_PORT="1") as (process, about):
        assert about["adb_server_port"] == 1, "as adb's own variable says"
        process.send_signal(number)
        assert process.wait(PATIENCE) == 0
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_grpc_prints_its_port_and_can_end_a_phone(tmp_path: Path) -> None:
    from pytest_mobileagent.virtual.grpc import control, control_services

    options = ("--adb-server-port=1", "--grpc=0")
    with device(tmp_path, *options) as (process, about):
        taken = [sys.executable, "-m", "pytest_mobileagent", "device", "--port=0", "--apps=."]
        taken += [f"--grpc={about['grpc_port']}"]
        done = subprocess.run(taken, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"error: port {about['grpc_port']} cannot be used" in done.stderr
        with grpc.insecure_channel(f"127.0.0.1:{about['grpc_port']}") as channel:
            state = control.VmRunState(state=control.VmRunState.SHUTDOWN)
            control_services.EmulatorControllerStub(channel).setVmState(state)
        assert process.wait(PATIENCE) == 0
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


def test_with_keep_a_phone_outlives_its_input_until_the_console_ends_it(tmp_path: Path) -> None:
    options = ("--adb-server-port=1", "--keep", "--avd=pixel", "--no-boot-snapshot")
    with device(tmp_path, *options) as (process, about):
        assert process.stdin
        process.stdin.close()
        process.stdin = None
        port = about["console_port"]
        assert console(port, tmp_path, "avd name") == "pixel\nOK\n"
        listed = console(port, tmp_path, "avd snapshot list")
        assert listed == "There is no snapshot available.\nOK\n"
        assert process.poll() is None
        assert console(port, tmp_path, "kill") == "OK: killing emulator, bye bye\n"
        assert process.wait(PATIENCE) == 0


def test_apps_time_and_snapshots_outlive_a_process(tmp_path: Path) -> None:
    package = tmp_path / "apps" / "tiny"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(APP)
    (package / "words.py").write_text("WORD = 'Tiny words'")
    options = [f"--apps={package.parent}", f"--data={tmp_path / 'data'}", "--adb-server-port=1"]
    options = [*options, "--prop=persist.sys.timezone=Asia/Kolkata"]
    with device(tmp_path, *options, "--time=2026-05-01T09:30", "--frozen") as (_, about):
        assert console(about["console_port"], tmp_path, "avd snapshot save noon") == "OK\n"
    with device(tmp_path, *options, "--snapshot=noon") as (_, about):
        listed = console(about["console_port"], tmp_path, "avd snapshot list")
        assert "noon" in listed
        assert " 2026-05-01 04:00:00 " in listed  # in UTC


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--snapshot=nope"], "error: no snapshot 'nope' (available: default_boot)\n"),
        (["--apps=/nope"], "error: there is no folder of apps at /nope\n"),
        (["--time=noon"], "error: --time=noon is no time; one is 2026-05-01T09:30\n"),
        (["--adb-server-port=99999"], "error: --adb-server-port=99999 is no port\n"),
        (
            ["--prop=ro.build.version.sdk"],
            "error: --prop=ro.build.version.sdk is no NAME=VALUE, as in ro.build.version.sdk=29\n",
        ),
        (
            ["--prop=ro.build.version.sdk=Q"],
            (
                "error: --prop=ro.build.version.sdk=Q: an API level is a number,"
                " as in ro.build.version.sdk=29\n"
            ),
        ),
        (["--prop=a..b=1"], "error: --prop=a..b=1: '..' is not allowed in a property name\n"),
    ],
)
def test_errors_at_the_start_are_reported_in_one_line(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--port=0", *options]) == 1
    assert capsys.readouterr() == ("", complaint)


def test_a_port_needs_another_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--port=65535"]) == 1
    complaint = "error: 65535 and the number after it are not both ports\n"
    assert capsys.readouterr() == ("", complaint)


def pair_of_ports() -> tuple[socket.socket, int]:
    """A port that is listened on, following a free one.

    Both are below the range from which the system assigns ports to programs.
    """
    for port in random.sample(range(10_001, 20_000, 2), 200):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port - 1)):
            return socket.create_server(("127.0.0.1", port)), port
    pytest.fail("no two ports in a row are free")


def test_ports_that_are_taken_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    taken, port = pair_of_ports()
    with taken:
        assert main([f"--port={port}"]) == 1
        assert main([f"--port={port - 1}"]) == 1
    reason = "Address already in use (--port=0 finds free ones)"
    complaint = f"error: port {port} cannot be used: {reason}\n"
    assert capsys.readouterr() == ("", complaint * 2)
