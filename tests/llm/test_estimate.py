"""MobileAgentBench's estimate of tokens."""

from __future__ import annotations

import io

import pytest
from PIL import Image as pillow

from pytest_mobileagent.llm.model import Image, Message, Request
from pytest_mobileagent.llm.prices import image_tokens, input_tokens, text_tokens


def picture(width: int, height: int, kind: str = "PNG") -> Image:
    buffer = io.BytesIO()
    pillow.new("RGB", (width, height)).save(buffer, kind)
    return Image(buffer.getvalue())


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_four_characters_are_a_token(text: str, tokens: int) -> None:
    assert text_tokens(text) == tokens


def test_characters_count_and_not_bytes() -> None:
    assert text_tokens("图片" * 4) == 2


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        (1, 1, 85 + 170),
        (512, 512, 85 + 170),
        (513, 512, 85 + 2 * 170),
        (1080, 1920, 85 + 3 * 4 * 170),
        (1080, 2400, 85 + 3 * 5 * 170),
    ],
)
def test_a_picture_costs_by_its_tiles(width: int, height: int, tokens: int) -> None:
    assert image_tokens(width, height) == tokens


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_request_is_its_texts_and_pictures(kind: str) -> None:
    said = (
        Message("system", ("abcd",)),
        Message("user", ("efg", picture(600, 600, kind), picture(10, 10, kind))),
    )
    assert input_tokens(Request(said)) == 2 + (85 + 4 * 170) + (85 + 170)


@pytest.mark.parametrize("data", [b"", b"no picture", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"])
def test_a_picture_that_cannot_be_read_counts_as_one_tile(data: bytes) -> None:
    assert input_tokens(Request((Message("user", (Image(data),)),))) == 85 + 170
