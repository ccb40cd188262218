"""screenrecord: videos of the screen that a player can read."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.content import video
from pytest_mobileagent.virtual.shell.interpreter import run
from pytest_mobileagent.virtual.shell.session import Bytes, Collected, Session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.virtual.phone import Phone
    from tests.virtual.conftest import Ran

FILE = "/sdcard/Movies/a.mp4"


def described(data: bytes, folder: Path) -> tuple[int, int, float]:
    """The width, height and seconds of a video, as OpenCV reads them."""
    import cv2

    (folder / "a.mp4").write_bytes(data)
    film = cv2.VideoCapture(str(folder / "a.mp4"))
    count = 0
    while film.read()[0]:
        count += 1
    width, height = (int(film.get(key)) for key in (3, 4))
    return width, height, count / film.get(cv2.CAP_PROP_FPS)


def test_the_screen_is_recorded_until_the_time_limit(
    sh: Callable[[str], str], phone: Phone, tmp_path: Path
) -> None:
    pytest.importorskip("cv2")
    words = sh(f"screenrecord --verbose --size 320x640 --bit-rate 4M --time-limit 1 {FILE}")
    assert described(phone.files.read(FILE), tmp_path) == (320, 640, 1.0)
    assert "Configuring recorder for 320x640 video/avc at 4.00Mbps\nTime limit reached\n" in words
    assert words.endswith("recorded 5 frames in 1 seconds\nStopping encoder and muxer\n")


@pytest.mark.parametrize(
    ("signal", "status", "complete"), [("INT", 0, True), ("KILL", 137, False), ("TERM", 143, False)]
)
def test_a_signal_ends_the_recording(
    shell: Callable[[str], Ran], phone: Phone, tmp_path: Path, signal: str, status: int, *,
    complete: bool,
) -> None:  # fmt: skip
    pytest.importorskip("cv2")
    script = f"screenrecord {FILE} & sleep 0.3; kill -{signal} $!; wait $!; echo $?"
    assert shell(script).out == f"{status}\n"
    data = phone.files.read(FILE)
    assert bool(data) == complete
    if complete:
        width, height, seconds = described(data, tmp_path)
        assert (width, height) == phone.sight.picture().size
        assert 0.2 <= seconds <= 2


def test_a_client_that_disconnects_leaves_a_complete_file(phone: Phone, tmp_path: Path) -> None:
    pytest.importorskip("cv2")

    async def leave() -> None:
        out = Collected()
        session = Session(phone=phone, uid=2000, stdin=Bytes(b""), stdout=out, stderr=out)
        work = asyncio.create_task(run(session, f"screenrecord --size 64x64 {FILE}"))
        while not phone.files.exists(FILE):
            await asyncio.sleep(0)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    phone.files.write(FILE, b"")
    phone.files.remove(FILE)
    asyncio.run(leave())
    width, height, seconds = described(phone.files.read(FILE), tmp_path)
    assert (width, height) == (64, 64)
    assert seconds >= 1 / video.FRAMES


def test_a_phone_without_an_encoder_says_so(
    shell: Callable[[str], Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    ran = shell("screenrecord --time-limit 1 /sdcard/a.mp4")
    assert (ran.status, ran.err) == (1, "ERROR: unable to create video/avc codec instance\n")
