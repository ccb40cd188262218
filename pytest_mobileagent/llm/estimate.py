"""MobileAgentBench's estimate of tokens, for endpoints that report none and to compare with.

One token for 4 characters of text; for a picture 85 tokens, and 170 for each tile of 512x512
pixels; input and output are counted, helper models such as OCR are not (arXiv 2406.08184,
"Metrics", after OpenAI's rule for gpt-4-vision-preview in high detail, without its scaling).
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.llm.message import Image, Request

HELPERS = frozenset({"captioner", "grounder", "ocr"})  # roles that the estimate leaves out
_CHARACTERS, _TILE, _BASE, _EACH = 4, 512, 85, 170


def text_tokens(text: str) -> int:
    """Return how many tokens a text is reckoned to have."""
    return math.ceil(len(text) / _CHARACTERS)


def image_tokens(width: int, height: int) -> int:
    """Return how many tokens a picture of so many pixels is reckoned to have."""
    return _BASE + _EACH * math.ceil(width / _TILE) * math.ceil(height / _TILE)


def input_tokens(request: Request) -> int:
    """Return how many tokens a request is reckoned to have; one of unknown size as one tile."""
    pictures = (image_tokens(*(_size(image) or (_TILE, _TILE))) for image in request.images)
    return text_tokens(request.text) + sum(pictures)


def _size(image: Image) -> tuple[int, int] | None:
    from PIL import Image as pillow  # noqa: N813 - a heavy library

    try:
        with pillow.open(io.BytesIO(image.data)) as opened:  # reads the header only
            return opened.size
    except (OSError, ValueError, SyntaxError, pillow.DecompressionBombError):
        return None
