"""Programs that may see only one part of the screen: what their clients get, and cannot get."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import sys
from itertools import groupby
from typing import TYPE_CHECKING, Any

import adbutils
import pytest
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_mobileagent.device.device import Address
    from pytest_mobileagent.screen.sight import Sight
    from tests.program.adb.conftest import Recording, Start

    Sighted = Callable[[Sight], Recording]

SIZE = (1080, 2400)


@pytest.fixture(scope="module")
def sighted(
    phone: Address, start: Start, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sighted]:
    """Returns a recording of the phone for a program that sees one part; shared by all tests."""
    made: dict[str, Recording] = {}

    def of(sees: Sight) -> Recording:
        if sees not in made:
            made[sees] = start(phone, tmp_path_factory.mktemp(sees), sees)
        return made[sees]

    yield of
    for each in made.values():
        each.call(each.recorded.close())


@pytest.fixture(scope="module")
def words(phone: Address) -> set[str]:
    """The texts and ids of the phone's own hierarchy, which is in a file, like a picture."""
    device = adbutils.AdbClient("127.0.0.1", phone.adb_port).device(phone.serial)
    dump = device.shell("uiautomator dump /sdcard/own.xml > /dev/null; cat /sdcard/own.xml")
    device.shell("screencap -p /sdcard/own.png")
    found = set(re.findall(r'(?:text|resource-id|content-desc)="([^"]{4,})"', dump))
    assert len(found) > 3
    return found


def blobs(output: bytes) -> list[bytes]:
    """Return a program's output, and what it contains in base64."""
    found = [output]
    for run in re.findall(rb"(?:^|(?<=\n))[A-Za-z0-9+/=\s]{60,}", output):
        with contextlib.suppress(ValueError):
            found.append(base64.b64decode(re.sub(rb"\s", b"", run) + b"=="))
    return found


