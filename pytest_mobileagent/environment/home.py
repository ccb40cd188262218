"""Where icons are on the home screen: rows of the launcher's database (Launcher3 and its kin)."""

from __future__ import annotations

import random
import shlex
import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from pytest_mobileagent.environment.transfer import RootError, get_file, put_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.device.device import System

DESKTOP, HOTSEAT = -100, -101  # containers
COLUMNS, ROWS, PAGES = 5, 5, 3
_APPS = "cmd package query-activities --components -a android.intent.action.MAIN"
_HOME = "cmd package resolve-activity --components -a android.intent.action.MAIN"
_INTENT = (
    "#Intent;action=android.intent.action.MAIN;category=android.intent.category.LAUNCHER;"
    "launchFlags=0x10200000;component={};end"
)


class Place(NamedTuple):
    """Where an icon is."""

    container: int
    screen: int
    x: int
    y: int


def apply_layout(system: System, seed: int) -> None:
    """Spread the icons of all apps over the home screen, and have the launcher read that.

    Raises:
        RootError: the launcher keeps no such database.
    """
    launcher = _components(system.shell(f"{_HOME} -c android.intent.category.HOME"))[0]
    package = launcher.partition("/")[0]
    apps = sorted(_components(system.shell(f"{_APPS} -c android.intent.category.LAUNCHER")))
    path = f"/data/data/{package}/databases/launcher.db"
    data = _with_icons(
        get_file(system, path), dict(zip(apps, places(len(apps), seed), strict=True))
    )
    name = shlex.quote(path)
    owner = system.shell(f"stat -c %u:%g {name}").strip()
    put_file(system, path, data, owner=owner, mode="660")
    system.shell(f"rm -f {name}-wal {name}-shm {name}-journal; am force-stop {package}")


def places(count: int, seed: int) -> list[Place]:
    """Return a place for each of so many icons: in order for seed 0, else at random.

    The first row of the first page belongs to the launcher.
    """
    seats = [Place(HOTSEAT, x, x, 0) for x in range(COLUMNS)]
    pages = max(PAGES, -(-count // (COLUMNS * (ROWS - 1))))
    cells = [
        Place(DESKTOP, page, x, y)
        for page in range(pages)
        for y in range(ROWS)
        for x in range(COLUMNS)
        if page or y
    ]
    if seed == 0:
        return [*seats, *cells][:count]
    return random.Random(seed).sample([*seats, *cells], count)


def _components(said: str) -> Sequence[str]:
    lines = [line.strip() for line in said.splitlines()]
    found = [line for line in lines if "/" in line and " " not in line]
    if not found:
        msg = f"nobody answers: {said.strip()[:200]}"
        raise RootError(msg)
    return found


def _with_icons(data: bytes, icons: dict[str, Place]) -> bytes:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(data)
        connection.execute("DELETE FROM favorites")
        for number, (component, place) in enumerate(icons.items(), 1):
            connection.execute(
                "INSERT INTO favorites (_id, title, intent, container, screen, cellX, cellY,"
                " spanX, spanY, itemType) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 1, 0)",
                (number, component, _INTENT.format(component), *place),
            )
        connection.commit()
        return connection.serialize()
    except sqlite3.Error as error:
        msg = f"the launcher's database is none that can be changed: {error}"
        raise RootError(msg) from None
    finally:
        connection.close()
