"""Tests of reading text in pictures with each engine; EasyOCR's models have meaningless weights."""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_mobileagent import Bounds, Screen, extras
from pytest_mobileagent.extras import MissingExtraError
from pytest_mobileagent.screen import ocr
from pytest_mobileagent.screen.ocr import (
    EasyOcr,
    MissingModelError,
    TextBox,
    read_screenshot,
    read_text,
    use_engine,
)
from pytest_mobileagent.screen.text import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


LATIN = Path(str(files("pytest_mobileagent.virtual.ui") / "roboto" / "Roboto-Regular.ttf"))
CHINESE = Path(str(files("paperang_p2_fonts_cjk") / "fonts" / "wqy-microhei.ttc"))


def written(*lines: tuple[int, int, str], font: str | Path = LATIN, size: int = 40) -> Image.Image:
    """Return a white picture with lines of text at the given points."""
    image = Image.new("RGB", (700, 400), "white")
    draw = ImageDraw.Draw(image)
    for x, y, text in lines:
        draw.text((x, y), text, "black", ImageFont.truetype(font, size))
    return image


class Fake:
    """An engine that counts its instances, and returns the given boxes."""

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


def test_text_in_pictures_of_any_kind_is_read_with_its_bounds():
    (box,) = read_text(written((100, 200, "Network & internet")).convert("RGBA"))
    assert folded(box.text) == folded("Network & internet")
    assert box.confidence > 0.8
    left, top, right, bottom = box.bounds
    assert abs(left - 100) < 15
    assert 190 < top < 215 < bottom < 270
    assert 400 < right < 500
    (box,) = read_text(written((100, 200, "设置 网络"), font=CHINESE).convert("P"))
    assert folded(box.text) == "设置网络"


def test_lines_come_from_the_top_down_and_from_the_left_with_bounds_in_the_picture():
    image = written(
        (-8, 300, "third"), (420, 104, "second"), (50, 110, "first"), (590, 362, "last")
    )
    boxes = read_text(image.convert("L"))
    assert [box.text for box in boxes][:3] == ["first", "second", "third"]
    for box in boxes:
        assert 0 <= box.bounds.left < box.bounds.right <= 700
        assert 0 <= box.bounds.top < box.bounds.bottom <= 400


@pytest.mark.parametrize("size", [(1, 1), (3000, 2), (2, 3000)])
def test_an_empty_picture_has_no_text(size):
    assert read_text(Image.new("RGB", size, "white")) == ()


def test_threads_may_read_at_once():
    pictures = [written((50, 100, f"Alarm 0{n}:30")) for n in range(2)]
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(read_text, pictures))
    assert [folded(boxes[0].text) for boxes in found] == [f"Alarm0{n}:30" for n in range(2)]


def test_reading_says_nothing(capfd, caplog):
    with caplog.at_level(logging.INFO):
        ocr.RapidOcr(threads=1).read(Image.new("RGB", (100, 100), "white"))
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_an_engine_is_loaded_once_unless_it_is_the_users_own(fake):
    image, box = Image.new("RGB", (10, 10)), TextBox("own", Bounds(1, 2, 3, 4), 0.5)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: read_text(image, "fake"), range(8)))
    assert fake.made == 1
    assert read_text(image, Fake(box)) == (box,)


def test_an_unknown_engine_is_an_error_that_names_those_there_are():
    why = r"no OCR engine 'tesseract' \(engines: rapidocr, easyocr\)"
    with pytest.raises(ValueError, match=why):
        read_text(Image.new("RGB", (10, 10)), "tesseract")
    with pytest.raises(ValueError, match=why):
        use_engine("tesseract")


@pytest.mark.parametrize(("engine", "extra"), [("rapidocr", "vision"), ("easyocr", "easyocr")])
def test_an_engine_that_is_not_installed_says_how_to_install_it(engine, extra, fake, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=rf'pip install "\.\[{extra}\]"'):
        read_text(Image.new("RGB", (10, 10)), engine)


@pytest.mark.slow  # a whole screen
def test_the_texts_of_a_real_screen_are_read(recordings):
    folder = recordings / "aitk" / "qwen25vl_stuck_trajectory"
    png = (folder / "screenshots" / "step_0.png").read_bytes()
    screen = Screen((folder / "xmls" / "step_0.xml").read_text("utf-8"), png)
    read = {folded(box.text) for box in read_text(screen.image)}
    shown = {folded(each.text) for each in screen.elements if each.text}
    # The hierarchy's other texts belong to icons without labels, at the bottom of the home screen.
    assert read & shown == {"Wed,Aug20", "Settings", "PlayStore", "Gmail", "Photos", "YouTube"}


NEVER = """
import sys
from PIL import Image
from pytest_mobileagent.screen import ocr

ocr.ENGINES["rapidocr"] = lambda: sys.exit("it was read again")
print(ocr.read_text(Image.open(sys.argv[1])))
"""
BOX = TextBox("设置", Bounds(1, 2, 3, 4), 0.5)
BLACK = Image.new("RGB", (10, 10))


@pytest.fixture
def keeping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Image.Image]]:
    """Cache results in a folder; yield the pictures that the fake engine "rapidocr" was given."""
    given: list[Image.Image] = []

    class Engine:
        def read(self, image: Image.Image) -> list[TextBox]:
            given.append(image)
            return [BOX]

    monkeypatch.setitem(ocr.ENGINES, "rapidocr", Engine)
    monkeypatch.setattr(ocr, "_engines", {})
    ocr.share(tmp_path / "kept")
    yield given
    ocr.share(None)


def results(folder: Path) -> list[Path]:
    return list((folder / "kept").rglob("*.json"))


