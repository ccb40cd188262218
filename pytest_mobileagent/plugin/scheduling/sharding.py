"""`--mobile-shard=I/N`: which tests a machine runs of those that N machines share."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.plugin.items import case_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pytest_mobileagent.plugin.values import Shard

WHOLE: pytest.StashKey[Sequence[pytest.Item]] = pytest.StashKey()  # before there were parts


def keep_shard(config: pytest.Config, items: list[pytest.Item], shard: Shard) -> None:
    """Leave in `items` those of a part, and report the others as deselected.

    All epochs and environments of a task are in one part. Tests that are no tasks are shared among
    the parts in the same way, for themselves.
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
    """Return the part, from 1, that each of some names is in, wherever that is asked.

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
