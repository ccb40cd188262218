"""Environments in files: TOML with a list of tables, [[environment]]."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from pytest_mobileagent.environment.environment import BadEnvironmentError, Environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

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
