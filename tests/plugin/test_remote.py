"""Devices of an adb server on another machine: `--mobile-device=serial:HOST:PORT/SERIAL`.

Another loopback address of this machine stands for the other machine. The consoles of emulators
listen only at the usual address, so at the other one emulators can be reached only through adb.
"""

from __future__ import annotations

import contextlib
import select
import socket
import socketserver
import threading
from typing import TYPE_CHECKING, Any

import pytest

from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ELSEWHERE = "127.0.0.2"


def reset_of(project) -> dict[str, Any]:
    (task,) = newest_report(project.pytester.path)["tasks"]
    return dict(task["reset"])


@pytest.fixture
def relay() -> Iterator[Callable[[str, int], int]]:
    """Forwards connections from a port of another address to a local adb server."""
    with contextlib.ExitStack() as stack:

        def start(host: str, target: int) -> int:
            class Relay(socketserver.BaseRequestHandler):
                def handle(self) -> None:
                    with socket.create_connection(("127.0.0.1", target)) as onward:
                        ends = {self.request: onward, onward: self.request}
                        while True:
                            for end in select.select(list(ends), [], [])[0]:
                                if not (data := end.recv(65536)):
                                    return
                                ends[end].sendall(data)

            class Server(socketserver.ThreadingTCPServer):
                daemon_threads = True
                address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

            server = stack.enter_context(Server((host, 0), Relay))
            thread = threading.Thread(target=server.serve_forever, args=(0.005,))
            thread.start()
            stack.callback(thread.join)
            stack.callback(server.shutdown)
            return server.server_address[1]

        yield start


@pytest.mark.slow
def test_remote_device_is_driven_and_its_apps_cleared(project, relay, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))  # adb is not needed on this machine
    port = relay(ELSEWHERE, project.phone.adb_port)
    device = f"--mobile-device=serial:{ELSEWHERE}:{port}/{project.phone.serial}"
    result = project.run_virtual("tasks", "--agent=oracle", "-k", "count and 1", device)
    result.assert_outcomes(failed=1)  # the counter started at 0; otherwise this would be an error
    why = "no snapshots, as the console of an emulator on another machine is out of reach"
    reset = reset_of(project)
    assert (reset["kind"], reset["reason"]) == ("cleared", why)
    assert reset["cleared"] == ["com.example.counter"]
    result.stdout.fnmatch_lines([f"1 task began without a snapshot ({why}): *"])


@pytest.mark.slow
def test_another_local_adb_server_may_have_an_ipv6_address(project, relay):
    port = relay("::1", project.phone.adb_port)
    device = f"--mobile-device=serial:[::1]:{port}/{project.phone.serial}"
    project.run_virtual("tasks", "--agent=oracle", "-k", "code", device).assert_outcomes(passed=1)
    assert reset_of(project)["snapshot"] == "default_boot"


def test_machine_without_adb_server_is_a_usage_error_that_names_it(project, unused_port):
    device = f"--mobile-device=serial:{ELSEWHERE}:{unused_port}/emulator-5554"
    result = project.pytester.runpytest_inprocess("tasks", "--agent=noop", "-k", "code", device)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*no adb server at {ELSEWHERE}:{unused_port}: *refused*"])
