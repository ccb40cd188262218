"""What gets in an agent's way: the kinds of noise, and how the option names them.

Noise on the screen is drawn from templates: `template` reads them, `layout` places their parts on a
screen, `drawing` draws them, and `cover` puts them on a screenshot and its view hierarchy. The
wrapper around a device (`device.wrappers`) decides when noise appears and what a touch on it does.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_mobileagent.jsonable import decimal_number

ADS = ("countdown-ad", "late-ad", "redirect-ad")
# What is drawn over the screen. A toast lets touches through, and is gone after the next action.
SHOWN = (
    "popup", *ADS, "update", "login", "vip", "permission", "rating", "tutorial", "toast",
)  # fmt: skip
ACTIONS = ("unexecuted", "delayed", "repeated")  # what becomes of an action
KINDS = (*SHOWN, *ACTIONS)
GROUPS = {"ad": ADS, "screen": SHOWN, "action": ACTIONS}
# These kinds ask for no reaction, so an agent can neither handle nor miss them.
PASSING = frozenset({"toast", "repeated"})


@dataclass(frozen=True, slots=True)
class NoiseChoice:
    """How often noise comes, as a share of actions from 0 to 1, and which kinds of it."""

    rate: float
    kinds: tuple[str, ...] = KINDS


def parse_choice(text: str) -> NoiseChoice:
    """Read `RATE[,KIND…]`; without a kind, all kinds are meant. A kind may be a group of kinds.

    Raises:
        ValueError: the rate is not a number from 0 to 1, or there is no such kind.
    """
    first, *words = (word.strip() for word in text.split(","))
    rate = decimal_number(first)
    if rate is None or not 0 <= rate <= 1:
        msg = "has to begin with a rate from 0 to 1, and may name kinds: 0.2,ad,popup"
        raise ValueError(msg)
    return NoiseChoice(rate, kinds_of(words) if words else KINDS)


def kinds_of(words: list[str]) -> tuple[str, ...]:
    """Return the kinds that words name, each once and in the order of `KINDS`.

    Raises:
        ValueError: there is no such kind.
    """
    for word in words:
        if word not in KINDS and word not in GROUPS:
            every = ", ".join((*KINDS, *GROUPS))
            msg = f"names {word!r}, which is not a kind of noise; the kinds are {every}"
            raise ValueError(msg)
    named = {kind for word in words for kind in GROUPS.get(word, (word,))}
    return tuple(kind for kind in KINDS if kind in named)
