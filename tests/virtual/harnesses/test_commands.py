"""The adb commands of harnesses: `commands.toml` lists them, and the phone answers all.

Before removing anything from the phone, look it up there.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import pytest

from tests.virtual.apks import build
from tests.virtual.phones import WHEEL, Adb, Loop, Running, adb_server, running

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
APPS = HERE.parents[2] / "fixtures" / "apps"
TABLE: dict[str, dict[str, Any]] = tomllib.loads((HERE / "commands.toml").read_text("utf-8"))
CALLS = [
    pytest.param(
        call.get("root", harness.get("root", False)),
        call,
        id=f"{name}: {' '.join(call['send'].split())}",
    )
    for name, harness in TABLE.items()
    for call in harness["calls"]
]
MISSING = re.compile(
    "(?m)not found|(?i:unknown (command|option|service))|Can't find service|^KO:"
    "|No shell command implementation"
)
CLOCK = "com.google.android.deskclock"
SERVER = "io.appium.uiautomator2.server.test"
RUNNER = "androidx.test.runner.AndroidJUnitRunner io.appium.uiautomator2.server"


@dataclass(frozen=True)
class Asked:
    """A phone, and the values to insert into the commands."""

    running: Running
    values: dict[str, str]

    def send(self, words: str) -> tuple[int, str]:
        """Return adb's exit status and its output, errors last."""
        if words.startswith("shell "):
            ran = self.running.device.shell2(words.removeprefix("shell "), v2=True, encoding=None)
            return ran.returncode, (ran.stdout + ran.stderr).decode()
        done = self.running.adb.run(*words.split())
        return done.returncode, (done.stdout + done.stderr).decode("latin-1")[:100_000]

    def fill(self, text: str) -> str:
        values = {**self.values, "pid": str(self.running.phone.proc.pid(CLOCK))}
        return re.sub(r"\{(\w+)\}", lambda match: values[match[1]], text)


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[Adb]:
    with adb_server(WHEEL, home) as adb:
        yield adb


@pytest.fixture(scope="module")
def asked(
    request: pytest.FixtureRequest, loop: Loop, server: Adb, tmp_path_factory: Any
) -> Iterator[Asked]:
    """A phone with the project's apps, on which the clock is running; adbd runs as root or not."""
    folder = tmp_path_factory.mktemp("sent")
    (folder / "example.apk").write_bytes(build())
    (folder / "file").write_bytes(b"tea")
    with running(loop, server, apps=[APPS]) as phone:
        if request.param:
            phone.device.root()
            phone.adb.run("wait-for-device", "shell", "true")
        yield Asked(phone, loop.call(lambda: prepared(phone, folder)))


def prepared(running: Running, folder: Path) -> dict[str, str]:
    """Start the clock, save a snapshot, and return the values to insert."""
    phone = running.phone
    phone.files.write("/data/local/tmp/base.apk", build("com.example.base"))
    phone.files.write("/data/local/tmp/server.apk", build(SERVER, instrumentation=RUNNER))
    component = phone.activities.launch(CLOCK).intent.component
    values = {
        "alarms": f"/data/user_de/0/{CLOCK}/databases/alarms.db",
        "apk": str(folder / "example.apk"),
        "base": "/data/local/tmp/base.apk",
        "clock": component,
        "display": "4619827259835644672",
        "file": str(folder / "file"),
        "folder": str(folder),
        "forwarder": "com.google.androidenv.accessibilityforwarder",
        "keyboard": phone.ime.current,
        "task": str(phone.activities.task.number),
    }
    phone.activities.home()
    phone.snapshots.save("asked")
    return values


@pytest.mark.parametrize(("asked", "call"), CALLS, indirect=["asked"], scope="module")
def test_the_phone_answers_in_the_shape_that_a_harness_needs(
    asked: Asked, call: dict[str, Any]
) -> None:
    running = asked.running
    running.loop.call(lambda: running.phone.snapshots.load("asked"))
    if "before" in call:
        status, said = asked.send(f"shell su 0 sh -c {quote(asked.fill(call['before']))}")
        assert status == 0, said
    status, said = asked.send(asked.fill(call["send"]))
    if "lacks" in call:
        assert status or MISSING.search(said), f"the phone has {call['lacks']} now: {said}"
        return
    assert status == call.get("status", 0), said
    expected = call.get("says")
    if expected == "":
        assert said == ""
    elif expected:
        assert re.search(expected, said), said
    else:
        assert not MISSING.search(said), said
