"""Finding a program by what the user wrote: a command, an adapter file, or the name of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.program.adapter.adapter import COMMAND, BadAdapterError, from_command
from pytest_mobileagent.program.adapter.reading import read_adapter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_mobileagent.program.adapter.adapter import Adapter


def find_program(reference: str, folders: Iterable[Path]) -> Adapter | None:
    """Return the adapter that `--agent` names: cmd:COMMAND, FILE.toml, or NAME.toml of a folder.

    None if it names no program. The last of the folders wins, as with other agents.

    Raises:
        BadAdapterError: it cannot be used.
    """
    if reference.startswith(COMMAND):
        return from_command(reference)
    if reference.endswith(".toml"):
        return read_adapter(Path(reference))
    if not reference or "/" in reference or ":" in reference:
        return None
    for folder in reversed(list(folders)):
        path = folder / f"{reference}.toml"
        others = (folder / f"{reference}.py", folder / reference / "__init__.py")
        other = next((each for each in others if each.is_file()), None)
        if path.is_file() and other is not None:
            msg = f"--agent={reference} could be {path} or {other}: name the file"
            raise BadAdapterError(msg)
        if path.is_file():
            return read_adapter(path)
        if other is not None:
            return None
    return None
