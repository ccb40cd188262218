"""Tests of pictures as they are encoded for a model."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from pytest_mobileagent import Bounds, Screen
from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.perception.marks import Mark, appagent_grid, m3a_marks
from pytest_mobileagent.perception.picture import (
    draw_appagent,
    draw_grid,
    draw_letters,
    draw_m3a,
    draw_som,
    encode,
    fit,
    resized,
    scaled,
    smart_size,
    square,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SCREEN = Image.new("RGB", (1080, 2400), "white")


def reopened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_an_encoded_picture_can_be_opened(mode: str, kind) -> None:
    image = reopened(encode(Image.new(mode, (10, 20)), kind))
    assert (image.size, image.format) == ((10, 20), kind.upper())


def test_png_keeps_every_pixel_and_a_lower_quality_of_jpeg_takes_fewer_bytes() -> None:
    noise = Image.effect_noise((50, 50), 90).convert("RGB")
    assert reopened(encode(noise)).tobytes() == noise.tobytes()
    assert len(encode(noise, "jpeg", 30)) < len(encode(noise, "jpeg", 95))


@pytest.mark.parametrize(
    ("scale", "by", "size"),
    [
        (scaled, 0.5, (540, 1200)),
        (scaled, 0.0001, (1, 1)),
        (scaled, 1, (1080, 2400)),
        (fit, 1120, (504, 1120)),
        (fit, 2400, (1080, 2400)),
        (fit, 5000, (1080, 2400)),
        (fit, 1, (1, 1)),
        (square, 448, (448, 448)),
        (resized, (256, 512), (256, 512)),
    ],
)
def test_a_picture_is_scaled(scale: Any, by: Any, size: tuple[int, int]) -> None:
    assert scale(SCREEN, by).size == size
    assert scale(SCREEN, by) is not SCREEN


@given(st.integers(0, 1079), st.integers(0, 2399), st.floats(0.1, 1))
def test_points_of_a_scaled_picture_are_found_again(x: int, y: int, factor: float) -> None:
    frame = Frame((1080, 2400), shown=(int(1080 * factor), int(2400 * factor)))
    assert frame.pixel(*frame.point(x, y)) == (x, y)


@pytest.mark.parametrize(
    ("size", "bounds", "expected"),
    [
        ((1080, 2400), {}, (1092, 2408)),
        ((1080, 1920), {}, (1092, 1932)),
        ((1092, 2408), {}, (1092, 2408)),
        ((1080, 2400), {"most": 1280 * 28 * 28}, (672, 1484)),
        ((100, 100), {}, (280, 280)),
        ((50, 100), {}, (224, 420)),
        ((1080, 2400), {"factor": 32, "least": 65536, "most": 16777216}, (1088, 2400)),
    ],
)
def test_smart_sizes_are_those_of_qwens_own_code(size, bounds, expected) -> None:
    assert smart_size(*size, **bounds) == expected


@given(st.integers(20, 4000), st.integers(20, 4000))
def test_smart_sizes_are_multiples_within_bounds(width: int, height: int) -> None:
    wide, high = smart_size(width, height)
    assert wide % 28 == high % 28 == 0
    assert 100 * 28 * 28 <= wide * high <= 16384 * 28 * 28
    if min(wide, high) > 280:
        assert math.isclose(wide / high, width / height, rel_tol=0.15)


@pytest.mark.parametrize("size", [(1, 201), (0, 10), (10, 0), (-5, 5)])
def test_a_thread_of_pixels_has_no_smart_size(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="too narrow"):
        smart_size(*size)


WAYS: list[Callable[..., Image.Image]] = [
    draw_appagent,
    draw_grid,
    draw_m3a,
    draw_som,
    draw_letters,
]
BOUNDS = Bounds(200, 300, 500, 400)


def grey(width: int = 1080, height: int = 2400) -> Image.Image:
    return Image.new("RGB", (width, height), (128, 128, 128))


def colours(image: Image.Image) -> set[tuple[int, ...]]:
    return {colour for _, colour in image.convert("RGB").getcolors(10**7) or []}  # type: ignore[misc]


def changed(before: Image.Image, after: Image.Image) -> Bounds:
    box = ImageChops.difference(before, after).getbbox()
    assert box is not None
    return Bounds(*box)


@pytest.mark.parametrize("draw", WAYS)
def test_drawing_gives_a_new_picture_that_is_the_same_each_time(draw) -> None:
    before, marks = grey(), [Mark(str(n), Bounds(9 * n, 9 * n, 300, 400 + n)) for n in range(9)]
    after = draw(before, marks)
    assert after.size == before.size
    assert before.tobytes() == grey().tobytes()
    assert after.tobytes() == draw(before, marks).tobytes() != before.tobytes()
    assert draw(before, []).tobytes() == before.tobytes()
    for mode in ("RGBA", "L", "P"):
        assert draw(before.convert(mode), marks[:1]).mode == "RGB"


@pytest.mark.parametrize("draw", WAYS)
def test_marks_at_and_over_edges_are_drawn_as_far_as_they_can_be(draw) -> None:
    edges = [
        *((-50, -50, 20, 20), (1070, 2390, 1200, 2600), (0, 0, 0, 0), (5, 5, 5, 9)),
        *((2000, 0, 2100, 9), (500, 400, 200, 300), (0, 9, 5, 2), (-(10**9), 0, 10**9, 10)),
        (10**9,) * 4,
    ]
    assert draw(grey(), [Mark("100", Bounds(*edge)) for edge in edges]).size == (1080, 2400)
    assert draw(grey(8, 5), [Mark("123", Bounds(0, 0, 8, 5))]).size == (8, 5)


def test_appagents_number_begins_right_of_and_below_the_centre() -> None:
    after = draw_appagent(grey(), [Mark("12", BOUNDS)])
    box = changed(grey(), after)
    assert box[:2] == BOUNDS.center
    inside = colours(after.crop(box))
    assert min(inside) == (69, 69, 69)  # a blend of half grey and half the dark background
    assert max(inside) == (255, 250, 250)  # the light digits


def test_appagents_labels_are_light_on_dark_apps() -> None:
    black = Image.new("RGB", (1080, 2400))
    after = draw_appagent(black, [Mark("12", BOUNDS)], dark=True)
    assert after.getpixel(BOUNDS.center) == (127, 125, 125)


def test_appagents_label_at_the_corner_is_moved_inside() -> None:
    after = draw_appagent(grey(), [Mark("12", Bounds(1060, 2380, 1080, 2400))])
    box = changed(grey(), after)
    assert (box.right, box.bottom) == (1080, 2400)
    assert box.width > 40


def test_m3as_rectangle_is_green_and_its_tag_white_around_its_number() -> None:
    after = draw_m3a(grey(), [Mark("4", BOUNDS)])
    assert after.getpixel((200, 300)) == after.getpixel((500, 400)) == (0, 255, 0)
    assert after.getpixel((230, 320)) == after.getpixel((235, 325)) == (255, 255, 255)
    assert after.getpixel((237, 326)) == (128, 128, 128)
    assert (0, 0, 0) in colours(after.crop((201, 301, 235, 325)))
    for label in ("8", "88", "888"):
        beside = draw_m3a(grey(), [Mark(label, BOUNDS)]).crop((236, 303, 490, 390))
        assert colours(beside) == {(128, 128, 128)}


def test_set_of_marks_has_thick_lines_in_colours_that_differ() -> None:
    marks = [Mark(str(n), Bounds(100, 100 * n, 900, 100 * n + 90)) for n in range(1, 20)]
    after = draw_som(grey(), marks)
    colours = [after.getpixel((899, 100 * n + 88)) for n in range(1, 20)]
    assert len(set(colours)) == 19
    assert after.getpixel((896, 150)) == colours[0]
    assert after.getpixel((895, 150)) == (128, 128, 128)


def test_letters_stand_at_the_bottom_left() -> None:
    after = draw_letters(grey(), [Mark("AB", BOUNDS)])
    assert after.getpixel((200, 399)) == (0, 0, 0)
    assert after.getpixel((350, 350)) == (128, 128, 128)


def test_a_grid_has_lines_between_cells_and_a_number_in_each() -> None:
    after = draw_grid(grey(), appagent_grid((1080, 2400)))
    assert after.getpixel((120, 60)) == after.getpixel((60, 120)) == (113, 116, 255)
    for column, row in [(0, 0), (4, 7), (8, 19)]:
        cell = after.crop((column * 120 + 2, row * 120 + 2, column * 120 + 118, row * 120 + 60))
        assert (0, 0, 0) in colours(cell)


def test_real_screens_are_drawn_on(recordings: Path) -> None:
    folder = recordings / "aitk" / "qwen25vl_stuck_trajectory"
    for name in ("step_0", "step_1"):
        png = (folder / "screenshots" / f"{name}.png").read_bytes()
        screen = Screen((folder / "xmls" / f"{name}.xml").read_text("utf-8"), png)
        for draw in WAYS:
            assert changed(screen.image, draw(screen.image, m3a_marks(screen))).width > 100
