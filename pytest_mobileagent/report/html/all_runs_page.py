"""The page of all runs in a folder: their results over time, and the tasks that changed.

Each run has a small file beside its report, `overview.json`, with everything that the page shows of
it, so a page of many runs does not need to read their reports.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pytest_mobileagent.episode.runs import INDEX
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import parse_json, read_text, write_json
from pytest_mobileagent.jsonable import read_as
from pytest_mobileagent.report.comparison.pairing import tallies
from pytest_mobileagent.report.html.page import pack, write
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.names import agent_name, models_of
from pytest_mobileagent.report.recorded_run import REPORT, is_run, report_of
from pytest_mobileagent.report.text import label
from pytest_mobileagent.report.text.narration import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pytest_mobileagent.report.entry import Report

OVERVIEW = "overview.json"
RUNS_PAGE = "runs.html"
VERSION = 2
_NUMBERS = ("tasks", "decided", "successes", "interval", "cost_usd", "unpriced_calls")


@dataclass(frozen=True, slots=True)
class Overview:
    """What the page of all runs shows of one run: the content of `overview.json`.

    - `label`: its name, if `--mobile-label` gave one.
    - `started`, `ended`: as in run.json; `ended` is None for an interrupted run.
    - `tasks`, `decided`, `successes`: counts of all tasks.
    - `suites`: the successes and the decided tasks of each suite, as a pair.
    - `interval`: of the success rate, at 95 %; None if no task was decided.
    - `gate`: the verdict of its gate; None without a gate.
    - `outcomes`: by the task's name, whether most of its decided epochs passed; None without any.
    """

    id: str
    agent: str
    label: str | None = None
    started: str | None = None
    ended: str | None = None
    device: str | None = None
    virtual: bool | None = None
    models: list[str] = field(default_factory=list)
    tasks: int = 0
    decided: int = 0
    successes: int = 0
    interval: list[float] | None = None
    cost_usd: float | None = None
    unpriced_calls: int = 0
    gate: str | None = None
    suites: dict[str, list[int]] = field(default_factory=dict)
    outcomes: dict[str, bool | None] = field(default_factory=dict)


def overview_of(whole: Report) -> Overview:
    """Return the overview of a run; `whole` is the content of its report.json."""
    about, tasks = whole["run"], whole["tasks"]
    summary = {**whole["summary"], **summarise(tasks)}
    own: dict[str, Any] = {n: about.get(n) for n in ("started", "ended", "device", "virtual")}
    gate = whole.get("gate")
    return Overview(
        id=str(about.get("id") or ""),
        agent=agent_name(str(about.get("agent") or "")),
        label=str(about["label"]) if about.get("label") else None,
        **own,
        models=models_of(about),
        **{name: summary[name] for name in _NUMBERS},
        gate=gate.get("verdict") if isinstance(gate, dict) else None,
        suites={
            name or "(no suite)": [each["successes"], each["decided"]]
            for name, each in summary["suites"].items()
        },
        outcomes={
            label(*key): tally.passes if tally.decided else None
            for key, tally in tallies(tasks).items()
        },
    )


def write_overview(run: Path, whole: Report) -> None:
    """Write the overview of a run beside its report, whose content is `whole`.

    Raises:
        OSError: if the overview cannot be written.
    """
    write_json(run / OVERVIEW, {"version": VERSION, **asdict(overview_of(whole))})


def read_overview(run: Path) -> Overview:
    """Return the overview of a run, from its file if that is up to date, else from its report.

    Raises:
        OSError, RecordError: if there is no current overview, and the report cannot be read.
    """
    if (written := written_overview(run)) is not None:
        return written
    whole = report_of(run)
    with suppress(OSError):
        write_overview(run, whole)
    return overview_of(whole)


def written_overview(run: Path) -> Overview | None:
    """Return the overview of a run from its file; None if that is missing, outdated or damaged."""
    path = run / OVERVIEW
    with suppress(OSError, ValueError, TypeError, LookupError):
        written = path.stat().st_mtime_ns
        sources = [run / name for name in (REPORT, INDEX) if (run / name).exists()]
        if all(source.stat().st_mtime_ns <= written for source in sources):
            data = parse_json(read_text(path))
            if data.pop("version") == VERSION:
                return read_as(Overview, data, OVERVIEW)
    return None


def write_runs_page(runs: Path, path: Path | None = None) -> Path:
    """Write the page of all runs in a folder, into that folder without a `path`; return its path.

    Raises:
        OSError: if the page cannot be written; an existing page is left unchanged.
    """
    page = path or runs / RUNS_PAGE
    rows, blocks = [], []
    latest: dict[tuple[str, tuple[str, ...]], dict[str, Any]] = {}
    for folder, overview, problem in _all(runs):
        row = {**asdict(overview), "folder": folder.name, "problem": problem}
        outcomes = row.pop("outcomes")
        series = (overview.agent, tuple(sorted(overview.suites)))
        row |= _changes(latest.get(series), outcomes)
        latest[series] = {"folder": folder.name, "outcomes": outcomes}
        relative = os.path.relpath(folder, page.parent).replace(os.sep, "/")
        row["page"] = f"{relative}/{PAGE}" if (folder / PAGE).is_file() else None
        row["path"] = relative
        row["beside"] = [each.stem.removeprefix("beside-") for each in folder.glob("beside-*.html")]
        rows.append(row)
        blocks.append((f"r:{folder.name}", pack(outcomes)))
    index = pack({"version": VERSION, "runs": rows})
    write(page, f"Runs in {runs.resolve().name}", [("index", index), *blocks], "runs")
    return page


def _all(runs: Path) -> Iterator[tuple[Path, Overview, str]]:
    """Yield the folder and the overview of each run, oldest first, and why it cannot be read."""
    found = []
    for folder in runs.iterdir():
        if is_run(folder):
            try:
                found.append((folder, read_overview(folder), ""))
            except (OSError, HostError, RecordError, ValueError) as error:
                found.append((folder, Overview(folder.name, ""), str(error)))
    return iter(sorted(found, key=lambda each: (each[1].started or "", each[0].name)))


def _changes(
    before: Mapping[str, Any] | None, outcomes: Mapping[str, bool | None]
) -> dict[str, Any]:
    """Return the tasks gained and lost since the previous run with the same agent and suites."""
    if before is None:
        return {"before": None, "gained": [], "lost": []}
    was = before["outcomes"]
    both = [name for name in outcomes if None not in (outcomes[name], was.get(name))]
    return {
        "before": before["folder"],
        "gained": [name for name in both if outcomes[name] and not was[name]],
        "lost": [name for name in both if was[name] and not outcomes[name]],
    }


_MOST = 19  # runs before this one
_SIGNS = {True: "+", False: "-", None: "?", "absent": " "}


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
            signs = "".join(_SIGNS[each.outcomes.get(name, "absent")] for _, each in found)
            row["history"] = signs if signs.strip() else None


def _before(run: Path, started: str) -> Iterator[tuple[Path, Overview]]:
    """Yield the folders and overviews of the runs beside a run that were started before it."""
    with suppress(OSError):
        for folder in sorted(run.parent.iterdir(), key=lambda each: each.name, reverse=True):
            overview = written_overview(folder)
            if overview is not None and (overview.started or "") < started:
                yield folder, overview
