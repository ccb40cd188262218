"""Which tests a run has: what chose them on pytest's command line, and `--mobile-shard=I/N`."""

from __future__ import annotations

import hashlib
import os.path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.items import case_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pytest_mobileagent.plugin.values import Shard


# Flags that choose tests, by the attributes of pytest's options.
_FLAGS = {
    "keyword": "-k",
    "markexpr": "-m",
    "deselect": "--deselect",
    "ignore": "--ignore",
    "ignore_glob": "--ignore-glob",
    "lf": "--last-failed",
    "stepwise": "--stepwise",
}


def selection(config: pytest.Config) -> dict[str, Any]:
    """Return what chose the tests, as run.json has it: `paths`, and each flag that was given.

    Paths are relative to the project, so that runs of two checkouts can be compared.
    """
    found = {flag: getattr(config.option, name, None) for name, flag in _FLAGS.items()}
    given = {flag: _jsonable(value) for flag, value in found.items() if value}
    return {"paths": sorted({_relative(config, each) for each in config.args}), **given}


def _relative(config: pytest.Config, argument: str) -> str:
    path, colons, test = argument.partition("::")
    whole = config.invocation_params.dir / path
    try:
        path = os.path.relpath(whole, config.rootpath)
    except ValueError:  # another drive
        path = str(whole)
    return f"{path.replace(os.sep, '/')}{colons}{test}"


def _jsonable(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, list | tuple) else value


WHOLE: pytest.StashKey[Sequence[pytest.Item]] = pytest.StashKey()  # before they were sharded


def keep_shard(config: pytest.Config, items: list[pytest.Item], shard: Shard) -> None:
    """Keep the tests of a shard in `items`, and report the others as deselected.

    All epochs and environments of a task are in one shard. Tests that are no tasks are distributed
    among the shards in the same way, apart from tasks.
    """
    config.stash[WHOLE] = tuple(items)
    cases = [case_of(item) for item in items]
    names = [
        item.nodeid if case is None else case.id for item, case in zip(items, cases, strict=True)
    ]
    tasks = {name for name, case in zip(names, cases, strict=True) if case is not None}
    part_of = parts(tasks, shard.parts) | parts(set(names) - tasks, shard.parts)
    is_ours = [part_of[name] == shard.number for name in names]
    left_out = [item for item, ours in zip(items, is_ours, strict=True) if not ours]
    items[:] = [item for item, ours in zip(items, is_ours, strict=True) if ours]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def parts(names: Collection[str], count: int) -> dict[str, int]:
    """Return the part, from 1, of each name; it is the same on every machine.

    Parts differ by one in size at most. A name goes to the part that suits it best of those that
    have room (rendezvous hashing, Thaler and Ravishankar 1998), so that a new one moves few.
    """
    each, more = divmod(len(names), count)
    sizes = dict.fromkeys(range(1, count + 1), 0)
    found = {}
    for name in sorted(names, key=lambda name: _hash(name, 0)):
        grown = sum(size > each for size in sizes.values())
        room = [n for n, size in sizes.items() if size < each or (size == each and grown < more)]
        found[name] = max(room, key=lambda part: _hash(name, part))
        sizes[found[name]] += 1
    return found


def _hash(name: str, part: int) -> bytes:
    return hashlib.sha256(f"{part} {name}".encode("utf-8", "surrogatepass")).digest()
