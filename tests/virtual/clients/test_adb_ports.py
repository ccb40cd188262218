"""Forward and reverse: traffic between the computer and listeners on the phone."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from tests.virtual.phones import BOTH_ADBS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.kernel.processes import Connection
    from tests.virtual.phones import Adb, Running

pytestmark = BOTH_ADBS


TRAFFIC = bytes(range(256)) * 8000


@pytest.fixture
def echo_port() -> Iterator[int]:
    """A port of the computer that echoes everything until the end of its input."""

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                while data := connection.recv(1 << 16):
                    connection.sendall(data)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def exchange(port: int, data: bytes) -> bytes:
    """Send `data` and read back as much."""
    received = bytearray()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        sender = threading.Thread(target=connection.sendall, args=(data,))
        sender.start()
        while len(received) < len(data) and (more := connection.recv(1 << 16)):
            received += more
        sender.join()
    return bytes(received)


def test_a_forward_reaches_a_listener_on_the_phone(running_phone: Running) -> None:
    async def shout(stream: Connection) -> None:
        while data := await stream.read():
            await stream.write(data.upper())

    running_phone.server.adbd.listeners["tcp:6790"] = shout
    port = int(running_phone.adb.text("forward", "tcp:0", "tcp:6790"))
    text = b"hello phone " * 10_000
    assert exchange(port, text) == text.upper()


def test_a_forward_to_a_port_where_nobody_listens_is_refused(adb: Adb) -> None:
    port = int(adb.text("forward", "tcp:0", "tcp:9008"))
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        assert connection.recv(1) == b""


def test_traffic_through_a_forward_and_a_reverse(adb: Adb, echo_port: int) -> None:
    adb.run("reverse", "tcp:5000", f"tcp:{echo_port}")
    port = int(adb.text("forward", "tcp:0", "tcp:5000"))
    assert exchange(port, TRAFFIC) == TRAFFIC
    assert adb.run("shell", "true").returncode == 0


def test_a_reverse_to_a_port_where_nobody_listens_closes_the_connection(adb: Adb) -> None:
    adb.run("reverse", "tcp:5000", "tcp:1")
    port = int(adb.text("forward", "tcp:0", "tcp:5000"))
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        assert connection.recv(1) == b""
    assert adb.run("shell", "true").returncode == 0


def test_reverses_are_listed_and_removed(adb: Adb) -> None:
    adb.run("reverse", "tcp:5000", "tcp:6000")
    adb.run("reverse", "localabstract:scrcpy", "tcp:6001")
    assert adb.text("reverse", "tcp:0", "tcp:6002") == "32768"
    assert adb.text("reverse", "--list").splitlines() == [
        "host-1 tcp:5000 tcp:6000",
        "host-1 localabstract:scrcpy tcp:6001",
        "host-1 tcp:32768 tcp:6002",
    ]
    adb.run("reverse", "--remove", "tcp:5000")
    assert len(adb.text("reverse", "--list").splitlines()) == 2
    adb.run("reverse", "--remove-all")
    assert adb.text("reverse", "--list") == ""


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--remove", "tcp:1"], "listener 'tcp:1' not found"),
        (["--no-rebind", "tcp:5000", "tcp:7"], "cannot rebind existing socket"),
        (["tcp:6790", "tcp:7"], "cannot bind listener: Address already in use"),
    ],
)
def test_reverses_that_are_refused(
    running_phone: Running, words: list[str], complaint: str
) -> None:
    async def nothing(stream: Connection) -> None:
        await stream.read()

    running_phone.server.adbd.listeners["tcp:6790"] = nothing
    running_phone.adb.run("reverse", "tcp:5000", "tcp:6000")
    assert running_phone.adb.text("reverse", *words) == f"adb: error: {complaint}"
