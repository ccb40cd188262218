"""An episode that is still being written, read back as far as it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pytest_mobileagent.episode.reader import assemble
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import new_lines, parse_json

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_mobileagent.screen.screen import Screen

E = TypeVar("E", bound=EpisodeRecord)


class GrowingEpisode(Generic[E]):
    """The episode in a folder, as an object of `kind`: every line and every screen is read once."""

    def __init__(self, folder: Path, kind: type[E]) -> None:
        self._folder = folder
        self._kind = kind
        self._offset = 0
        self._records: list[dict[str, Any]] = []
        self._screens: dict[int, Screen] = {}

    def read(self) -> E:
        """Return the episode as it is now; it has not ended, so far as is recorded.

        Raises:
            RecordError: it cannot be read, or has not even a first screen.
        """
        try:
            lines, self._offset = new_lines(self._folder / STREAM, self._offset)
            self._records += map(parse_json, lines)
            return assemble(self._folder, self._kind, self._records, self._screens)
        except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            msg = f"{self._folder} cannot be read while it grows: {type(error).__name__}: {error}"
            raise RecordError(msg) from error
