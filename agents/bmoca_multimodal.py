"""B-MoCA's agent with a multimodal language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.agent import Image
from pytest_mobileagent.perception import encode, resized

from .bmoca_text import BMocaText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent import Screen

SIZE = (256, 512)


class BMocaMultimodal(BMocaText):
    """Like `bmoca_text`, with the screenshot at 256x512 pixels: the paper's MLLM agent."""

    sees = ("screenshot", "hierarchy")

    def pictures(self, screen: Screen) -> Sequence[Image]:
        return (Image(encode(resized(screen.image, SIZE))),)
