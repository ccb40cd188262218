"""How long to wait for a screen to come to rest, by app."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

HELP = "has to be seconds above 0, and may name apps with their own: 5,com.instagram.android=30"


@dataclass(frozen=True, slots=True)
class Settle:
    """The most seconds to wait after an action until two looks are equal; some apps need others."""

    seconds: float = 5.0
    apps: Mapping[str, float] = field(default_factory=dict)

    def limit(self, package: str) -> float:
        """Return the seconds for a screen of an app."""
        return self.apps.get(package, self.seconds)


def parse_settle(text: str) -> Settle:
    """Read `SECONDS[,PACKAGE=SECONDS…]`.

    Raises:
        ValueError: it is not so written.
    """
    first, *others = (word.strip() for word in text.split(","))
    apps = {}
    for word in others:
        package, equals, seconds = (part.strip() for part in word.partition("="))
        if not (package and equals):
            raise ValueError(HELP)
        apps[package] = _seconds(seconds)
    return Settle(_seconds(first), apps)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError(HELP) from None
    if not 0 < number < math.inf:
        raise ValueError(HELP)
    return number
