"""Screenshots with the agent's actions drawn into them."""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import pytest
from PIL import Image as pillow

from pytest_mobileagent import Action, DoubleTap, Key, LongPress, Scroll, Swipe, Tap, Type
from pytest_mobileagent.judge.evidence import LONGEST_SIDE, Album, LruCache
from pytest_mobileagent.judge.transcript import TranscriptFrame
from tests.judge.asking import screen

RED, BLUE, WHITE = (255, 0, 0), (0, 0, 255), (255, 255, 255)


def drawn(*actions: Action, how: Any = "image", **frame: Any) -> tuple[pillow.Image, Album]:
    album = Album(how, "c0de")
    given = TranscriptFrame(1, 0, screen("Wi-Fi", shade=0), actions, **frame)
    return pillow.open(io.BytesIO(album.picture(given).data)), album


def near(image: pillow.Image, place: tuple[int, int], color: tuple[int, int, int]) -> bool:
    """Return whether a pixel has a colour, within the precision of JPEG."""
    found: Any = image.getpixel(place)
    return all(abs(one - other) < 90 for one, other in zip(found, color, strict=True))


@pytest.mark.parametrize("action", [Tap(100, 300), LongPress(100, 300), DoubleTap(100, 300)])
@pytest.mark.parametrize("how", ["image", "text"])
def test_touch_is_a_red_dot(action: Action, how: str) -> None:
    image, _ = drawn(action, how=how)
    assert near(image, (100, 300), RED)
    assert near(image, (100, 340), (0, 0, 0))


@pytest.mark.parametrize(
    ("action", "places"),
    [
        (Swipe(50, 500, 50, 100), [(50, 300), (50, 490), (50, 110)]),
        (Scroll("up"), [(135, 300), (135, 440), (135, 160)]),
        (Scroll("left", at=(100, 50)), [(100, 50), (160, 50)]),
        (Swipe(50, 500, 50, 9000), [(50, 550)]),  # beyond the edge
        (Type("x", at=(30, 30)), [(30, 30)]),
    ],
)
def test_swipe_is_a_red_line(action: Action, places: list[tuple[int, int]]) -> None:
    image, _ = drawn(action)
    assert [place for place in places if not near(image, place, RED)] == []


def test_caption_strip_is_below_a_blue_line() -> None:
    image, album = drawn(Key("back"))
    assert image.width == 270
    assert near(image, (135, 602), BLUE)
    assert near(image, (265, image.height - 2), WHITE)
    assert 620 < image.height < 660
    strip = image.crop((0, 604, 270, image.height)).convert("L")
    assert min(strip.tobytes()) < 80  # has dark pixels: text
    assert album.words == []


def test_screenshots_without_actions_have_no_strip() -> None:
    assert drawn(is_last=True)[0].size == (270, 600)
    assert drawn(Key("back"), how="text")[0].size == (270, 600)
    untouched, _ = drawn(Tap(100, 300), how="none")
    assert near(untouched, (100, 300), (0, 0, 0))


@pytest.mark.parametrize("words", ["世界", "größer", "x" * 200])
def test_text_that_a_strip_cannot_show_is_listed_separately(words: str) -> None:
    _, album = drawn(Type(words), Type(words))
    assert len(album.words) == 1


def test_long_text_wraps_onto_several_lines() -> None:
    image, album = drawn(*[Type(f"some words {n}") for n in range(6)])
    assert image.height > 700
    assert album.words == []


def test_large_screenshot_is_scaled_but_its_strip_stays_readable() -> None:
    album = Album("image", "c0de")
    large = TranscriptFrame(1, 0, screen("Wi-Fi", size=(1080, 2400)), (Tap(10, 10),))
    image = pillow.open(io.BytesIO(album.picture(large).data))
    assert image.width == round(1080 * LONGEST_SIDE / 2400)
    assert LONGEST_SIDE < image.height < LONGEST_SIDE + 80


def test_invalid_coordinates_are_not_drawn() -> None:
    image, _ = drawn(Tap("here", None), Tap(float("nan"), 3))  # type: ignore[arg-type]
    assert image.height > 600


def test_picture_is_drawn_once_for_all_judges_and_votes() -> None:
    frame = TranscriptFrame(1, 0, screen("Wi-Fi", shade=3), (Tap(9, 9),))
    first, again = (Album("image", "c0de").picture(frame) for _ in range(2))
    assert first.data is again.data
    assert Album("image", "0ther").picture(frame).data != first.data
    assert "image" not in vars(frame.screen)  # decoded pictures are not kept


def test_cache_computes_a_value_once_and_drops_the_least_recently_used() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    kept: LruCache[str] = LruCache(2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(name, partial(make, name)) == name.upper()
    assert made == ["a", "b", "c", "b"]
