"""The code of the event listener's APK, translated for Java's virtual machine, and our client.

jvm/ imitates those few classes of Android that the code uses. So the tests see what the code does,
but not whether Android agrees.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.device.device import Address
from pytest_mobileagent.device.drivers.adb import streams
from pytest_mobileagent.device.drivers.adb.streams import EventStream
from tests.virtual.phones import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Iterator

APK = Path(__file__).parents[3] / "pytest_mobileagent" / "device" / "doctor" / "listener.apk"
ANDROID = Path(__file__).with_name("jvm")
ENJARIFY = Path("/usr/lib/python3/dist-packages/enjarify")  # of Debian's package enjarify
JSON = Path("/usr/share/java/json-android.jar")  # of Debian's package libandroid-json-org-java

pytestmark = pytest.mark.slow


@dataclass
class Service:
    """The running service, and the port at which it listens."""

    process: subprocess.Popen[str]
    port: int

    def do(self, command: str) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The class path of the listener's code and of what it needs."""
    needed = {"javac": shutil.which("javac"), "enjarify": ENJARIFY.exists(), JSON: JSON.exists()}
    if absent := [str(name) for name, found in needed.items() if not found]:
        pytest.skip(f"not installed: {', '.join(absent)}")
    folder = tmp_path_factory.mktemp("classes")
    jar = folder / "listener.jar"
    translate = ["/usr/bin/python3", "-O", "-m", "enjarify.main", "-o", str(jar), str(APK)]
    subprocess.run(translate, check=True, capture_output=True, env={})
    subprocess.run(["javac", "-d", folder, *ANDROID.rglob("*.java")], check=True)
    return f"{folder}:{jar}:{JSON}"


@pytest.fixture
def service(classes: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    command = ["java", "-Xverify:all", "-cp", classes, "Main"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout
        name, port = process.stdout.readline().split()
        assert name == streams.PACKAGE
        running = Service(process, int(port))
        opened = lambda *_: running.connect()  # noqa: E731
        monkeypatch.setattr(streams, "open_service", opened)
        yield running
        process.kill()


@pytest.fixture
def stream(service: Service) -> Iterator[EventStream]:
    stream = EventStream(Address("phone"))
    stream.start(lambda _: "enabled")
    assert stream.problem == ""
    yield stream
    stream.stop()


def ask(lines: IO[str], request: dict[str, Any]) -> Any:
    lines.write(json.dumps(request) + "\n")
    lines.flush()
    return json.loads(lines.readline())


def test_fields_of_events_arrive(service, stream):
    service.do("click 1")
    service.do("windows 1")
    click, windows = stream.take()
    assert (click.type, click.class_name) == ("clicked", "android.widget.Button")
    assert click.resource_id == "com.google.android.deskclock:id/add_one_min"
    assert click.text == ('+ "1:00"\n', "北/ü")
    assert click.bounds == (53, 780, 283, 885)
    assert (click.content_description, click.before_text) == ("Add 1 Minute", "")
    assert (click.enabled, click.checked, click.from_index, click.to_index) == (True, False, 0, -1)
    assert (click.scroll_y, click.uptime, click.sequence) == (7, 8543, 1)
    assert click.time is not None
    assert windows.window_change_types == ("added", "removed")
    assert windows.content_change_types == ("text",)
    assert (windows.package, windows.bounds, windows.text) == ("", None, ())


def test_no_event_is_lost_with_the_connection(service, stream):
    service.do("click 1")
    stream.take()
    stream._stream.shutdown(socket.SHUT_RDWR)
    service.do("click 3")
    assert [event.sequence for event in stream.take()] == [2, 3, 4]


def test_latest_events_are_kept(service):
    service.do("click 6000")
    with service.connect() as connection, connection.makefile("rw", encoding="utf-8") as lines:
        hello = json.loads(lines.readline())
        assert (hello["protocol"], hello["sequence"]) == (1, 6000)
        assert ask(lines, {"since": 0})["sequence"] == 1001
        for _ in range(4998):
            lines.readline()
        assert json.loads(lines.readline())["sequence"] == 6000
        assert ask(lines, {"ping": "a", "unknown": [1]})["pong"] == "a"


def test_client_that_reads_nothing_is_left_alone_and_others_are_not(service, stream):
    with service.connect() as idle:
        idle.sendall(b'{"since": 0}\n')
        for _ in range(10):
            service.do("click 3000")
            assert stream.take()[-1].type == "clicked"
        while idle.recv(1 << 20):
            pass


@pytest.mark.parametrize("request_line", [b"nonsense\n", b"[1]\n"])
def test_invalid_request_ends_the_connection(service, request_line):
    with service.connect() as connection:
        connection.sendall(request_line)
        while connection.recv(1 << 10):
            pass
    with service.connect() as connection:
        assert connection.recv(1)


@pytest.mark.parametrize(("user", "first"), [(0, b"{"), (2000, b"{"), (1000, b""), (10100, b"")])
def test_only_root_and_the_shell_may_connect(service, user, first):
    service.do(f"uid {user}")
    with service.connect() as connection:
        assert connection.recv(1) == first
