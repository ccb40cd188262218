"""Environments in files: TOML with a list of tables, [[environment]]."""

from __future__ import annotations

import base64
import binascii
import shlex
import tomllib
from typing import TYPE_CHECKING

from pytest_mobileagent.environment.environment import BadEnvironmentError, Environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_mobileagent.device.device import System


ALL = "all"


def load(folders: Iterable[Path]) -> dict[str, Environment]:
    """Read every file *.toml of some folders, and return their environments by id.

    Raises:
        BadEnvironmentError: a file cannot be read or makes no sense; the text names it.
    """
    found: dict[str, Environment] = {}
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            for environment in _read(path):
                if environment.id in found:
                    msg = f"{path}: there is an environment {environment.id} already"
                    raise BadEnvironmentError(msg)
                found[environment.id] = environment
    return found


def _read(path: Path) -> list[Environment]:
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{path}: {error}"
        raise BadEnvironmentError(msg) from None
    tables = content.pop("environment", [])
    if content or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        msg = f"{path}: holds tables [[environment]], and nothing else"
        raise BadEnvironmentError(msg)
    environments = []
    for number, table in enumerate(tables, 1):
        try:
            environments.append(Environment.of(table))
        except BadEnvironmentError as error:
            msg = f"{path}: environment {table.get('id', f'number {number}')}: {error}"
            raise BadEnvironmentError(msg) from None
    return environments


def select(words: Iterable[str], known: Mapping[str, Environment]) -> list[Environment]:
    """Return the environments that are named: by id, range of ids ("100-104"), group, or "all".

    Raises:
        ValueError: there is no such id or group.
    """
    chosen: dict[str, Environment] = {}
    for word in words:
        found = _named(word, known)
        if not found:
            groups = sorted({each.group for each in known.values()} - {""})
            there = ", ".join(sorted(known)) or "none: no folder of environments is registered"
            msg = f"names {word!r}; there are {', '.join([ALL, *groups])} and {there}"
            raise ValueError(msg)
        chosen |= {environment.id: environment for environment in found}
    return list(chosen.values())


def _named(word: str, known: Mapping[str, Environment]) -> list[Environment]:
    if word in known:
        return [known[word]]
    first, _, last = word.partition("-")
    if first in known and last in known:
        ids = sorted(known)
        return [known[each] for each in ids[ids.index(first) : ids.index(last) + 1]]
    return [each for each in known.values() if word in (ALL, each.group)]


_PIECE = 60_000  # characters; Linux allows 128 KiB
_STAGE = "/data/local/tmp/mobileagent-file"


class RootError(Exception):
    """A file of the system's cannot be read or written; why."""


def get_file(system: System, path: str) -> bytes:
    """Read a file.

    Raises:
        RootError: it cannot be read.
    """
    said = system.shell(f"base64 {shlex.quote(path)}")
    try:
        return base64.b64decode("".join(said.split()), validate=True)
    except binascii.Error:
        msg = f"{path} cannot be read: {said.strip()[:200]}"
        raise RootError(msg) from None


def put_file(system: System, path: str, data: bytes, *, owner: str, mode: str) -> None:
    """Put a file into its place in one move, with its owner, mode and security label.

    Raises:
        RootError: it cannot be written.
    """
    text = base64.b64encode(data).decode()
    system.shell(f"rm -f {_STAGE}*")
    for start in range(0, len(text), _PIECE):
        system.shell(f"printf %s '{text[start : start + _PIECE]}' >>{_STAGE}.txt")
    target, near = shlex.quote(path), shlex.quote(f"{path}.new")
    said = system.shell(
        f"base64 -d {_STAGE}.txt >{_STAGE} && cp {_STAGE} {near} && chown {owner} {near}"
        f" && chmod {mode} {near} && mv -f {near} {target}"
        f" && {{ restorecon {target} 2>/dev/null; rm -f {_STAGE}*; echo done; }}"
    ).strip()
    if not said.endswith("done"):
        msg = f"{path} cannot be written: {said[:200]}"
        raise RootError(msg)
