"""The unexpected side effects of an episode, as they are recorded beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.fileio import read_json, write_json, writing
from pytest_mobileagent.jsonable import expect

if TYPE_CHECKING:
    from pathlib import Path

FILE = "side_effects.json"


@dataclass(frozen=True, slots=True)
class SideEffect:
    """One change that nobody asked for: where, such as "settings system/volume_music", and what."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class SideEffects:
    """What an agent changed on the phone beside its task.

    - `found`: the changes.
    - `unknown`: what could not be read, such as the databases of apps without root. Without
      changes, the phone is only clean if this is empty.
    - `is_filtered`: whether what the task's solution changes was taken off; if not, `found` may
      contain what the task asks for.
    """

    found: tuple[SideEffect, ...] = ()
    unknown: tuple[str, ...] = ()
    is_filtered: bool = True

    @property
    def count(self) -> int | None:
        """The number of side effects; None if it is not known."""
        is_known = self.is_filtered and (self.found or not self.unknown)
        return len(self.found) if is_known else None

    @property
    def listed(self) -> list[str]:
        """The changes in words, and what is not known about them."""
        told = [f"unknown: {', '.join(self.unknown)}"] if self.unknown else []
        if not self.is_filtered:
            told.append("unfiltered: what the task asks for is among them")
        return [*map(str, self.found), *told]

    def write(self, folder: Path) -> None:
        """Write the side effects into the folder of their episode.

        Raises:
            HostError: if the file cannot be written.
        """
        found = [{"where": each.where, "what": each.what} for each in self.found]
        whole = {"found": found, "unknown": list(self.unknown), "filtered": self.is_filtered}
        with writing(folder / FILE):
            write_json(folder / FILE, redacted(whole))

    @classmethod
    def read(cls, folder: Path) -> SideEffects | None:
        """Return the side effects recorded in a folder; None if there are none.

        Raises:
            TypeError, ValueError, LookupError: if the file has other content.
            OSError: if it cannot be read.
        """
        path = folder / FILE
        if not path.exists():
            return None
        whole: Any = expect(read_json(path), dict, FILE)
        found = expect(whole["found"], list, "found")
        return cls(
            tuple(SideEffect(str(each["where"]), str(each["what"])) for each in found),
            tuple(map(str, expect(whole["unknown"], list, "unknown"))),
            bool(whole["filtered"]),
        )
