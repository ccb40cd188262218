"""The properties of a phone that noise must fit, the state of noise, and its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.screen.element import Bounds


@dataclass(frozen=True, slots=True)
class Look:
    """The properties of a phone that noise must fit.

    `size` is in pixels, `density` in dpi. `mirrored` says whether the phone's language is written
    from right to left. `package` is the app in front, to which most noise appears to belong.
    """

    size: tuple[int, int]
    density: int = 420
    font_scale: float = 1.0
    dark: bool = False
    mirrored: bool = False
    package: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a piece of noise.

    `page`: the page of a tutorial, from 0. `left`: how many actions remain until the noise closes
    by itself or can be closed. `opened`: whether the page that the noise leads to is on the screen.
    """

    page: int = 0
    left: int = 0
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of noise, both as it is drawn and as it appears in the view hierarchy.

    - `role`: how it is drawn. `bounds`: in pixels of the screen.
    - `text`, `description`, `id`: text, content description and resource id of its element.
    - `lines`, `size`: the text as it is wrapped, and its font size in pixels.
    - `does`: what a touch does, as in `Button`; empty if touches go to the enclosing part.
    - `parts`: the parts inside it.
    """

    role: str
    bounds: Bounds
    text: str = ""
    description: str = ""
    id: str = ""
    does: str = ""
    lines: tuple[str, ...] = ()
    size: int = 0
    parts: tuple[Part, ...] = ()

    def iter(self) -> Iterator[Part]:
        """Yield this part and all parts inside it, in drawing order."""
        yield self
        for part in self.parts:
            yield from part.iter()

    def at(self, x: int, y: int) -> str:
        """Return the `does` of the topmost part at a pixel, skipping parts without one.

        The result is empty if no part there reacts to touches.
        """
        each = (part for part in self.iter() if part.does and part.bounds.contains(x, y))
        return next((part.does for part in reversed(list(each))), "")
