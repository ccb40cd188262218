"""The properties of a phone that noise has to fit, the state of noise, and its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.screen.element import Bounds


@dataclass(frozen=True, slots=True)
class Look:
    """The properties of a phone that noise has to fit: size in pixels, density in dpi, and so on.

    `package` is the app in front, to which most noise seems to belong.
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

    `page`: the page of a tutorial, from 0. `left`: how many actions remain until it closes by
    itself or can be closed. `opened`: whether the page to which it leads is shown.
    """

    page: int = 0
    left: int = 0
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of noise, as it is drawn and as it appears in the view hierarchy.

    - `role`: what it is drawn as. `bounds`: in pixels of the screen.
    - `text`, `description`, `id`: as elements have them; `lines`, `size`: how the text is written.
    - `does`: what a touch does, as in `Button`; empty if touches go to the part around it.
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
        """Yield this part and all below it, in the order in which they are drawn."""
        yield self
        for part in self.parts:
            yield from part.iter()

    def at(self, x: int, y: int) -> str:
        """Return the `does` of the topmost part at a pixel that has one; empty if none has.

        Parts without one pass the touch on to the part around them.
        """
        each = (part for part in self.iter() if part.does and part.bounds.contains(x, y))
        return next((part.does for part in reversed(list(each))), "")