def test_a_picture_is_read_once_by_all_processes_together(keeping, tmp_path):
    assert read_text(BLACK) == read_text(BLACK.convert("RGBA")) == (BOX,)
    assert len(keeping) == 1
    BLACK.save(tmp_path / "black.png")
    command = [sys.executable, "-c", NEVER, str(tmp_path / "black.png")]
    other = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (other.stdout, other.stderr) == (f"{(BOX,)}\n", "")


def test_another_picture_or_version_is_read_anew(keeping, monkeypatch):
    for image in (BLACK, Image.new("RGB", (10, 10), "#000001"), Image.new("RGB", (5, 20))):
        read_text(image)
    monkeypatch.setattr(ocr.metadata, "version", lambda name: "99")
    read_text(BLACK)
    assert len(keeping) == 4


@pytest.mark.parametrize(
    "damage", ["{", "{}", "[[1, [1, 2, 3, 4], 0.5]]", '[["a", [1], 0.5]]', '[["a"]]']
)
def test_a_damaged_result_is_read_anew(keeping, tmp_path, damage):
    read_text(BLACK)
    (file,) = results(tmp_path)
    file.write_text(damage)
    assert read_text(BLACK) == read_text(BLACK) == (BOX,)
    assert len(keeping) == 2


def test_a_folder_that_cannot_be_written_to_keeps_nothing(keeping, tmp_path):
    (tmp_path / "kept").touch()
    assert read_text(BLACK) == read_text(BLACK) == (BOX,)
    assert len(keeping) == 2


def test_only_the_engine_of_the_package_is_kept(keeping, fake, tmp_path, monkeypatch):
    read_text(BLACK, "fake")
    read_text(BLACK, Fake(BOX))
    monkeypatch.setattr(ocr.metadata, "version", not_installed)
    read_text(BLACK)
    ocr.share(None)
    read_text(BLACK)
    assert results(tmp_path) == []
    assert len(keeping) == 2


def test_screenshots_whose_lines_are_cached_are_not_even_decoded(keeping):
    def never() -> Image.Image:
        pytest.fail("it was decoded")

    assert read_screenshot("0123", lambda: BLACK) == read_screenshot("0123", never) == (BOX,)


def test_threads_that_want_the_same_picture_read_it_once(keeping, monkeypatch):
    both, looks, cached = threading.Barrier(2, timeout=10), count(), ocr._cached

    def meeting(path: Path) -> Sequence[TextBox] | None:
        found = cached(path)
        if next(looks) < 2:
            both.wait()  # each has looked in the cache before either one reads
        return found

    monkeypatch.setattr(ocr, "_cached", meeting)
    threads = [threading.Thread(target=read_text, args=(BLACK,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keeping) == 1


def not_installed(name: str) -> Any:
    raise ocr.metadata.PackageNotFoundError(name)


@pytest.mark.parametrize(
    ("workers", "processors", "threads"),
    [(None, 1, 1), (None, 2, 2), ("2", 2, 1), ("2", 4, 2), ("3", 4, 1), ("1", 64, 2)],
)
def test_workers_share_the_processors(workers, processors, threads, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)
    if workers is not None:
        monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", workers)
    monkeypatch.setattr(ocr.os, "cpu_count", lambda: processors)
    assert ocr._threads() == threads


pytestmark = pytest.mark.filterwarnings("ignore")  # torch warns about how easyocr uses it

NETWORK = """
import torch

class Model(torch.nn.Module):
    def __init__(self, num_class):
        super().__init__()
        self.last = torch.nn.Linear(64, num_class)

    def forward(self, image, text):
        return self.last(image[:, 0, :, ::4].transpose(1, 2))
"""
SETTINGS = "network_params: {}\nimgH: 64\nlang_list: [en]\ncharacter_list: abcdefghij\n"


@pytest.fixture
def easyocr(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return EasyOCR, even if torchvision was built for another torch (PyPI versus CPU).

    In that case, torchvision cannot register its own operators. EasyOCR uses none of them.
    """
    name = "torchvision._meta_registrations"
    monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    return pytest.importorskip("easyocr")


@pytest.fixture
def models(easyocr: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a detector that marks everything as text, and a random recogniser."""
    torch = pytest.importorskip("torch")
    detector = pytest.importorskip("easyocr.craft").CRAFT(pretrained=False)
    torch.nn.init.zeros_(detector.conv_cls[-1].weight)
    detector.conv_cls[-1].bias.data = torch.tensor([1.0, 0.0])
    path = tmp_path / "craft_mlt_25k.pth"
    torch.save(detector.state_dict(), path)
    known = easyocr.config.detection_models["craft"]
    monkeypatch.setitem(known, "md5sum", hashlib.md5(path.read_bytes()).hexdigest())
    (tmp_path / "tiny.py").write_text(NETWORK)
    (tmp_path / "tiny.yaml").write_text(SETTINGS)
    torch.manual_seed(0)
    weights = torch.nn.Linear(64, 11).state_dict()
    torch.save(
        {f"module.last.{name}": each for name, each in weights.items()}, tmp_path / "tiny.pth"
    )
    return tmp_path


def test_texts_that_easyocr_finds_have_bounds_inside_the_picture(models):
    engine = EasyOcr(["en"], models, recog_network="tiny", user_network_directory=str(models))
    (box,) = read_text(Image.effect_noise((320, 128), 80), engine)
    left, top, right, bottom = box.bounds
    assert 0 <= left < right <= 320
    assert 0 <= top < bottom <= 128
    assert set(box.text) <= set("abcdefghij")
    assert 0 <= box.confidence <= 1


def test_a_missing_model_is_an_error_that_names_the_file(easyocr, tmp_path):
    with pytest.raises(MissingModelError, match=r"craft_mlt_25k\.pth"):
        EasyOcr(["en"], tmp_path)
    assert list(tmp_path.iterdir()) == []
