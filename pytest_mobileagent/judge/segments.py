"""Where in an episode each app of a cross-app task was used (SPA-Bench, appendix E.2)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import TaskError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class SplitError(Exception):
    """An app was not used, or not in its turn, so that the task failed; the text says which."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The screens from `first` to `last`, between which no other app of a list was used."""

    app: str
    first: int
    last: int


def check_apps(apps: Sequence[str]) -> None:
    """Check that adjacent subtasks use different apps.

    Raises:
        TaskError: there are none, or two in a row use the same.
    """
    if not apps:
        msg = "judge: a cross-app task needs subtasks"
        raise TaskError(msg)
    for number, (one, next_one) in enumerate(pairwise(apps), 1):
        if one == next_one:
            msg = (
                f"judge: subtasks {number} and {number + 1} both use {one}; make one of them: "
                "adjacent subtasks use different apps"
            )
            raise TaskError(msg)


def visits(packages: Iterable[str], apps: Iterable[str]) -> list[Visit]:
    """Return the visits to apps of a list, in order; `packages` are those of all screens.

    What belongs to no app of the list (launcher, system, keyboard, detours to other apps, screens
    of which no package is known) ends no visit: only another app of the list does.
    """
    wanted, found = set(apps), list[Visit]()
    for index, package in enumerate(packages):
        if package not in wanted:
            continue
        if found and found[-1].app == package:
            found[-1] = Visit(package, found[-1].first, index)
        else:
            found.append(Visit(package, index, index))
    return found


def split(packages: Sequence[str], apps: Sequence[str]) -> list[range]:
    """Return the screens of each subtask, whose apps are given, in their order.

    Where apps were visited more often than the list says, several assignments of visits to subtasks
    are in order. A subtask gets all screens from its visit in the earliest of them to its visit in
    the latest, so that no way of doing the task right is cut off; then the screens of neighbours
    overlap. The screen that leaving the app led to is the last one.

    Raises:
        SplitError: an app was not visited, or not in this order.
    """
    found = visits(packages, apps)
    earliest = _in_order(found, apps)
    missing = len(earliest)
    if missing < len(apps):
        app = apps[missing]
        if all(visit.app != app for visit in found):
            raise SplitError(f"{app} was never used")
        raise SplitError(f"{app} was not used {_after(apps, missing)}")
    backwards = _in_order(found[::-1], apps[::-1])
    latest = [len(found) - 1 - number for number in reversed(backwards)]
    return [
        range(found[a].first, min(found[b].last + 2, len(packages)))
        for a, b in zip(earliest, latest, strict=True)
    ]


def _after(apps: Sequence[str], missing: int) -> str:
    before = apps[missing - 1]
    return f"after {before}, as subtask {missing + 1}"


def _in_order(found: Sequence[Visit], apps: Sequence[str]) -> list[int]:
    """Return the first visits that fit a list of apps in order, as far as there are any."""
    numbers: list[int] = []
    for number, visit in enumerate(found):
        if len(numbers) < len(apps) and visit.app == apps[len(numbers)]:
            numbers.append(number)
    return numbers
