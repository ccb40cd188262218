"""Noise, and what it looks like: the kinds of pop-ups, ads and tampered actions, and their drawing.

Noise on the screen is drawn from templates: `template` reads them, `layout` places their parts on a
screen, `drawing` draws them, and `cover` adds them to a screenshot and its view hierarchy.
`injection` is about texts that give orders to the agent. All of this is a function of a screen and
a template; it needs no device. `device.noisy` decides when noise appears and what actions do to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.jsonable import decimal_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.screen.element import Bounds


ADS = ("countdown-ad", "late-ad", "redirect-ad")
# Kinds that are drawn over the screen. A toast lets touches through, and the next action ends it.
OVERLAYS = (
    "popup", *ADS, "update", "login", "vip", "permission", "rating", "tutorial", "toast",
)  # fmt: skip
ACTIONS = ("unexecuted", "delayed", "repeated")  # kinds that tamper with an action instead
KINDS = (*OVERLAYS, *ACTIONS)
NAMED = ("injection",)  # kinds that occur only when named
GROUPS = {"ad": ADS, "screen": OVERLAYS, "action": ACTIONS}
# These kinds call for no reaction, so an agent can neither handle nor miss them.
PASSING = frozenset({"toast", "repeated", *NAMED})


@dataclass(frozen=True, slots=True)
class NoiseChoice:
    """How often noise appears, as a share of actions from 0 to 1, and which kinds of noise."""

    rate: float
    kinds: tuple[str, ...] = KINDS


def parse_choice(text: str) -> NoiseChoice:
    """Parse `RATE[,KIND…]`. A kind may also be a group of kinds; no kind selects all `KINDS`.

    Raises:
        ValueError: if the rate is not a number from 0 to 1, or a kind is unknown.
    """
    first, *words = (word.strip() for word in text.split(","))
    rate = decimal_number(first)
    if rate is None or not 0 <= rate <= 1:
        msg = "must begin with a rate from 0 to 1, optionally followed by kinds, as in 0.2,ad,popup"
        raise ValueError(msg)
    return NoiseChoice(rate, kinds_of(words) if words else KINDS)


def kinds_of(words: list[str]) -> tuple[str, ...]:
    """Return the kinds named by `words`, without duplicates and in a fixed order.

    Raises:
        ValueError: if a kind is unknown.
    """
    kinds = (*KINDS, *NAMED)
    for word in words:
        if word not in kinds and word not in GROUPS:
            every = ", ".join((*kinds, *GROUPS))
            raise ValueError(f"names {word!r}, which is not a kind of noise; the kinds are {every}")
    named = {kind for word in words for kind in GROUPS.get(word, (word,))}
    return tuple(kind for kind in kinds if kind in named)


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
        """Return the `does` of the topmost part at a pixel that has one; empty if none has."""
        each = (part for part in self.iter() if part.does and part.bounds.contains(x, y))
        return next((part.does for part in reversed(list(each))), "")
