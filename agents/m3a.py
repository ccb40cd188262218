"""M3A, the multimodal agent of AndroidWorld."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.agent import Image
from pytest_mobileagent.perception import draw_m3a, encode, m3a_lines

from ._androidworld import GUIDANCE, ROLE, AndroidWorldAgent, paper_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image as Picture

    from pytest_mobileagent.perception import Mark

    from ._androidworld import Look

JPEG_QUALITY = 75
LABEL_SIZE = (150, 30)


class M3A(AndroidWorldAgent):
    """Receives the screenshot with and without marks, and a list of the elements.

    Source: google-research/android_world, agents/m3a.py, whose code we follow; the wording of the
    prompts is our own. Two calls per step, of one message each, with two pictures in the screen's
    own size as JPEG: to select, the screenshot with and without marks; to summarise, the marked
    ones before and after the action. Both of the latter have a label in the corner, as the prompt
    says (the original forgets the first one).
    """

    sees = ("screenshot", "hierarchy")
    published = paper_settings("m3a.py", pause=2.0)
    role_text = ROLE.format(
        given="At each step you see the screenshot, once as it is and once with numbered boxes"
        " around elements, and in words what you have done so far.",
        named="by the number at the top left of its box",
    )
    screen_text = (
        "You are given the present screenshot, and the same with numbered boxes. These are details"
        " of elements, under the same numbers (scroll to those that are not visible before you"
        " use them):"
    )
    compared_text = (
        'You are given the marked screenshot before the action, with "before" in the bottom right'
        ' corner, and the one after it, with "after" there.'
    )
    guidance_text = GUIDANCE.format(
        visible="For `click`, `long_press` and `input_text`, use only numbers of elements that are"
        " in the list and to be seen in the screenshot."
    )
    summary_length = "better of less than 50 words"
    history_line = "Step {number}- {line}"

    def listed(self, marks: Sequence[Mark]) -> str:
        return m3a_lines(marks)

    def pictures(self, look: Look) -> Sequence[Image]:
        return (_sent(look.screen.image), _sent(_marked(look)))

    def compared(self, before: Look, after: Look) -> Sequence[Image]:
        labels = (("before", before), ("after", after))
        return [_sent(_labelled(_marked(look), label)) for label, look in labels]


def _marked(look: Look) -> Picture:
    return draw_m3a(look.screen.image, look.marks)


def _labelled(picture: Picture, label: str) -> Picture:
    """Return the picture with a label in its bottom right corner."""
    from PIL import ImageDraw, ImageFont

    width, height = picture.size
    left, top = width - LABEL_SIZE[0], height - LABEL_SIZE[1]
    drawn = picture.copy()
    draw = ImageDraw.Draw(drawn)
    draw.rectangle((left, top, width, height), fill="white")
    draw.text((left + 30, top), label, fill="black", font=ImageFont.load_default(24))
    return drawn


def _sent(picture: Picture) -> Image:
    return Image(encode(picture, "jpeg", JPEG_QUALITY))
