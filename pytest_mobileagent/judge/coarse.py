"""The coarse stage: an episode that never shows its key components fails without asking a model.

Source: SPA-Bench (arXiv 2410.15164), section 5.2 and appendix D.1.
"""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import ScreenError, TaskError
from pytest_mobileagent.judge.pictures import Kept
from pytest_mobileagent.screen.ocr import read_text
from pytest_mobileagent.screen.text import folded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from pytest_mobileagent.episode.record import EpisodeRecord
    from pytest_mobileagent.screen.ocr import OcrEngine
    from pytest_mobileagent.screen.screen import Screen


@dataclass(frozen=True, slots=True)
class Coarse:
    """What the coarse stage found.

    - `found`: the place in `episode.screens` of the last screenshot with all key components; None
      if none has them all: the task failed then.
    - `nearest`: the place of the one that lacks the fewest, the last of several; `missing`: what it
      lacks. With nothing missing it is the one that was `found`.
    - `read`: how many different screenshots were looked at.
    """

    found: int | None
    missing: tuple[str, ...] = ()
    nearest: int | None = None
    read: int = 0

    @property
    def passed(self) -> bool:
        """Whether a screenshot has all key components, so that judges have to be asked."""
        return self.found is not None

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, as the evidence of a verdict."""
        return {
            "found": self.found,
            "nearest": self.nearest,
            "missing": list(self.missing),
            "read": self.read,
        }


def coarse(
    episode: EpisodeRecord,
    components: Sequence[str],
    read: Callable[[Screen], str] | None = None,
) -> Coarse:
    """Look for a screenshot with all key components, from the last one backwards.

    Components and text are compared in lower case, without spaces, compatibility forms folded (see
    `screen.text.folded`): each component has to be a part of the text of one and the same
    screenshot. `read` gives a screenshot's text; by default OCR does, once for each picture. It
    stops at the first screenshot that fits. Without components the last one does, unread.

    Raises:
        TaskError: a component has nothing that can be seen.
        ScreenError: a screenshot cannot be decoded, and none of the others fits.
        MissingExtraError: nothing is installed that reads text in pictures.
    """
    screens = episode.screens
    wanted = {component: _compared(component) for component in components}
    if empty := [component for component, text in wanted.items() if not text]:
        msg = f"judge: key_components has {empty[0]!r}, which has no visible letter"
        raise TaskError(msg)
    if not wanted:
        return Coarse(len(screens) - 1, nearest=len(screens) - 1)
    read = read or reader()
    nearest: Coarse | None = None
    seen: set[bytes] = set()
    broken: ScreenError | None = None
    for place in reversed(range(len(screens))):
        screen = screens[place]
        if screen.png in seen:
            continue
        seen.add(screen.png)
        try:
            text = _compared(read(screen))
        except ScreenError as error:
            broken = broken or error
            continue
        missing = tuple(component for component, each in wanted.items() if each not in text)
        if not missing:
            return Coarse(place, (), place, len(seen))
        if nearest is None or len(missing) < len(nearest.missing):
            nearest = Coarse(None, missing, place)
    if broken is not None:
        raise broken
    assert nearest is not None  # an episode has a last screen
    return Coarse(None, nearest.missing, nearest.nearest, len(seen))


def reader(engine: str | OcrEngine = "rapidocr") -> Callable[[Screen], str]:
    """Return a function that reads a screenshot's text by OCR, each picture once in this process.

    The lines stand in reading order, a space between two (see `screen.ocr.read_text`).
    """

    def read(screen: Screen) -> str:
        def text() -> str:
            image = copy.copy(screen).image  # what is decoded is not kept with the episode
            return " ".join(box.text for box in read_text(image, engine))

        return _texts.get((engine, hashlib.sha256(screen.png).digest()), text)

    return read


_texts: Kept[str] = Kept(4096)  # a few kB each


def _compared(text: str) -> str:
    return folded(text).lower()
