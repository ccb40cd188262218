"""Snapshots that are also kept in a folder, so that they outlive the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_mobileagent.virtual.snapshots.snapshots import Snapshot, Snapshots

_SUFFIX = ".snapshot"


class Album:
    """The snapshots of a phone, with a copy of each that is saved in `folder`, if one is given."""

    def __init__(self, snapshots: Snapshots, folder: Path | None) -> None:
        self._snapshots = snapshots
        self.folder = folder
        self.loaded = ""  # the name of the last one
        self.on_load: Callable[[], object] = lambda: None
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
            for file in sorted(folder.glob(f"*{_SUFFIX}"), key=lambda file: file.stat().st_mtime):
                snapshots.add(unquote(file.name.removesuffix(_SUFFIX)), file.read_bytes())

    def save(self, name: str) -> None:
        """Keep the present under a name."""
        self._snapshots.save(name)
        if self.folder:
            draft = self._file(self.folder, name).with_suffix(".draft")
            draft.write_bytes(self._snapshots.dump(name))
            draft.replace(self._file(self.folder, name))

    def load(self, name: str) -> None:
        """Go back; KeyError if there is no such snapshot."""
        self._snapshots.load(name)
        self.loaded = name
        self.on_load()

    def delete(self, name: str) -> None:
        """Forget one; KeyError if there is no such snapshot."""
        self._snapshots.delete(name)
        if self.folder:
            self._file(self.folder, name).unlink(missing_ok=True)

    def all(self) -> dict[str, Snapshot]:
        """Every snapshot by name, oldest first."""
        return {name: self._snapshots[name] for name in self._snapshots.names()}

    def _file(self, folder: Path, name: str) -> Path:
        return folder / f"{quote(name, safe='')}{_SUFFIX}"
