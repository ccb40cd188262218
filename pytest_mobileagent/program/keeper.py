"""The process between pytest and a program: it adopts the program's orphans, and ends them all.

It is started as `python -I -S keeper.py SOCKET`, with the number of an inherited socket that
carries lines of JSON. The keeper receives first what to run, and later the request to end it:

    {"words": ["…"], "folder": "…", "environment": {"…": "…"}, "stdin": "…", "after": ["…"]}
    {"grace": 3.0}

The keeper sends, in this order: `{"pid": 123}` or `{"failed": "why it cannot be started"}`, then
`{"status": 0}` (as in `subprocess`) when the program itself has ended. It closes the socket when no
process is left. If the socket closes first, however pytest has died, the keeper ends the program.
`stdin` is the file that the program reads, and `after` a command that runs at the very end.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[2]))

from pytest_mobileagent.processes import become_subreaper, die_with_parent, end_descendants

_AFTER_SECONDS = 30.0
_KILLING_SECONDS = 5.0  # a limit in case processes multiply faster than they are killed
_GRACE = 1.0  # if pytest has died without sending a grace period


def main(descriptor: int) -> None:
    """Run a program until it and its descendants have ended, or are asked to end."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    become_subreaper()
    line = socket.socket(fileno=descriptor)
    lines = line.makefile("r", encoding="utf-8")
    request = json.loads(lines.readline() or "null")
    if request is None:
        return
    try:
        program = _start(request)
    except (OSError, ValueError) as error:
        _report(line, {"failed": getattr(error, "strerror", None) or str(error)})
        return
    for stream in (1, 2):  # only the program may hold these, as readers wait until they close
        os.dup2(0, stream)
    _report(line, {"pid": program.pid})
    grace, was_reported = _watch(line, program)
    status = _end(program, grace)
    if not was_reported:
        _report(line, {"status": status})
    if request.get("after"):
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                request["after"], timeout=_AFTER_SECONDS, check=False, env=request["environment"]
            )


def _start(request: dict[str, Any]) -> subprocess.Popen[bytes]:
    with Path(request["stdin"]).open("rb") as stdin:
        return subprocess.Popen(
            request["words"],
            cwd=request["folder"],
            env=request["environment"],
            stdin=stdin,
            start_new_session=True,
            preexec_fn=_as_program,  # noqa: PLW1509 - there are no threads here
        )


def _as_program() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    die_with_parent()


def _watch(line: socket.socket, program: subprocess.Popen[bytes]) -> tuple[float, bool]:
    """Wait for the request to end the program, and report if it ends by itself before.

    Return the grace period in seconds, and whether its end was reported.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    reported = False
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        selector.register(reading, selectors.EVENT_READ)
        while True:
            status = _reap(program)
            if status is not None and not reported:
                reported = True
                _report(line, {"status": status})
            ready = {key.fileobj for key, _ in selector.select()}
            if reading in ready:
                os.read(reading, 4096)
            if line in ready:
                return _grace(line), reported


def _grace(line: socket.socket) -> float:
    try:
        return float(json.loads(line.recv(4096))["grace"])
    except (OSError, ValueError, LookupError, TypeError):  # the socket is closed
        return _GRACE


def _reap(program: subprocess.Popen[bytes]) -> int | None:
    """Collect the status of every child that has ended; return the program's, or None."""
    status = program.poll()
    with contextlib.suppress(ChildProcessError):
        # `poll` collects the program's status. Those of adopted processes are discarded.
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == program.pid:
                status = program.poll()
            else:
                os.waitpid(ended.si_pid, 0)
    return status


def _end(program: subprocess.Popen[bytes], grace: float) -> int:
    """Ask a running program to end, kill what is left after `grace` seconds, return its status."""
    if program.poll() is None:
        _signal(program, signal.SIGTERM)
        _signal(program, signal.SIGCONT)  # a suspended process would not handle SIGTERM
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(grace)
    _signal(program, signal.SIGKILL)
    status = program.wait()
    ends = time.monotonic() + _KILLING_SECONDS
    while _has_children() and time.monotonic() < ends:
        _signal(program, signal.SIGKILL)
        end_descendants(os.getpid())
    return status


def _signal(program: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the program's process group, which may outlive the program."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, number)


def _has_children() -> bool:
    """Return whether any process is left; orphans are children of this process if supported."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _report(line: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # pytest is no longer listening
        line.sendall(json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
