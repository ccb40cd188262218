"""Tests of re-encoding screenshots: the pixels stay the same, or nothing is encoded."""

from __future__ import annotations

import io
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pytest_mobileagent import Screen
from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.screen.picture import HEADER, as_png, as_webp, is_webp, size_of
from pytest_mobileagent.testing import make_screen


def png_of(image: Image.Image, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", **options)
    return file.getvalue()


def gradient(mode: str, width: int = 90, height: int = 70) -> Image.Image:
    """Return a picture in which adjacent pixels always differ, so a PNG of it is large."""
    image = Image.new("RGBA", (width, height))
    places = [(x, y) for y in range(height) for x in range(width)]
    image.putdata([(x * 7 % 256, y * 5 % 256, x * y % 251, (x + y) % 256) for x, y in places])
    return image.convert(mode)


def pixels(picture: bytes) -> bytes:
    return Image.open(io.BytesIO(picture)).convert("RGBA").tobytes()


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_packed_pictures_have_the_same_pixels_also_where_they_are_transparent(mode):
    png = png_of(gradient(mode))
    packed = as_webp(png)
    assert packed is not None
    assert is_webp(packed)
    assert len(packed) < len(png)
    assert pixels(packed) == pixels(png) == pixels(as_png(packed))
    assert size_of(packed[:HEADER]) == size_of(png[:HEADER]) == size_of(as_png(packed)) == (90, 70)


@given(st.integers(1, 16_383), st.integers(1, 3))
def test_the_size_of_packed_pictures_is_read_from_their_header(width, height):
    packed = io.BytesIO()
    Image.new("RGB", (width, height)).save(packed, "WEBP", lossless=True, method=0)
    assert size_of(packed.getvalue()) == (width, height)


def test_colour_profiles_are_kept_and_the_size_is_still_known():
    packed = as_webp(png_of(gradient("RGB"), icc_profile=b"profile"))
    assert packed is not None
    assert Image.open(io.BytesIO(as_png(packed))).info["icc_profile"] == b"profile"
    assert size_of(packed) == (90, 70)


def test_pictures_that_webp_cannot_represent_or_that_are_damaged_are_not_packed():
    other = [gradient("RGB").convert(mode) for mode in ("L", "LA", "P", "1")]
    for image in (*other, Image.new("I;16", (90, 70), 999), gradient("RGB", 16_384, 1)):
        assert as_webp(png_of(image)) is None, image.mode
    png = png_of(gradient("RGB"))
    assert as_webp(png[:-40]) is None
    assert as_webp(b"") is None
    assert as_webp(png_of(gradient("RGB"), transparency=(0, 0, 0))) is None


@pytest.mark.parametrize("picture", [b"", b"RIFF", b"RIFF\0\0\0\0WEBPVP8 " + bytes(20), b"JFIF"])
def test_an_invalid_picture_has_no_size(picture):
    with pytest.raises(ScreenError, match="is not a PNG image: it begins"):
        size_of(picture)


def test_damaged_packed_pictures_are_errors_of_the_screen():
    packed = as_webp(png_of(gradient("RGB")))
    assert packed is not None
    screen = Screen.recorded("", "a" * 32, lambda: packed[:60], where="step 1: a.webp")
    with pytest.raises(ScreenError, match="the screenshot cannot be decoded"):
        _ = screen.png
    with pytest.raises(ScreenError, match="the screenshot cannot be decoded"):
        _ = screen.image


def test_screens_are_equal_by_what_was_seen_however_their_pictures_are_kept():
    png = png_of(gradient("RGB"))
    packed, seen = as_webp(png), Screen("<a/>", png, "a", time=datetime(2026, 1, 1))
    assert packed is not None
    kept = Screen.recorded("<a/>", seen.key, lambda: packed, package="a", time=datetime(2026, 1, 1))
    assert kept == seen
    assert hash(kept) == hash(seen)
    assert kept.image.tobytes() == seen.image.tobytes()
    assert kept != Screen("<a/>", make_screen().png, "a", time=datetime(2026, 1, 1))
    assert kept != Screen("<b/>", png, "a", time=datetime(2026, 1, 1))
    assert kept != "a screen"
