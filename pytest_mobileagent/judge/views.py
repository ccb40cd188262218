"""Screens one after the other, numbered, as a model is shown them without what was done."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import ScreenError
from pytest_mobileagent.judge.fence import Data
from pytest_mobileagent.judge.outline import outline
from pytest_mobileagent.judge.pictures import LONGEST_SIDE
from pytest_mobileagent.llm.message import Image
from pytest_mobileagent.perception.picture import encode, fit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.judge.fence import Part
    from pytest_mobileagent.judge.question import Evidence


def numbered(
    episode: EpisodeRecord,
    screens: Iterable[int],
    evidence: Evidence = "screens",
    side: int = LONGEST_SIDE,
) -> list[Part]:
    """Return the screens at some places of an episode, each under its number (its place plus 1).

    They are pictures, whose longest side has at most `side` pixels, or outlines of hierarchies.
    """
    parts: list[Part] = []
    for place in screens:
        screen = episode.screens[place]
        if evidence == "xml":
            parts.append(Data(f"screen-{place + 1}", outline(screen)))
            continue
        parts.append(f"Screenshot {place + 1}:")
        try:
            parts.append(Image(encode(fit(copy.copy(screen).image, side), "jpeg"), detail="high"))
        except ScreenError:
            parts.append("(missing)")
    return parts
