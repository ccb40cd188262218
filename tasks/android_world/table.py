"""The table of AndroidWorld's tasks, and what of each task AndroidWorld itself tells.

AndroidWorld (arXiv 2405.14573) has 116 tasks. The table follows commit d9c569f of its repository,
with its ids, levels, tags and optimal steps; `step_limit` is ten times its complexity. Goals and
parameters differ by seed and epoch, so they are the library's own.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

from pytest_mobileagent import rows
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import digest
from pytest_mobileagent.releases import Template

from .library import HELPER, LIBRARY, VERSION, is_named, version, warn
from .solutions import SOLUTIONS

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SOURCE = "AndroidWorld"
CACHES: list[Any] = []  # pytest's cache, once it is known


def official(_: Path) -> dict[str, str]:
    """Return the goals of a checkout: for each task, what it draws (see `draw`)."""
    return {row.id: Template("{goal}") for row in rows("tasks.csv", columns={"goal": "id"})}


ROWS = rows("tasks.csv", columns={"goal": "id"}, wording=official)


def fields() -> dict[str, dict[str, Any]]:
    """Return the fields of the tasks beyond their columns, by id."""
    found: dict[str, dict[str, Any]] = {row.id: {} for row in ROWS}
    for name, own in found.items():
        if is_named():
            own["parameters"] = partial(draw, name)
        if name in SOLUTIONS:
            own["solution"] = partial(solve, name)
    return found


def draw(name: str, _: random.Random, seed: int, epoch: int) -> dict[str, Any]:
    """Return the goal of a task and its parameters, and what they are drawn from.

    Raises:
        TaskError: if the library cannot be used, or has no such task.
    """
    told = tell(seed, epoch)
    if isinstance(told, str):
        raise TaskError(told)
    if name not in told["goals"]:
        why = told["broken"].get(name, f"there is no such task in its version {version()[:7]}")
        raise TaskError(f"AndroidWorld's {name}: {why}")
    return {**told["goals"][name], "instance": [seed, epoch]}


def solve(name: str, values: Mapping[str, Any]) -> Sequence[Any]:
    """Return the moves that do a task with these parameters."""
    return SOLUTIONS[name](values["params"])


@cache
def tell(seed: int, epoch: int) -> dict[str, Any] | str:
    """Return what the library tells of all tasks for a seed and an epoch, or why it cannot be used.

    It is kept in pytest's cache, unless the version of the library is not known.
    """
    try:
        return _told(seed, epoch)
    except TaskError as error:
        return str(error)


def _told(seed: int, epoch: int) -> dict[str, Any]:
    commit = version()
    if not commit.startswith(VERSION):
        found = commit[:7] or "an unknown commit"
        warn(
            f"AndroidWorld is at {found}, and the suite's table follows {VERSION}; it is run anyway"
        )
    key = f"android_world/{commit}-{digest(HELPER.read_text('utf-8'))[:8]}/{seed}-{epoch}"
    kept = CACHES[0].get(key, None) if CACHES and commit else None
    if isinstance(kept, dict) and {"goals", "broken"} <= kept.keys():
        return kept
    told = LIBRARY.goals(seed, epoch)
    if CACHES and commit:
        CACHES[0].set(key, told)
    return told
