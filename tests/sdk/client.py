"""The `emulator` command of the tests' SDK, run by the warm program at SOCKET (see emulator.py)."""

from __future__ import annotations

import json
import os
import socket
import sys

SOCKET = ""

with socket.socket(socket.AF_UNIX) as stream:
    stream.connect(SOCKET)
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes longer to import than all of this
    request = {"arguments": sys.argv, "environment": dict(os.environ), "folder": folder}
    line = json.dumps(request).encode() + b"\n"
    rest = line[socket.send_fds(stream, [line], [0, 1, 2]) :]
    if rest:  # sending nothing would fail, too, if the process has ended already
        stream.sendall(rest)
    *_, ended = stream.makefile()
sys.exit(json.loads(ended)["status"])
