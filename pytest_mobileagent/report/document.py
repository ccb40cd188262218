"""report.json: the whole of a run, written and read back, and the newest of several runs found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.migrate import reset
from pytest_mobileagent.episode.runs import HEAD, RUN
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_text
from pytest_mobileagent.plain import Each, Maybe, check, expect
from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.metrics.suspects import marked, policy
from pytest_mobileagent.report.result import Result
from pytest_mobileagent.task.case import Case
from pytest_mobileagent.task.task import Task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


SCHEMA_VERSION = 2


def document(run: Mapping[str, Any], results: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the report of a run as plain data.

    `run` is what run.json says of it, `results` are its tasks' by node id.
    """
    tasks = marked([results[nodeid] for nodeid in sorted(results)], policy(run))
    return {
        "schema_version": SCHEMA_VERSION,
        "run": dict(run),
        "summary": summarise(tasks),
        "tasks": tasks,
    }


REPORT = "report.json"
_TEXT, _COUNT, _NUMBER, _TRUTH = str | None, int | None, float | int | None, bool | None
_SPENT: dict[str, Any] = {
    "calls": _COUNT,
    "input_tokens": _COUNT,
    "output_tokens": _COUNT,
    "cached_tokens": _COUNT,
    "cost_usd": _NUMBER,
    "unpriced_calls": _COUNT,
    "uncounted_calls": _COUNT,
    "retries": _COUNT,
    "estimated_input_tokens": _COUNT,
    "estimated_output_tokens": _COUNT,
}
_SUBGOAL: dict[str, Any] = {"name": str, "weight": float, "held": bool, "first_step": _COUNT}
# What is known of a task's entry, with its kinds (see `plain.check`).
_TASK: dict[str, Any] = {
    **dict.fromkeys(("id", "nodeid", "outcome"), str),
    **dict.fromkeys(
        ("suite", "app", "kind", "language", "environment", "fault", "skipped_for"), _TEXT
    ),
    **dict.fromkeys(("reason", "episode", "termination", "answer"), _TEXT),
    **dict.fromkeys(("level", "epoch", "golden_steps", "first_success_step", "attempt"), _COUNT),
    **dict.fromkeys(("steps", "actions"), _COUNT),
    **dict.fromkeys(("no_effect_steps", "repeated_steps", "invalid_actions"), _COUNT),
    **dict.fromkeys(("partial_credit", "progress", "step_efficiency", "step_ratio"), _NUMBER),
    **dict.fromkeys(("seconds", "seconds_per_step", "thinking_seconds"), _NUMBER),
    **dict.fromkeys(("acting_seconds", "latency"), _NUMBER),
    **dict.fromkeys(("success", "premature", "overdue", "metered", "estimated", "suspect"), _TRUTH),
    "tags": Maybe([str]),
    "parameters": Maybe(dict),
    "infrastructure": [str],
    "attempts": Maybe([dict]),
    "verdict": Maybe(
        {
            "passed": _TRUTH,
            "scorer": str,
            "reason": str,
            "evidence": dict,
            "first_step": _COUNT,
        }
    ),
    "judged": Maybe({"passed": _TRUTH, "reason": str}),
    "subgoals": Maybe([_SUBGOAL]),
    "roles": Maybe(Each(_SPENT)),
    **_SPENT,
}
_RESET: dict[str, Any] = {"kind": str, "snapshot": _TEXT, "cleared": [str], "reason": str}


def read_report(path: Path) -> dict[str, Any]:
    """Return a report.json in today's shape, with all that a newer minor version has added.

    Raises:
        OSError: it cannot be read, or is not there.
        RecordError: it is damaged, or of a newer major version.
    """
    text = read_text(path, "replace")
    try:
        whole = expect(parse_json(text), dict, "report")
        version = expect(whole["schema_version"], float, "schema_version")
        check(whole["run"], HEAD, "run")
        expect(whole["summary"], dict, "summary")
        check(whole["tasks"], [_TASK], "tasks")
        blank = Result(Case(Task("-"), "-")).to_wire()  # what an older version did not count
        tasks = [{**blank, **_entry(task, version)} for task in whole["tasks"]]
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        msg = f"{path} is damaged: {type(error).__name__}: {error}"
        raise RecordError(msg) from error
    if not 1 <= version < SCHEMA_VERSION + 1:
        msg = (
            f"{path} has schema version {version}; this version of pytest-mobileagent reads up to "
            f"{SCHEMA_VERSION}: install a newer one"
        )
        raise RecordError(msg)
    return {**whole, "schema_version": max(version, SCHEMA_VERSION), "tasks": tasks}


def find_run(path: Path) -> Path:
    """Return the folder of the run that a path names: a run's own, or one that holds several.

    Of several it is the one that was begun last.

    Raises:
        RecordError: there is none.
    """
    found = path if is_run(path) else newest_run(path)
    if found is None:
        what = "holds no run" if path.is_dir() else "is no folder"
        msg = f"{path} {what}: name a run's folder, which holds run.json, or a folder of runs"
        raise RecordError(msg)
    return found.resolve()


def newest_run(runs: Path) -> Path | None:
    """Return the run that was begun last of those in a folder; None if there is none."""
    try:
        folders = [path for path in runs.iterdir() if is_run(path)]
        return max(folders, key=_begun, default=None)
    except OSError:
        return None


def is_run(folder: Path) -> bool:
    """Whether a folder is that of a run, which may go on still."""
    return any((folder / name).is_file() for name in (RUN, REPORT))


def _begun(folder: Path) -> tuple[float, str]:
    first = folder / RUN
    path = first if first.is_file() else folder / REPORT
    return path.stat().st_mtime, folder.name


def _entry(task: Mapping[str, Any], version: float) -> dict[str, Any]:
    if missing := [name for name in ("id", "outcome", "success") if name not in task]:
        raise KeyError(missing[0])
    entry = _from_1(task) if version < 2 else dict(task)
    if check(entry.get("reset"), Maybe(_RESET), "reset") is not None:
        expect(entry["reset"]["kind"], str, "reset.kind")
    return entry


def _from_1(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of version 1, in which 0 tokens, or a price of 0, are those nobody knew."""
    spent = {name: task[name] or None for name in ("input_tokens", "output_tokens", "cost_usd")}
    fault = "agent" if task["outcome"] == "failed" else None
    return {"fault": fault, **task, **spent, "reset": reset(task.get("reset"))}
