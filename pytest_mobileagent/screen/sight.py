"""What an agent may see of a screen (`--mobile-sees`): what is hidden, and what replaces it."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, get_args

from pytest_mobileagent.errors import AgentError

if TYPE_CHECKING:
    from collections.abc import Collection

    from pytest_mobileagent.screen import Screen

Part = Literal["screenshot", "hierarchy"]
Sight = Literal["screenshot", "hierarchy", "both"]
SIGHTS: tuple[Sight, ...] = get_args(Sight)
# Not written `<hierarchy/>`, which some programs take for a dump that failed, and repeat.
NO_HIERARCHY = (
    "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"></hierarchy>"
)


def hidden_part(sight: str) -> Part | None:
    """Return the part of a screen that agents must not see; None if they may see both."""
    hidden: dict[str, Part] = {"screenshot": "hierarchy", "hierarchy": "screenshot"}
    return hidden.get(sight)


def check_sight(sight: str, needed: Collection[str], *, plays: bool, who: str) -> None:
    """Check that an agent may see all it needs; one that `plays` solutions needs the whole screen.

    Raises:
        AgentError: if it may not; the message begins with `who` it is.
    """
    hidden = hidden_part(sight)
    if hidden is not None and (plays or hidden in needed):
        raise AgentError(f"{who} needs the {hidden} of each screen")


def seen_with(sight: str, screen: Screen) -> Screen:
    """Return a screen as an agent sees it: with an empty hierarchy, or with a black screenshot.

    What is not a part of the picture or the hierarchy remains: size, app, activity and time.

    Raises:
        ScreenError: if the screenshot's size cannot be read.
    """
    from pytest_mobileagent.screen import Screen

    hidden = hidden_part(sight)
    if hidden is None or (hidden == "screenshot" and screen.extent is not None):
        return screen  # nothing is hidden, or no screenshot was taken
    return Screen(
        NO_HIERARCHY if hidden == "hierarchy" else screen.xml,
        black(screen.size) if hidden == "screenshot" else screen.png,
        screen.package,
        screen.activity,
        screen.time,
        extent=screen.extent,
        notice=screen.notice,
    )


@lru_cache(maxsize=4)
def black(size: tuple[int, int]) -> bytes:
    """Return a black picture of (width, height) pixels as PNG, in Android's colours (RGBA)."""
    from PIL import Image  # heavy, so imported only when needed

    encoded = io.BytesIO()
    Image.new("RGBA", size, (0, 0, 0, 255)).save(encoded, "png", compress_level=9)
    return encoded.getvalue()
