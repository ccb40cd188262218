"""The index of a run's page: a row for each task and epoch, and the folders of its attempts."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import AGENTS_FAULT
from pytest_mobileagent.episode.exchanges import STREAM as CALLS
from pytest_mobileagent.episode.findings import TRIALS
from pytest_mobileagent.episode.reader import head_of
from pytest_mobileagent.episode.runs import inside, slug
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.jsonable import cut, mapping, to_wire
from pytest_mobileagent.report.html.trajectory import JUDGES
from pytest_mobileagent.report.metrics.doubtful import broke
from pytest_mobileagent.report.names import agent_name, run_name
from pytest_mobileagent.report.published_settings import in_words, unlike_preset
from pytest_mobileagent.report.text.lists import early_goals, notices
from pytest_mobileagent.report.text.narration import FAILURES, nearest, without_names
from pytest_mobileagent.verdict import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pytest_mobileagent.report.entry import Entry, Report


VERSION = 2
_RUN = (
    "id", "agent", "label", "started", "ended", "device", "virtual", "models", "judges", "command",
    "fingerprints", "versions", "shard", "resumed", "rescored_from", "merged_from", "price_table",
)  # fmt: skip
_ROW = (
    "id", "nodeid", "suite", "app", "kind", "level", "language", "tags", "epoch", "environment",
    "outcome", "unclear", "success", "fault", "termination", "steps", "golden_steps", "step_ratio",
    "first_success_step", "seconds", "cost_usd", "input_tokens", "output_tokens", "partial_credit",
    "premature", "overdue", "calls", "actions", "thinking_seconds", "acting_seconds", "attempt",
    "as_run", "crashes", "step_accuracy", "changed_unasked",
)  # fmt: skip
_LONG, _SHORT = 300, 200  # characters of a reason, and of a condition


def index_data(run: Path, whole: Report, mark: str = "") -> dict[str, Any]:
    """Return the index of a run's page; `whole` is the content of report.json.

    `mark` is a prefix for the names of its episodes, which distinguishes two runs on one page.
    """
    about = whole["run"]
    shown = {name: about[name] for name in _RUN if name in about}
    shown.setdefault("ended", None)
    shown |= {"name": run_name(about), "agent": agent_name(str(about.get("agent") or ""))}
    early = early_goals(whole["tasks"])
    given = (about.get("options") or {}).items()  # version 1 recorded none
    options = {n: each.get("value") for n, each in given if each.get("source") != "default"}
    index = {
        "version": VERSION,
        "live": False,
        "run": {**shown, "options": options},
        "notice": " ".join([*(f"{line}." for line in early), *notices(about)]) or None,
        "summary": whole["summary"],
        "gate": whole.get("gate"),
        "comparison": whole.get("comparison"),
        "flips": whole.get("flips"),
        "published": [
            {**each, "differs_in": in_words(each["differs_in"])}
            for each in whole.get("published", ())
        ],
        "unlike_preset": in_words(unlike_preset(run, about, whole["tasks"])),
        "tasks": [row(run, task, about, mark) for task in whole["tasks"]],
    }
    return dict(to_wire(index))


def row(run: Path, task: Entry, about: Mapping[str, Any], mark: str = "") -> dict[str, Any]:
    """Return the row of an entry in the page's list; `about` is "run" in report.json."""
    evidence = task.verdict["evidence"] if task.verdict else {}
    judges = (task.roles or {}).get("judge")
    folders = attempts(run, task)
    head = head_of(folders[-1]) if folders else {}
    return {
        **{name: getattr(task, name) for name in _ROW},
        # An older run did not record it.
        "cause": (task.cause or without_names(task.reason) or "unknown")
        if task.outcome in FAILURES
        else None,
        "error": _cut(_error(task), _LONG),
        "judge_cost_usd": judges and judges.cost_usd,
        "suspect": f"{broke(task)}: the agent?" if task.suspect else "",
        "reason": _cut(task.reason, _LONG),
        "expected": _cut(evidence.get("expected"), _SHORT),
        "actual": _cut(evidence.get("actual"), _SHORT),
        "sought": _cut(evidence.get("sought"), _SHORT),
        "closest": _cut(_closest(task, evidence), _SHORT),
        "scorer": task.verdict and task.verdict["scorer"],
        "infrastructure": [_cut(each, _LONG) for each in task.infrastructure or ()],
        "e": mark + folders[-1].name if folders else None,
        "device": str(mapping(head.get("device")).get("serial") or "") or None,
        "began": _seconds_between(about.get("started"), head.get("recorded")),
        "worker": None,
    }


def _closest(task: Entry, evidence: Mapping[str, Any]) -> str:
    """Return what came nearest to the goal, as printed on the terminal; empty without a failure."""
    if task.success is not False:
        return ""
    reason = str(task.reason or "")
    if task.termination in AGENTS_FAULT:  # the reason is "ERROR; what was compared"
        _, found, compared = reason.partition("; AssertionError: ")
        reason = compared if found else ""
    return nearest(reason, evidence)


def _error(task: Entry) -> str:
    """Return the agent's error that ended the episode; empty if it ended otherwise."""
    if task.outcome != "failed" or task.termination not in AGENTS_FAULT:
        return ""
    return str(task.reason or "").partition("; AssertionError: ")[0].partition("\n")[0]


def _cut(text: Any, most: int) -> str:
    return cut("" if text is None else str(text), most)


def _seconds_between(start: Any, end: Any) -> float | None:
    try:
        between = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except (TypeError, ValueError):  # a missing time, or one without a time zone
        return None
    return round(between.total_seconds(), 3)


_FILES = (STREAM, CALLS, VERDICTS, JUDGES, TRIALS)


def attempts(run: Path, task: Entry) -> list[Path]:
    """Return the folders of the attempts at a task of a report; the last one counts.

    `run` is the run's folder. The list is empty for a task that did not begin.
    """
    own = inside(run, task.episode)
    name = slug(task.key) if own is None else own.name.rpartition(".")[0] or "-"
    episodes = run / "episodes" if own is None else own.parent
    found: list[Path] = []
    while (folder := episodes / f"{name}.{len(found)}").is_dir():
        found.append(folder)
    others = [folder for folder in found if folder != own]
    return [*others, own] if own is not None and own.is_dir() else others


def signature(episode: Path, *more: object) -> str:
    """Return a digest that changes with the files of an episode and with the other arguments."""
    digest = hashlib.sha256(repr(more).encode("utf-8", "replace"))
    for name in _FILES:
        try:
            status = (episode / name).stat()
        except OSError:
            digest.update(b"-")
        else:
            digest.update(f"{name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]
