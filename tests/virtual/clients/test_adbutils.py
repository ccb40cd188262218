"""The adbutils package, which talks to the adb server without the adb program."""

from __future__ import annotations

import struct
import warnings
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Running

TMP = "/data/local/tmp"


def test_shell(running_phone: Running) -> None:
    device = running_phone.device
    assert device.shell("echo out; echo err >&2") == "out\nerr"
    assert device.shell(["echo", "a  b", "$HOME"]) == "a  b $HOME"
    done = device.shell2("echo out; echo err >&2; exit 3", v2=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, "out\n", "err\n")
    assert device.shell2("(exit 3)").returncode == 3
    assert device.prop.model == "sdk_gphone64_x86_64"


def test_a_stream_that_is_kept_open_answers_each_line(running_phone: Running) -> None:
    with running_phone.device.open_transport() as stream:
        stream.send_command("shell,v2,raw:")
        stream.check_okay()
        for number in range(3):
            line = f"echo {number}\n".encode()
            stream.conn.sendall(struct.pack("<BI", 0, len(line)) + line)
            assert stream.conn.recv(100) == b"\x01\x02\0\0\0" + f"{number}\n".encode()


def test_files(running_phone: Running, tmp_path: Path) -> None:
    sync = running_phone.device.sync
    assert sync.push(b"some data", f"{TMP}/file") == 9
    assert sync.read_bytes(f"{TMP}/file") == b"some data"
    assert sync.stat(f"{TMP}/file").size == 9
    assert [entry.path for entry in sync.list(TMP)] == [".", "..", "file"]
    assert sync.exists(f"{TMP}/file")
    assert not sync.exists(f"{TMP}/nope")
    assert sync.pull(f"{TMP}/file", tmp_path / "file") == 9
    with pytest.raises(Exception, match="open failed: No such file or directory"):
        sync.read_bytes("/nope")


def test_reverses(running_phone: Running) -> None:
    device = running_phone.device
    device.reverse("tcp:5000", "tcp:6000")
    assert [(item.remote, item.local) for item in device.reverse_list()] == [
        ("tcp:5000", "tcp:6000")
    ]
    device.reverse_remove("tcp:5000")
    device.reverse_remove_all()
    assert device.reverse_list() == []


def test_the_framebuffer_is_the_screen(running_phone: Running) -> None:
    width, height, pixels = running_phone.phone.raw_screenshot()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # adbutils forgets to close its socket
        picture = running_phone.device.framebuffer()
    assert (picture.size, picture.tobytes()) == ((width, height), pixels)
