"""A phone whose commands are shell scripts, behind an adb server, to print as real phones do."""

from __future__ import annotations

import os
import socket
import socketserver
import subprocess
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb.shell import (
    CLOSE_STDIN,
    EXIT,
    STDIN,
    STDOUT,
    FrameReader,
    frame,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COMMANDS = {
    "getprop": 'case "$1" in *.sdk) echo 34;; *.release) echo 14;; sys.boot_completed) echo 1;;'
    " *) echo ;; esac",
    "id": "echo 2000",
    "wm": 'case "$1" in size) echo "Physical size: 1080x2400";; *) echo "Physical density: 420";;'
    " esac",
    "screencap": "echo png",
    "pm": "echo package:com.shop versionCode:7",
}


class StubPhone:
    """The phone: `root` answers the service of this name; its adbd has the process id `adbd`."""

    def __init__(self, folder: Path, commands: dict[str, str]) -> None:
        self.root: Callable[[], bytes] = lambda: b"OKAYadbd cannot run as root in production\n"
        self.adbd, self.asked = 40, [""]
        self._folder = folder
        for name, script in {**COMMANDS, **commands}.items():
            self.replace(name, script)

    def replace(self, name: str, script: str) -> None:
        """Replace a command."""
        path = self._folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def serve(self, stream: socket.socket) -> None:
        """Serve a client of the adb server."""
        while size := stream.recv(4, socket.MSG_WAITALL):
            command = stream.recv(int(size, 16), socket.MSG_WAITALL).decode()
            self.asked.append(command)
            if command == "root:":
                stream.sendall(self.root())
                return
            stream.sendall(b"OKAY")
            if command == "host:devices":
                stream.sendall(b"000cR5CT\tdevice\n")
                return
            if command.startswith("shell,v2,raw:"):
                self._shell(stream)
                return

    def _shell(self, stream: socket.socket) -> None:
        search = f"{self._folder}:{os.environ['PATH']}"
        pipe = subprocess.PIPE
        with subprocess.Popen(
            ["sh"], env={"PATH": search}, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
        ) as shell:
            assert shell.stdin
            assert shell.stdout
            reader = threading.Thread(target=self._answer, args=(stream, shell.stdout.fileno()))
            reader.start()
            shell.stdin.write(f"PPID={self.adbd}\n".encode())
            frames = FrameReader()
            while data := stream.recv(1 << 16):
                for kind, text in frames.feed(data):
                    if kind == STDIN:
                        shell.stdin.write(text)
                        shell.stdin.flush()
                    assert kind in (STDIN, CLOSE_STDIN)
            shell.stdin.close()
            reader.join()

    def _answer(self, stream: socket.socket, output: int) -> None:
        with suppress(OSError):
            while data := os.read(output, 1 << 16):
                stream.sendall(frame(STDOUT, data))
            stream.sendall(frame(EXIT, b"\0"))


@contextmanager
def serving(handle: Callable[[socketserver.StreamRequestHandler], None]) -> Iterator[int]:
    """Yield a port of this machine whose clients are served by a function."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            handle(self)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.005,))
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def stub_phone(folder: Path, commands: dict[str, str]) -> Iterator[tuple[StubPhone, Address]]:
    """Yield a phone whose commands are in a folder, and its address."""
    phone = StubPhone(folder, commands)
    with serving(lambda client: phone.serve(client.request)) as port:
        yield phone, Address("R5CT", "127.0.0.1", port)
