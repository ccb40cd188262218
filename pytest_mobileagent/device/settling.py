"""Waiting until the screen has settled: until two observations in a row are equal, or a limit."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_mobileagent.jsonable import decimal_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HELP = "must be a number of seconds above 0, then any limits of apps: 5,com.instagram.android=30"
_LOOKS_WITHOUT_TREE = 3  # in a row, at least, before the device counts as broken
_PAUSE = 0.05  # seconds before a hierarchy is requested again
L = TypeVar("L", bound="Look")


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


class Look(Protocol):
    """An observation that can be compared: two are equal if their pixels or their trees are."""

    @property
    def png(self) -> bytes:
        """The screenshot; empty if there is none, or it does not show the page."""

    @property
    def xml(self) -> str | None:
        """The view hierarchy; None if the device returned none."""

    @property
    def is_whole(self) -> bool:
        """Whether all that was asked for is there, or will not be there later either."""

    @property
    def package(self) -> str:
        """The app that has the focus."""


def settled(
    take: Callable[[], L],
    settle: Settle,
    no_tree: Callable[[L], Exception],
    shot: bytes | None = None,
    tree: str | None = None,
) -> L:
    """Observe until two observations in a row are equal, or the app's time limit has passed.

    `shot` and `tree` are of an earlier observation, if there is one. Hierarchies are compared too,
    as a blinking cursor keeps changing pixels. A look that fails while a page changes is repeated
    until the limit, too. `no_tree` returns the error that is raised if the device keeps returning
    no hierarchy.
    """
    started = time.monotonic()
    failures = 0
    while True:
        look = take()
        failures = failures + 1 if look.xml is None else 0
        late = time.monotonic() - started > settle.limit(look.package)
        if look.xml is None:
            if late and failures >= _LOOKS_WITHOUT_TREE:
                raise no_tree(look)
            time.sleep(_PAUSE)
        elif late or (look.is_whole and ((look.png and look.png == shot) or look.xml == tree)):
            return look
        shot, tree = look.png, look.xml
