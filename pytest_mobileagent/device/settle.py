"""Waiting until a screen has come to rest: two observations in a row that are equal, or a limit."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from pytest_mobileagent.plain import plain_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HELP = "has to be seconds above 0, and may name apps with their own: 5,com.instagram.android=30"


_LOOKS_WITHOUT_TREE = 3  # in a row, before the device counts as broken
L = TypeVar("L", bound="Look")


@dataclass(frozen=True, slots=True)
class Settle:
    """The most seconds to wait after an action until the screen rests; some apps need others."""

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
    apps: dict[str, float] = {}
    for word in others:
        package, equals, seconds = (part.strip() for part in word.partition("="))
        if not (equals and re.fullmatch(r"[\w.]+", package)):
            raise ValueError(HELP)
        if package in apps:
            msg = f"names {package} twice"
            raise ValueError(msg)
        apps[package] = _seconds(seconds)
    return Settle(_seconds(first), apps)


def _seconds(text: str) -> float:
    number = plain_number(text)
    if number is None or number <= 0:
        raise ValueError(HELP)
    return number


class Look(Protocol):
    """What is compared: two observations are equal if either their pixels or their trees are."""

    @property
    def png(self) -> bytes:
        """The screenshot."""

    @property
    def xml(self) -> str | None:
        """The view hierarchy; None if there was none to be had."""

    @property
    def package(self) -> str:
        """The app that has the focus."""


def settled(
    take: Callable[[], L], settle: Settle, shot: bytes | None, no_tree: Callable[[L], Exception]
) -> L:
    """Observe until two in a row are equal, or until the app's seconds are over.

    `shot` is a screenshot from before the first observation, if there is one. A cursor that blinks
    changes pixels for ever, but not the hierarchy. `no_tree` makes the error of observations
    without a tree.
    """
    started = time.monotonic()
    tree, failures = None, 0
    while True:
        look = take()
        failures = failures + 1 if look.xml is None else 0
        if failures == _LOOKS_WITHOUT_TREE:
            raise no_tree(look)
        patience = settle.limit(look.package)
        equal = look.png == shot or look.xml == tree
        if look.xml is not None and (equal or time.monotonic() - started > patience):
            return look
        shot, tree = look.png, look.xml
