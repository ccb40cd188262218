"""Tests of finding regions that look like icons."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from pytest_mobileagent import Bounds, extras
from pytest_mobileagent.extras import MissingExtraError
from pytest_mobileagent.perception.grounding import find_icons

SIZE = (1080, 2400)
LATIN = Path(str(files("pytest_mobileagent.virtual.ui") / "roboto" / "Roboto-Regular.ttf"))


def screen(*icons: tuple[int, int], text: str = "", background: str = "white") -> Image.Image:
    """Return a screen with rings of 80 pixels around the given points."""
    image = Image.new("RGB", SIZE, background)
    draw = ImageDraw.Draw(image)
    for x, y in icons:
        draw.ellipse((x - 40, y - 40, x + 40, y + 40), outline="grey", width=8)
    draw.text((100, 1500), text, "grey", ImageFont.truetype(LATIN, 45))
    return image


@pytest.mark.parametrize("background", ["white", "black", "lightblue"])
def test_icons_are_found_where_they_are(background: str) -> None:
    places = [(200, 300), (900, 300), (540, 1000)]
    found = find_icons(screen(*places, background=background))
    assert len(found) == 3
    for box, place in zip(found, places, strict=True):
        assert box.contains(*place)
        assert 70 <= box.width <= 100
        assert 70 <= box.height <= 100


def test_an_icon_beside_a_text_is_found_and_lines_of_text_are_not_icons() -> None:
    text = "Notification history, conversations"
    assert find_icons(screen(text=text)) == ()
    (box,) = find_icons(screen((200, 300), text=text))
    assert box.contains(200, 300)


def test_large_regions_are_dropped() -> None:
    image = Image.new("RGB", (200, 200), "white")
    ImageDraw.Draw(image).rectangle((60, 60, 120, 120), fill="black")
    assert find_icons(image) == ()
    (box,) = find_icons(image, largest=0.5)
    assert box.contains(90, 90)


def test_small_and_thin_pictures_have_none() -> None:
    for size in ((1, 1), (1, 3000), (3000, 1), (30, 30)):
        assert find_icons(Image.new("RGB", size, "white")) == ()


def test_noise_gives_boxes_inside_the_picture() -> None:
    for left, top, right, bottom in find_icons(Image.effect_noise(SIZE, 120)):
        assert 0 <= left < right <= 1080
        assert 0 <= top < bottom <= 2400


def test_no_two_icons_cover_the_same_place(recordings: Path) -> None:
    for path in sorted((recordings / "mobilebench-ol").glob("*.jpg"))[2:5]:
        image = Image.open(path)
        found = find_icons(image)
        assert len(found) > 10
        assert len(set(found)) == len(found)
        assert all(each.width * each.height <= 0.05 * image.width * image.height for each in found)
        assert all(isinstance(each, Bounds) for each in found)


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"\.\[vision\]"):
        find_icons(Image.new("RGB", (10, 10)))