def pictures(output: bytes) -> list[Image.Image]:
    """Return all pictures in a program's output: PNG or JPEG, perhaps in base64."""
    found = []
    for blob in blobs(output):
        for head in re.finditer(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff", blob):
            with contextlib.suppress(OSError, SyntaxError):
                found.append(Image.open(io.BytesIO(blob[head.start() :])).convert("RGB"))
    return found


def is_black(picture: Image.Image) -> bool:
    return picture.getextrema() == ((0, 0),) * 3


def shown(hidden: str, output: bytes, words: set[str]) -> str:
    """Return what of the hidden part a program's output shows; empty if nothing."""
    if hidden == "hierarchy":
        text = b"".join(blobs(output)).decode("utf-8", "replace")
        return next((word for word in words if word in text), "")
    if any(not is_black(each) for each in pictures(output)):
        return "a picture"
    raw = len(output) > 1_000_000 and sum(map(bool, output[: 1 << 22])) > 1000
    return "a raw picture" if raw else ""


def is_replaced(hidden: str, output: bytes) -> bool:
    """Return whether a program got the replacement of the hidden part."""
    if hidden == "hierarchy":
        return b'<hierarchy rotation="0"></hierarchy>' in b"".join(blobs(output))
    return bool(pictures(output)) or len(output) == 16 + 4 * SIZE[0] * SIZE[1]


JAR = "/system/framework/uiautomator.jar"
LAUNCHER = "com.android.commands.uiautomator.Launcher"
# What a program may try with adb: the words of a command, or several commands in order.
TRICKS = {
    "hierarchy": [
        ["shell", "uiautomator dump /dev/tty"],
        ["exec-out", "uiautomator dump /dev/tty"],
        ["shell", "uiautomator dump; cat /sdcard/window_dump.xml"],
        ["shell", "/system/bin/uiautomator dump /sdcard/b.xml >/dev/null && cat /sdcard/b.xml"],
        ["shell", "uiautomator dump /sdcard/c.xml", ";", "pull", "/sdcard/c.xml", "-"],
        ["shell", "sh -c 'uiautomator dump /dev/tty'"],
        ["shell", "echo dWlhdXRvbWF0b3IgZHVtcCAvZGV2L3R0eQ== | base64 -d | sh"],
        ["shell", 'x=$(uiautomator dump /dev/tty); echo "$x"'],
        ["shell", "ui\\automator du''mp /dev/tty"],
        ["shell", "su 0 uiautomator dump /dev/tty"],
        ["shell", f"CLASSPATH={JAR} app_process / {LAUNCHER} dump /dev/tty"],
        ["shell", "dumpsys activity top"],
        ["shell", "cmd window dump-visible-window-views"],
        ["shell", "content query --uri content://com.droidrun.portal/a11y_tree"],
        ["push", "SCRIPT", "/data/local/tmp/s.sh", ";", "shell", "sh /data/local/tmp/s.sh"],
        ["push", "SCRIPT", "/data/local/tmp/id", ";", "shell", "PATH=/data/local/tmp:$PATH id"],
        ["push", "SCRIPT", "/data/local/tmp/s.sh", ";", "shell", ". /data/local/tmp/s.sh"],
        ["reverse", "tcp:7001", "tcp:7001"],
        ["STDIN", "shell"],
    ],
    "screenshot": [
        ["exec-out", "screencap -p"],
        ["exec-out", "screencap"],
        ["shell", "screencap -p /sdcard/a.png; base64 /sdcard/a.png"],
        ["shell", "screencap /sdcard/a.png && base64 < /sdcard/a.png"],
        ["shell", "screencap -p > /sdcard/b.png", ";", "exec-out", "cat /sdcard/b.png"],
        ["shell", "screencap -p /sdcard/c.png", ";", "pull", "/sdcard/c.png", "-"],
        ["shell", "screencap -p /data/local/tmp/d.png", ";", "pull", "/data/local/tmp/d.png", "-"],
        ["exec-out", "screencap -p -d 0"],
        ["shell", "sh -c 'screencap -p' | base64"],
        ["shell", "echo $(screencap -p | base64)"],
        ["exec-out", "s\\creencap -'p'"],
        ["shell", "input keyevent 120", ";", "shell", "cat /sdcard/Pictures/Screenshots/*"],
        ["shell", "cat /sdcard/own.png | base64"],
        ["pull", "/sdcard/own.png", "-"],
        ["pull", "/sdcard/../sdcard/own.png", "-"],
        ["shell", "content read --uri content://media/external/images/media/1"],
        ["push", "SCRIPT", "/data/local/tmp/s.sh", ";", "exec-out", "sh /data/local/tmp/s.sh"],
        ["reverse", "localabstract:scrcpy", "tcp:7001"],
        ["STDIN", "shell"],
    ],
}
SCRIPTS = {"hierarchy": b"uiautomator dump /dev/tty\n", "screenshot": b"screencap -p\n"}


def attempt(recording: Recording, hidden: str, words: list[str], folder: Path) -> bytes:
    """Return all that a program gets by a trick."""
    (folder / "script").write_bytes(SCRIPTS[hidden])
    pulled = folder / "pulled"
    files = {"SCRIPT": str(folder / "script"), "-": str(pulled)}
    output = b""
    for separator, command in groupby(words, lambda word: word == ";"):
        if separator:
            continue
        each = [files.get(word, word) for word in command]
        script = SCRIPTS[hidden] + b"exit\n" if each[0] == "STDIN" else b""
        done = recording.adb(*(word for word in each if word != "STDIN"), input=script)
        output += done.stdout + done.stderr
    return output + (pulled.read_bytes() if pulled.exists() else b"")


@pytest.mark.parametrize(
    ("hidden", "trick"),
    [(hidden, trick) for hidden, tricks in TRICKS.items() for trick in tricks],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_no_trick_shows_the_hidden_part(sighted, words, hidden, trick, tmp_path):
    recording = sighted("screenshot" if hidden == "hierarchy" else "hierarchy")
    recording.watching.asked.clear()
    output = attempt(recording, hidden, trick, tmp_path)
    assert shown(hidden, output, words) == ""
    refused = any(each.command.refused for each in recording.watching.asked)
    assert refused or is_replaced(hidden, output), "it is the gate that hides it"


@pytest.mark.parametrize(("hidden", "least"), [("hierarchy", 14), ("screenshot", 12)])
def test_most_tricks_show_it_to_programs_that_may_see_both(
    recording, words, hidden, least, tmp_path
):
    slow = {"uiautomator events", "-w -r", "screenrecord", "reverse"}
    tricks = [each for each in TRICKS[hidden] if not any(word in str(each) for word in slow)]
    shows = [
        each for each in tricks if shown(hidden, attempt(recording, hidden, each, tmp_path), words)
    ]
    assert len(shows) >= least, [each for each in tricks if each not in shows]


@pytest.mark.parametrize("sees", ["screenshot", "hierarchy", "both"])
def test_a_program_gets_its_part_and_may_do_what_shows_nothing(sighted, words, sees, tmp_path):
    recording = sighted(sees)
    taken = pictures(recording.adb("exec-out", "screencap -p").stdout)
    recording.out("shell", "screencap -p /sdcard/it.png; echo X4EXIT:$?")
    recording.out("pull", "/sdcard/it.png", str(tmp_path / "it.png"))
    taken.append(Image.open(tmp_path / "it.png").convert("RGB"))
    assert [each.size for each in taken] == [SIZE, SIZE]
    assert [is_black(each) for each in taken] == [sees == "hierarchy"] * 2
    raw = recording.adb("exec-out", "screencap").stdout
    assert [int.from_bytes(raw[at : at + 4], "little") for at in (0, 4, 8)] == [*SIZE, 1]
    assert len(raw) == 16 + 4 * SIZE[0] * SIZE[1]
    said = recording.out("shell", "uiautomator dump /sdcard/it.xml")
    assert said == "UI hierchary dumped to: /sdcard/it.xml\n"
    recording.out("pull", "/sdcard/it.xml", str(tmp_path / "it.xml"))
    dump = (tmp_path / "it.xml").read_text()
    assert dump.startswith("<?xml")
    assert any(word in dump for word in words) == (sees != "screenshot")
    for harmless in (
        "input tap 1 1; echo X4EXIT:$?",
        "wm size",
        "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'",
        "dumpsys activity activities | grep mResumedActivity",
        "getprop ro.build.version.sdk",
        "settings get secure default_input_method && settings put system user_rotation 0",
        "pm list packages -3; cmd package list packages | head -3",
        "am start -a android.intent.action.MAIN -c android.intent.category.HOME",
        "am broadcast -a ADB_INPUT_B64 --es msg aGk=",
        "monkey -p com.android.settings -c android.intent.category.LAUNCHER 1",
        "for i in 1 2; do input keyevent DEL; done",
        "ls /sdcard | sort; rm -f /sdcard/it.png /sdcard/it.xml; input keyevent HOME",
    ):
        done = recording.adb("shell", harmless)
        assert b"--mobile-sees" not in done.stdout + done.stderr, harmless


UIAUTOMATOR2 = """
import json, sys
import uiautomator2
device = uiautomator2.connect()
def tried(call):
    try:
        return call()
    except Exception as error:
        return str(error)
picture = device.screenshot()
print(json.dumps({
    "size": picture.size, "black": picture.convert("RGB").getextrema() == ((0, 0),) * 3,
    "dump": device.dump_hierarchy(),
    "tap": tried(lambda: device.click(5, 5)),
    "key": tried(lambda: device.press("home")),
    "exists": tried(lambda: bool(device(className="android.widget.TextView").exists)),
    "text": tried(lambda: device(className="android.widget.TextView").get_text(timeout=1)),
    "xpath": tried(lambda: len(device.xpath("//android.widget.TextView").all())),
    "toast": tried(lambda: device.last_toast),
}))
device.stop_uiautomator()
"""


@pytest.mark.slow
@pytest.mark.parametrize("sees", ["screenshot", "hierarchy", "both"])
def test_uiautomator2_gets_its_part(sighted, words, sees):
    done = sighted(sees).run(sys.executable, "-c", UIAUTOMATOR2, timeout=90)
    assert done.returncode == 0, done.stderr.decode()
    got: dict[str, Any] = json.loads(done.stdout)
    assert (got["size"], got["black"]) == (list(SIZE), sees == "hierarchy")
    assert not {"--mobile-sees"} & {str(got[name]) for name in ("tap", "key")}
    shows = sees != "screenshot"
    assert any(word in got["dump"] for word in words) == shows
    assert (got["exists"] is True) == shows
    assert (got["xpath"] != 0) == shows
    if not shows:
        assert "--mobile-sees=screenshot: the program must not see the hierarchy" in got["text"]
        assert not any(word in done.stdout.decode() for word in words)


@pytest.mark.parametrize("sends", [b"\x02\x00binary", b"GET / HTTP/1.1\r\nUpgrade: x\r\n\r\n", b""])
def test_a_stream_that_cannot_be_controlled_shows_nothing(sighted, phone, sends):
    """The server sends a secret: at once, or as the answer to data that is not understood."""
    device = adbutils.AdbClient("127.0.0.1", phone.adb_port).device(phone.serial)
    with contextlib.closing(device.shell("echo secret | nc -l -p 7071", stream=True)):
        recording = sighted("screenshot")
        recording.watching.asked.clear()
        client = adbutils.AdbClient("127.0.0.1", recording.recorded.port)
        own = client.device(recording.recorded.serial)
        with contextlib.closing(own.create_connection(adbutils.Network.TCP, 7071)) as socket:
            socket.sendall(sends)
            assert b"secret" not in socket.recv(1000)
    last = recording.watching.asked[-1].command
    assert "the program must not see the hierarchy" in last.refused
    assert last.ends or last.answer, "binary data ends the episode"
