"""Mobile-Agent-v2's perception of a screen: texts, icons, and whether the keyboard is open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.agent import Image, Message
from pytest_mobileagent.perception import (
    Seen,
    encode,
    find_icons,
    is_editable,
    paragraphs,
    read_text,
)

if TYPE_CHECKING:
    from pytest_mobileagent import Screen
    from pytest_mobileagent.agent import Model
    from pytest_mobileagent.perception import TextBox

_CAPTION = "This is an icon of a phone's screen. Describe its shape and its colour in one sentence."
_KEYBOARD = "ADB Keyboard"
_KEYBOARD_FROM = 0.9  # of the screen's height
_SMALLEST = 10  # pixels; icons with sides up to this length are not described


@dataclass(frozen=True, slots=True)
class Perception:
    """A screen as the prompts describe it.

    `lines` are the texts as they were read; `seen` are paragraphs ("text: …") and icons ("icon", or
    "icon: …" with a description). `image` is the screenshot in full size.
    """

    size: tuple[int, int]
    image: Image
    lines: tuple[TextBox, ...]
    seen: tuple[Seen, ...]
    keyboard: bool

    def listing(self) -> str:
        """Return a line for each text or icon: its centre in pixels, and its description."""
        return "\n".join(f"{list(seen.bounds.center)}; {seen.words}" for seen in self.seen)


def perceive(screen: Screen, ocr: str, captioner: Model | None = None) -> Perception:
    """Return the texts and icons of a screen; a `captioner` describes the icons."""
    lines = read_text(screen.image, ocr)
    texts = [Seen(f"text: {each.words}", each.bounds) for each in paragraphs(lines)]
    icons = [Seen("icon", bounds) for bounds in find_icons(screen.image)]
    if captioner is not None:
        icons = [_described(icon, screen, captioner) for icon in icons]
    return Perception(
        screen.size,
        Image(encode(screen.image, "jpeg", quality=75)),
        lines,
        (*texts, *icons),
        _keyboard(screen, texts),
    )


def _described(icon: Seen, screen: Screen, captioner: Model) -> Seen:
    if min(icon.bounds.width, icon.bounds.height) <= _SMALLEST:
        return icon
    picture = encode(screen.image.crop(icon.bounds), "jpeg", quality=75)
    words = captioner.complete([Message("user", (Image(picture), _CAPTION))]).text
    return Seen(f"icon: {' '.join(words.split())}", icon.bounds)


def _keyboard(screen: Screen, texts: list[Seen]) -> bool:
    lowest = _KEYBOARD_FROM * screen.size[1]
    is_shown = any(_KEYBOARD in t.words and t.bounds.center[1] >= lowest for t in texts)
    return is_shown or any(e.focused and is_editable(e) for e in screen.elements)
