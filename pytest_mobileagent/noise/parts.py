"""What noise has to fit on a phone, what has become of it, and the parts that it consists of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.screen.element import Bounds


@dataclass(frozen=True, slots=True)
class Look:
    """What noise has to fit on a phone: size in pixels, density in dots per inch, and so on.

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
    """What has become of a piece of noise so far.

    `page`: of a tutorial, from 0. `left`: the actions until it closes by itself, or can be closed.
    `opened`: whether the page is shown to which it leads.
    """

    page: int = 0
    left: int = 0
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of noise, as it is drawn and as it stands in the hierarchy.

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
        """Return what a touch at a pixel does: that of the topmost part there which does anything.

        Empty if no part is there that does.
        """
        each = (part for part in self.iter() if part.does and part.bounds.contains(x, y))
        return next((part.does for part in reversed(list(each))), "")
