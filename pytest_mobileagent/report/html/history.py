"""The outcomes of a run's tasks in the earlier runs of its folder."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mobileagent.report.html.all_runs_page import Overview, written_overview
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.report.text.table import label

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


_MOST = 19  # runs before this one
_SIGNS = {True: "+", False: "-", None: "?"}
_ABSENT = " "


def add_history(index: dict[str, Any], run: Path, page: Path) -> None:
    """Add the outcomes of each task in the last runs before this one to the index of its page.

    `history` lists these runs, the oldest first, with the addresses of their pages relative to the
    folder `page`. The first row of each task gets its own `history`: a sign for each of the runs.
    Runs without an overview, such as interrupted ones, are left out.
    """
    found = list(islice(_before(run, str(index["run"].get("started") or "")), _MOST))
    found.sort(key=lambda each: each[1].started or "")
    index["history"] = [
        {
            "name": overview.label or overview.agent,
            "started": overview.started,
            "page": quote(os.path.relpath(folder / PAGE, page).replace(os.sep, "/")),
        }
        for folder, overview in found
    ]
    met = set()
    for row in index["tasks"]:
        name = label(row["id"], row["environment"])
        if name not in met:
            met.add(name)
            signs = "".join(
                _SIGNS[each.outcomes[name]] if name in each.outcomes else _ABSENT
                for _, each in found
            )
            row["history"] = signs if signs.strip() else None


def _before(run: Path, started: str) -> Iterator[tuple[Path, Overview]]:
    """Yield the folders and overviews of the runs beside a run that were started before it."""
    with suppress(OSError):
        for folder in sorted(run.parent.iterdir(), key=lambda each: each.name, reverse=True):
            overview = written_overview(folder)
            if overview is not None and (overview.started or "") < started:
                yield folder, overview
