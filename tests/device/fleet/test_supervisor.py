"""The supervisor of a run, and what it does when something of its own breaks."""

import contextlib
import os
import signal
from pathlib import Path

from pytest_mobileagent.device.fleet.shared import SharedRun


def process_of(port):
    """The adb server that listens at a port."""
    words = f"\0-P\0{port}\0nodaemon\0server\0".encode()
    commands = Path("/proc").glob("[0-9]*/cmdline")
    (found,) = (int(path.parent.name) for path in commands if words in _content(path))
    return found


def _content(path):
    try:
        return path.read_bytes()
    except OSError:  # it has ended meanwhile
        return b""


def test_an_adb_server_that_hangs_is_replaced():
    with contextlib.closing(SharedRun()) as run:
        port = run.ask({"do": "adb"})["port"]
        assert run.ask({"do": "adb"})["port"] == port
        os.kill(process_of(port), signal.SIGSTOP)
        other = run.ask({"do": "adb"})["port"]
        assert other != port
        assert process_of(other)
