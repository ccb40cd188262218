"""How tasks and differences are written in lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def label(id: str, environment: str | None = None) -> str:
    """Return a task's id, with its environment if it has one, as a terminal may print it."""
    return printable(f"{id}[env{environment}]" if environment else id)


def shortener(ids: Iterable[str]) -> Callable[[str], str]:
    """Return what takes from an id the folders that all these ids have in common."""
    folders = [each.partition("[")[0].split("/")[:-1] for each in ids]
    shared = 0
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared += 1

    def short(id: str) -> str:
        head, bracket, rest = id.partition("[")
        return "/".join(head.split("/")[shared:]) + bracket + rest

    return short


def points(share: float) -> str:
    """Return a difference of shares in points, with its sign."""
    return f"{100 * share + 0.0:+.1f}".replace("-0.0", "+0.0")
