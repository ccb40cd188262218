"""The process between us and a program: it adopts, and ends, whatever the program has started.

Started as `python -I -S keeper.py SOCKET`, on the number of an inherited socket. What passes over
it is lines of JSON. To the keeper, first what to run, then how to end it:

    {"words": ["…"], "folder": "…", "environment": {"…": "…"}, "stdin": "…", "after": ["…"]}
    {"grace": 3.0}

From the keeper, in this order: `{"pid": 123}` or `{"failed": "why it cannot be started"}`, then
`{"status": 0}` when the program itself has ended, as `subprocess` counts. The socket closes when
nothing is left. It is ended likewise when the socket closes: however pytest has died. `stdin` is
the file that the program reads, and `after` a command that is run at the very end.
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

sys.path.append(str(Path(__file__).parents[3]))

from pytest_mobileagent.processes import (
    adopt_orphans,
    die_with_parent,
    end_descendants,
)

_AFTER_SECONDS = 30.0
_KILLING_SECONDS = 5.0  # for what multiplies
_GRACE = 1.0  # where nobody is left to say how long it is


def main(descriptor: int) -> None:
    """Run a program until it and everything it has started have ended, or are told to.

    That is a child's work: a program that kills its parent leaves what it has started to us.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    child = os.fork()
    if child == 0:
        die_with_parent()
        _keep(descriptor)
        return
    os.close(descriptor)
    for stream in (1, 2):
        os.dup2(0, stream)
    status = _wait_for(child)
    _end_the_rest()
    sys.exit(status != 0)


def _wait_for(child: int) -> int:
    """Wait until a child has ended, and return its status; others may end before."""
    while (ended := os.wait())[0] != child:
        pass
    return ended[1]


def _keep(descriptor: int) -> None:
    adopt_orphans()
    line = socket.socket(fileno=descriptor)
    lines = line.makefile("r", encoding="utf-8")
    request = json.loads(lines.readline() or "null")
    if request is None:
        return
    try:
        program = _start(request)
    except (OSError, ValueError) as error:
        _say(line, {"failed": getattr(error, "strerror", None) or str(error)})
        return
    for stream in (1, 2):  # they are the program's: whoever reads them waits for their end
        os.dup2(0, stream)
    _say(line, {"pid": program.pid})
    grace, was_said = _watch(line, program)
    status = _end(program, grace)
    if not was_said:
        _say(line, {"status": status})
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
    """Wait until we are told to end the program; say when it has ended by itself.

    Return the seconds that it has to end, and whether it has ended by then.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    said = False
    with selectors.DefaultSelector() as selector:
        selector.register(line, selectors.EVENT_READ)
        selector.register(reading, selectors.EVENT_READ)
        while True:
            status = _reap(program)
            if status is not None and not said:
                said = True
                _say(line, {"status": status})
            ready = {key.fileobj for key, _ in selector.select()}
            if reading in ready:
                os.read(reading, 4096)
            if line in ready:
                return _grace(line), said


def _grace(line: socket.socket) -> float:
    try:
        return float(json.loads(line.recv(4096))["grace"])
    except (OSError, ValueError, LookupError, TypeError):  # it is closed
        return _GRACE


def _reap(program: subprocess.Popen[bytes]) -> int | None:
    """Collect the status of every ended child; return the program's once it is there."""
    status = program.poll()
    with contextlib.suppress(ChildProcessError):
        # The program's own is left to `poll`; of adopted processes nobody asks for it.
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == program.pid:
                status = program.poll()
            else:
                os.waitpid(ended.si_pid, 0)
    return status


def _end(program: subprocess.Popen[bytes], grace: float) -> int:
    """Ask the program to end, if it runs; kill what is left after the seconds that it has.

    Return its status.
    """
    if program.poll() is None:
        _signal(program, signal.SIGTERM)
        _signal(program, signal.SIGCONT)  # one that is stopped hears nothing
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(grace)
    _signal(program, signal.SIGKILL)
    status = program.wait()
    _end_the_rest(program)
    return status


def _end_the_rest(program: subprocess.Popen[bytes] | None = None) -> None:
    ends = time.monotonic() + _KILLING_SECONDS
    while _has_children() and time.monotonic() < ends:
        if program is not None:
            _signal(program, signal.SIGKILL)
        end_descendants(os.getpid())


def _signal(program: subprocess.Popen[bytes], number: int) -> None:
    """Signal the program's group, which may outlive the program."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, number)


def _has_children() -> bool:
    """Whether anything is left: what has lost its parent is ours, where the system can do that."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def _say(line: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # nobody is left
        line.sendall(json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
