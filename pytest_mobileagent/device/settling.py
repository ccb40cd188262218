"""How long drivers wait until the screen has settled."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.jsonable import decimal_number

if TYPE_CHECKING:
    from collections.abc import Mapping

HELP = "must be a number of seconds above 0, then any limits of apps: 5,com.instagram.android=30"


@dataclass(frozen=True, slots=True)
class Settle:
    """How long to wait, in seconds, until the screen has settled; `apps` have their own limits."""

    seconds: float = 5.0
    apps: Mapping[str, float] = field(default_factory=dict)

    def limit(self, package: str) -> float:
        """Return the limit, in seconds, for screens of an app."""
        return self.apps.get(package, self.seconds)


def parse_settle(text: str) -> Settle:
    """Parse `SECONDS[,PACKAGE=SECONDS…]`.

    Raises:
        ValueError: if the text does not have this form, or names an app twice.
    """
    first, *others = (word.strip() for word in text.split(","))
    apps: dict[str, float] = {}
    for word in others:
        package, equals, seconds = (part.strip() for part in word.partition("="))
        if not (equals and re.fullmatch(r"[\w.]+", package)):
            raise ValueError(HELP)
        if package in apps:
            raise ValueError(f"names {package} twice")
        apps[package] = _seconds(seconds)
    return Settle(_seconds(first), apps)


def _seconds(text: str) -> float:
    number = decimal_number(text)
    if number is None or number <= 0:
        raise ValueError(HELP)
    return number
