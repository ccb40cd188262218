"""The spaces of observations and actions, for Gymnasium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
from gymnasium import spaces

from pytest_mobileagent.action.action import (
    Finish,
    Impossible,
    Key,
    KeyName,
    LongPress,
    Open,
    Scroll,
    Swipe,
    Tap,
    Type,
    Wait,
    check,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.action.action import Action
    from pytest_mobileagent.screen.screen import Screen

_WORDS: Final = ("milk", "12:30", "Ada", "yes")
Observation = dict[str, Any]


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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.kind is other.kind

    __hash__ = None  # type: ignore[assignment]


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
        x, y, to_x, to_y = (
            int(self.np_random.integers(0, most)) for most in (*self.size, *self.size)
        )
        text = str(self.np_random.choice(_WORDS))
        kinds: list[Action] = [
            Tap(x, y),
            LongPress(x, y),
            Swipe(x, y, to_x, to_y),
            Scroll(("up", "down", "left", "right")[int(self.np_random.integers(4))]),
            Type(text),
            Key(str(self.np_random.choice(get_args(KeyName)))),  # type: ignore[arg-type]
            Wait(0.1),
            Finish(text),
            Impossible(),
            *([Open(str(self.np_random.choice(self.apps)))] if self.apps else []),
        ]
        return kinds[int(self.np_random.integers(len(kinds)))]

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
        return isinstance(other, Actions) and vars(self).get("size") == vars(other).get("size")

    __hash__ = None  # type: ignore[assignment]


def observation_space(size: tuple[int, int], *, pictures: bool, pixels: bool) -> spaces.Dict:
    """Return the space of `observed`, for a screen of a size in pixels."""
    parts: dict[str, spaces.Space[Any]] = {"goal": Plain(str), "hierarchy": Plain(str)}
    if pixels:
        parts["screenshot"] = spaces.Box(0, 255, (size[1], size[0], 3), np.uint8)
    elif pictures:
        parts["screenshot"] = Plain(bytes)
    return spaces.Dict(parts)


def observed(goal: str, screen: Screen, size: tuple[int, int], space: spaces.Dict) -> Observation:
    """Return what an agent sees: the goal, the hierarchy in XML, and a screenshot.

    The screenshot is a PNG file, or an array of shape (height, width, 3). The array of a screen
    that has been rotated has its pixels turned by a quarter to the left, so that its shape fits.
    """
    found: Observation = {"goal": goal, "hierarchy": screen.xml}
    if isinstance(space.get("screenshot"), Plain):
        found["screenshot"] = screen.png
    elif "screenshot" in space.keys():  # noqa: SIM118 - a space has no other way to ask
        found["screenshot"] = pixels_of(screen, size)
    return found


def pixels_of(screen: Screen, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Return a screenshot as an array of shape (height, width, 3), black if there is none."""
    if not screen.png:
        return np.zeros((size[1], size[0], 3), np.uint8)
    pixels = np.asarray(screen.image.convert("RGB"))
    return pixels if pixels.shape[:2] == (size[1], size[0]) else np.rot90(pixels)
