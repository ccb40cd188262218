"""The spaces of observations and actions, for Gymnasium, and screenshots as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
from gymnasium import spaces

from pytest_mobileagent.action.action import (
    Finish,
    Impossible,
    Key,
    KeyName,
    Open,
    Type,
    Wait,
    check,
)
from pytest_mobileagent.action.gestures import LongPress, Scroll, Swipe, Tap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.screen.screen import Screen

_WORDS: Final = ("milk", "12:30", "Ada", "yes")


class Plain(spaces.Space[Any]):
    """All texts (`str`), such as XML, or all PNG files (`bytes`), which are empty if unknown."""

    def __init__(self, kind: type[str | bytes]) -> None:
        super().__init__()
        self.kind = kind

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a word, or an empty picture."""
        return str(self.np_random.choice(_WORDS)) if self.kind is str else b""

    def contains(self, x: Any) -> bool:
        """Return whether a value is of the space's kind."""
        return isinstance(x, self.kind)


TEXT, PNG = Plain(str), Plain(bytes)


class Actions(spaces.Space[Any]):
    """The actions on a screen of a size in pixels (see `pytest_mobileagent.action`).

    With `words`, a model's reply as text is an action, too, which a dialect reads.
    """

    def __init__(
        self, size: tuple[int, int], apps: Sequence[str] = (), *, words: bool = False
    ) -> None:
        super().__init__()
        self.size, self.apps, self.words = size, tuple(apps), words

    def sample(self, mask: Any = None, probability: Any = None) -> Action:
        """Return a random action, each kind of which is as likely as any other."""
        dice = self.np_random
        (x, y), (to_x, to_y) = dice.integers(0, self.size, (2, 2)).tolist()
        text = str(dice.choice(_WORDS))
        kinds: list[Action] = [
            Tap(x, y),
            LongPress(x, y),
            Swipe(x, y, to_x, to_y),
            Scroll(("up", "down", "left", "right")[dice.integers(4)]),
            Type(text),
            Key(get_args(KeyName)[dice.integers(len(get_args(KeyName)))]),
            Wait(0.1),
            Finish(text),
            Impossible(),
            *(Open(str(app)) for app in self.apps and [dice.choice(self.apps)]),
        ]
        return kinds[dice.integers(len(kinds))]

    def contains(self, x: Any) -> bool:
        """Return whether a value is an action that fits the screen."""
        if isinstance(x, str):
            return self.words
        try:
            check(x, self.size)
        except (TypeError, ValueError, AttributeError):
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Actions) and self.size == other.size

    __hash__ = None  # type: ignore[assignment]


def pixels_of(screen: Screen, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Return a screenshot as an array of shape (height, width, 3), black if there is none.

    That of a screen that has been rotated is turned by a quarter to the left, so its shape fits.
    """
    if not screen.png:
        return np.zeros((size[1], size[0], 3), np.uint8)
    pixels = np.asarray(screen.image.convert("RGB"))
    return pixels if pixels.shape[:2] == (size[1], size[0]) else np.rot90(pixels)
