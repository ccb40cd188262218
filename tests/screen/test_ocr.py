"""Text in pictures, read by the engine that comes with the package."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_mobileagent import Bounds, Screen, extras
from pytest_mobileagent.extras import MissingExtraError
from pytest_mobileagent.screen import ocr
from pytest_mobileagent.screen.ocr import TextBox, read_text
from pytest_mobileagent.screen.text import folded

if TYPE_CHECKING:
    from collections.abc import Sequence

LATIN = Path(str(files("pytest_mobileagent.virtual.ui") / "roboto" / "Roboto-Regular.ttf"))
CHINESE = Path(str(files("paperang_p2_fonts_cjk") / "fonts" / "wqy-microhei.ttc"))


def written(*lines: tuple[int, int, str], font: str | Path = LATIN, size: int = 40) -> Image.Image:
    """A white picture with lines of text at their places."""
    image = Image.new("RGB", (700, 400), "white")
    draw = ImageDraw.Draw(image)
    for x, y, text in lines:
        draw.text((x, y), text, "black", ImageFont.truetype(font, size))
    return image


class Fake:
    """An engine that counts how often it is made, and finds what it is given."""

    made = 0

    def __init__(self, *found: TextBox) -> None:
        type(self).made += 1
        self.found = found

    def read(self, image: Image.Image) -> Sequence[TextBox]:
        return self.found


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[Fake]:
    monkeypatch.setattr(Fake, "made", 0)
    monkeypatch.setitem(ocr.ENGINES, "fake", Fake)
    monkeypatch.setattr(ocr, "_engines", {})
    return Fake


def test_text_is_read_with_its_bounds() -> None:
    (box,) = read_text(written((100, 200, "Network & internet")))
    assert folded(box.text) == folded("Network & internet")
    assert box.confidence > 0.8
    left, top, right, bottom = box.bounds
    assert abs(left - 100) < 15
    assert 190 < top < 215 < bottom < 270
    assert 400 < right < 500


def test_chinese_is_read() -> None:
    (box,) = read_text(written((100, 200, "设置 网络"), font=CHINESE))
    assert folded(box.text) == "设置网络"


def test_lines_come_from_the_top_down_and_those_side_by_side_from_the_left() -> None:
    image = written((50, 300, "third"), (420, 104, "second"), (50, 110, "first"))
    assert [box.text for box in read_text(image)] == ["first", "second", "third"]


@pytest.mark.parametrize("size", [(1, 1), (3000, 2), (2, 3000), (50, 50), (33, 31)])
def test_an_empty_picture_has_no_text(size: tuple[int, int]) -> None:
    assert read_text(Image.new("RGB", size, "white")) == ()


@pytest.mark.parametrize("mode", ["RGBA", "L", "P"])
def test_pictures_of_any_kind_are_read(mode: str) -> None:
    (box,) = read_text(written((100, 200, "Settings")).convert(mode))
    assert box.text == "Settings"


def test_bounds_lie_inside_the_picture() -> None:
    image = written((-8, -6, "Settings"), (560, 362, "Settings")).crop((0, 0, 700, 400))
    for box in read_text(image):
        assert 0 <= box.bounds.left < box.bounds.right <= 700
        assert 0 <= box.bounds.top < box.bounds.bottom <= 400


def test_threads_may_read_at_once() -> None:
    pictures = [written((50, 100, f"Alarm 0{n}:30")) for n in range(4)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(read_text, pictures))
    assert [folded(boxes[0].text) for boxes in found] == [f"Alarm0{n}:30" for n in range(4)]


def test_reading_says_nothing(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        ocr.RapidOcr(threads=1).read(Image.new("RGB", (100, 100), "white"))
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_an_engine_is_loaded_once(fake: type[Fake]) -> None:
    image = Image.new("RGB", (10, 10))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: read_text(image, "fake"), range(8)))
    assert fake.made == 1


def test_an_engine_of_ones_own_is_asked() -> None:
    box = TextBox("own", Bounds(1, 2, 3, 4), 0.5)
    assert read_text(Image.new("RGB", (10, 10)), Fake(box)) == (box,)


def test_an_unknown_engine_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(
        ValueError, match=r"no OCR engine 'tesseract' \(engines: rapidocr, easyocr\)"
    ):
        read_text(Image.new("RGB", (10, 10)), "tesseract")


@pytest.mark.parametrize(("engine", "extra"), [("rapidocr", "vision"), ("easyocr", "easyocr")])
def test_an_engine_that_is_not_installed_says_how_to_install_it(
    engine: str, extra: str, fake: type[Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=rf'pip install "pytest-mobileagent\[{extra}\]"'):
        read_text(Image.new("RGB", (10, 10)), engine)


def test_the_texts_of_a_real_screen_are_read(recordings: Path) -> None:
    folder = recordings / "aitk" / "qwen25vl_stuck_trajectory"
    png = (folder / "screenshots" / "step_0.png").read_bytes()
    screen = Screen((folder / "xmls" / "step_0.xml").read_text("utf-8"), png)
    read = {folded(box.text) for box in read_text(screen.image)}
    shown = {folded(each.text) for each in screen.elements if each.text}
    # The rest are icons without words, at the bottom of the home screen.
    assert read & shown == {"Wed,Aug20", "Settings", "PlayStore", "Gmail", "Photos", "YouTube"}
