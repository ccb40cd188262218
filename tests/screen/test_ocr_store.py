"""Tests of storing recognised lines; a run's lines are trusted only if signed with its key."""

from __future__ import annotations

import json
import threading
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from pytest_mobileagent import Bounds
from pytest_mobileagent.screen import ocr, ocr_store
from pytest_mobileagent.screen.ocr import TextBox, read_screenshot, read_text
from pytest_mobileagent.screen.ocr_store import KEY, SUFFIX, SignedLines, of_pixels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

READER = ["reader", "1"]
BLACK = Image.new("RGB", (10, 10), "black")
LINES = [["设置", [1, 2, 3, 4], 0.5]]
NAME, OTHER = "0123456789abcdef" * 2, "fedcba9876543210" * 2


@pytest.fixture
def believed(tmp_path: Path) -> Iterator[SignedLines]:
    """Yield the signed lines of a run's screens folder, which this process uses."""
    lines = SignedLines(tmp_path)
    ocr_store.believe(lines)
    yield lines
    ocr_store.believe(None)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of an engine that finds one line, and whose version is known."""

    class Engine:
        def read(self, image: Image.Image) -> list[TextBox]:
            return [TextBox("设置", Bounds(1, 2, 3, 4), 0.5)]

    monkeypatch.setitem(ocr.ENGINES, "here", Engine)
    monkeypatch.setattr(ocr, "_engines", {})
    monkeypatch.setattr(ocr, "_reader", lambda name: [name, "1"])
    return "here"


def never() -> Image.Image:
    pytest.fail("it was decoded")


def test_lines_lie_beside_the_screen_with_what_read_them(tmp_path: Path) -> None:
    lines = SignedLines(tmp_path)
    lines.put(NAME, READER, LINES)
    (file,) = tmp_path.iterdir()
    assert file.name == f"{NAME}{SUFFIX}"
    kept = json.loads(file.read_text("utf-8"))
    assert (kept["reader"], kept["lines"]) == (READER, LINES)
    assert lines.find(NAME, READER) == LINES


def test_lines_of_another_picture_reader_or_key_are_not_believed(tmp_path: Path) -> None:
    lines = SignedLines(tmp_path)
    lines.put(NAME, READER, LINES)
    assert lines.find(NAME, ["reader", "2"]) is None
    assert SignedLines(tmp_path).find(NAME, READER) is None
    (file,) = tmp_path.iterdir()
    file.rename(tmp_path / f"{OTHER}{SUFFIX}")
    assert lines.find(OTHER, READER) is None


@pytest.mark.parametrize("name", ["../0123456789abcdef0123456789abcdef", "", "0123", "\0" * 32])
def test_invalid_names_of_pictures_lead_nowhere(tmp_path: Path, name: str) -> None:
    lines = SignedLines(tmp_path / "screens")
    lines.put(name, READER, LINES)
    assert lines.find(name, READER) is None
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "damage",
    ["", "[]", "{}", '{"lines": []}', '{"lines": [], "signature": 1}', '{"lines": 1}', "LINES"],
)
def test_lines_that_were_changed_are_not_believed(tmp_path: Path, damage: str) -> None:
    lines = SignedLines(tmp_path)
    lines.put(NAME, READER, LINES)
    (file,) = tmp_path.iterdir()
    changed = file.read_text("utf-8").replace("设置", "done") if damage == "LINES" else damage
    file.write_text(changed, "utf-8")
    assert lines.find(NAME, READER) is None


def test_the_key_lies_beside_the_lines_only_while_no_agent_works(tmp_path: Path) -> None:
    first = SignedLines.of_run(tmp_path, takes_key=True)
    first.publish()
    assert list(tmp_path.iterdir()) == []  # No lines were read.
    first.put(NAME, READER, LINES)
    (tmp_path / KEY).write_bytes(b"the agent's own key".ljust(32))
    first.publish()
    later = SignedLines.of_run(tmp_path, takes_key=False)
    assert later.find(NAME, READER) == LINES
    assert (tmp_path / KEY).exists()
    resumed = SignedLines.of_run(tmp_path, takes_key=True)
    assert resumed.find(NAME, READER) == LINES
    assert not (tmp_path / KEY).exists()


@pytest.mark.parametrize("key", [b"", b"short", b"x" * 33])
def test_an_invalid_key_is_replaced(tmp_path: Path, key: bytes) -> None:
    (tmp_path / KEY).write_bytes(key)
    assert len(SignedLines.of_run(tmp_path, takes_key=False).key) == 32


def test_the_key_is_not_shown(tmp_path: Path) -> None:
    lines = SignedLines(tmp_path)
    assert repr(lines) == f"SignedLines(folder={tmp_path!r})"


def test_pictures_whose_lines_are_kept_are_not_even_decoded(
    believed: SignedLines, engine: str
) -> None:
    first = read_screenshot(NAME, lambda: BLACK, engine)
    assert first
    assert read_screenshot(NAME, never, engine) == first


def test_threads_that_want_the_same_picture_read_it_once(
    believed: SignedLines, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[Image.Image] = []
    looks = count()
    both = threading.Barrier(2, timeout=10)

    class Meeting:
        put = believed.put

        def find(self, name: str, reader: Sequence[Any]) -> Any:
            found = believed.find(name, reader)
            if next(looks) < 2:
                both.wait()  # Each has looked in the store before either one reads.
            return found

    def picture() -> Image.Image:
        decoded.append(BLACK)
        return BLACK

    monkeypatch.setattr(ocr_store, "chosen_store", Meeting)
    threads = [
        threading.Thread(target=read_screenshot, args=(NAME, picture, engine)) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert decoded == [BLACK]


def test_parts_of_screens_are_kept_by_their_pixels(believed: SignedLines, engine: str) -> None:
    assert read_text(BLACK, engine)
    assert believed.find(of_pixels(BLACK.convert("RGBA")), [engine, "1"])
    assert of_pixels(BLACK) != of_pixels(Image.new("RGB", (20, 5), "black"))


def test_signed_lines_go_before_shared_ones(believed: SignedLines, tmp_path: Path) -> None:
    ocr_store.share(tmp_path / "shared")
    try:
        assert ocr_store.chosen_store() is believed
        ocr_store.believe(None)
        assert isinstance(ocr_store.chosen_store(), ocr_store.SharedLines)
    finally:
        ocr_store.share(None)
    assert ocr_store.chosen_store() is None


def test_nothing_that_is_read_in_the_thread_of_an_agent_is_signed(believed: SignedLines) -> None:
    used = []

    def work() -> None:
        ocr_store.share_only()
        used.append(ocr_store.chosen_store())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert used == [None]
    assert ocr_store.chosen_store() is believed


def test_a_folder_that_cannot_be_written_to_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    lines = SignedLines(tmp_path / "file")
    lines.put(NAME, READER, LINES)
    lines.publish()
    assert lines.find(NAME, READER) is None
