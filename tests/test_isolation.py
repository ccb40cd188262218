"""Tests of each kernel isolation mechanism on its own, including as an unprivileged user."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pytest_mobileagent import isolation as kernel

pytestmark = pytest.mark.skipif(bool(kernel.unsupported()), reason=kernel.unsupported())

OPENS = "open('/etc/passwd')"
MAKES_A_SOCKET = "socket.socket()"
CONNECTS = "socket.create_connection(('127.0.0.1', 9), 1)"
FORKS = "os.fork()"
HEAD = "import os, socket\nfrom pytest_mobileagent import isolation as kernel\n"
# Modules are imported first, because an unprivileged user may not be able to read them.
NOBODY = "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"

as_anyone = pytest.mark.parametrize(
    "user",
    [
        "",
        pytest.param(
            NOBODY,
            id="nobody",
            marks=pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user"),
        ),
    ],
)


def alone(mechanism, body, user=""):
    """Return the last line on standard error of a process isolated by a single mechanism."""
    code = f"{HEAD}{user}kernel._gains_nothing(); kernel.{mechanism}()\n{body}"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.strip().rpartition("\n")[2]


@pytest.mark.slow  # Each test starts a process.
@as_anyone
@pytest.mark.parametrize("body", [OPENS, MAKES_A_SOCKET, FORKS])
def test_seccomp_refuses_files_networks_and_processes(body, user):
    said = alone("_refuse_calls", body, user)
    assert said.startswith("PermissionError: [Errno 1]"), said


@as_anyone
def test_all_of_them_go_together(user):
    assert alone("shut_off", OPENS, user).startswith("PermissionError")


@pytest.mark.slow
@as_anyone
def test_landlock_refuses_files(user):
    said = alone("_refuse_files", OPENS, user)
    if not said:
        pytest.skip("this kernel has no Landlock")
    assert said.startswith("PermissionError: [Errno 13]")


@pytest.mark.slow
@as_anyone
def test_a_namespace_has_no_network(user):
    said = alone("leave_networks", CONNECTS, user)
    if "unreachable" not in said:
        pytest.skip("users may make no namespaces here")
    assert said == "OSError: [Errno 101] Network is unreachable"


@pytest.mark.slow
@as_anyone
def test_changes_can_be_refused_while_files_are_read(user, tmp_path):
    changes = f"open({str(tmp_path / 'new')!r}, 'w')"
    said = alone("refuse_changes", f"{OPENS}.read()\n{changes}", user)
    if not said:
        pytest.skip("this kernel has no Landlock")
    assert said.startswith("PermissionError: [Errno 13]")
    assert "new" in said
    assert said == alone("refuse_changes", changes, user)
    assert alone("refuse_changes", "os.execv('/bin/true', ['true'])", user).startswith("Permission")


def test_a_process_stays_shut_off():
    again = "kernel._LIBC.prctl(22, 0, 0, 0, 0) == 0 or kernel.shut_off()"
    assert "UnavailableError" in alone("shut_off", again)


@pytest.mark.parametrize(
    ("system", "machine", "why"),
    [
        ("darwin", "arm64", "needs Linux's seccomp"),
        ("linux", "riscv64", "the system calls of riscv64"),
        ("linux", "aarch64", ""),
    ],
)
def test_other_systems_are_refused_by_name(monkeypatch, system, machine, why):
    monkeypatch.setattr(kernel.sys, "platform", system)
    monkeypatch.setattr(kernel.platform, "machine", lambda: machine)
    assert why in kernel.unsupported()
    assert bool(why) == bool(kernel.unsupported())


@pytest.mark.parametrize(
    ("status", "why"),
    [(-1, "does not grant seccomp's filter"), (0, "files can still be opened")],
)
def test_a_kernel_that_takes_no_filter_or_ignores_it_is_not_a_sandbox(monkeypatch, status, why):
    calls = []

    class Old:
        def prctl(self, option, *_):
            calls.append(option)
            return status if option == 22 else 0

        def syscall(self, *_):
            return -1

    monkeypatch.setattr(kernel, "_LIBC", Old())
    with pytest.raises(kernel.UnavailableError, match=why):
        kernel.shut_off()
    assert calls == [38, 22]
