"""An episode that is still being written, read back as far as it goes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pytest_mobileagent.episode.reader import assemble
from pytest_mobileagent.episode.record import EpisodeRecord
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError

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
            with (self._folder / STREAM).open("rb") as stream:
                stream.seek(self._offset)
                lines, end, _ = stream.read().rpartition(b"\n")  # without a line under way
            self._offset += len(lines) + len(end)
            self._records += map(json.loads, lines.split(b"\n") if end else ())
            return assemble(self._folder, self._kind, self._records, self._screens)
        except (LookupError, TypeError, ValueError, AttributeError, OSError) as error:
            msg = f"{self._folder} cannot be read while it grows: {type(error).__name__}: {error}"
            raise RecordError(msg) from error
