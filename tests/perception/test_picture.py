"""Tests of pictures as they are encoded for a model."""

from __future__ import annotations

import io
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_mobileagent.dialect.dialect import Frame
from pytest_mobileagent.perception.picture import encode, fit, resized, scaled, smart_size, square

SCREEN = Image.new("RGB", (1080, 2400), "white")


def reopened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_an_encoded_picture_can_be_opened(mode: str, kind) -> None:
    image = reopened(encode(Image.new(mode, (10, 20)), kind))
    assert image.size == (10, 20)
    assert image.format == kind.upper()


def test_png_keeps_every_pixel() -> None:
    noise = Image.effect_noise((50, 50), 90).convert("RGB")
    assert reopened(encode(noise)).tobytes() == noise.tobytes()


def test_lower_quality_takes_fewer_bytes() -> None:
    noise = Image.effect_noise((200, 200), 90)
    assert len(encode(noise, "jpeg", 30)) < len(encode(noise, "jpeg", 95))


@pytest.mark.parametrize(
    ("image", "size"),
    [
        (scaled(SCREEN, 0.5), (540, 1200)),
        (scaled(SCREEN, 0.0001), (1, 1)),
        (scaled(SCREEN, 1), (1080, 2400)),
        (fit(SCREEN, 1120), (504, 1120)),
        (fit(SCREEN, 2400), (1080, 2400)),
        (fit(SCREEN, 5000), (1080, 2400)),
        (fit(SCREEN, 1), (1, 1)),
        (square(SCREEN, 448), (448, 448)),
        (resized(SCREEN, (256, 512)), (256, 512)),
    ],
)
def test_a_picture_is_scaled(image: Image.Image, size: tuple[int, int]) -> None:
    assert image.size == size


def test_a_scaled_picture_is_never_the_one_that_was_given() -> None:
    assert scaled(SCREEN, 1) is not SCREEN
    assert fit(SCREEN, 9999) is not SCREEN


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
