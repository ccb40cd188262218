"""report.json: the whole of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.metrics.summary import summarise
from pytest_mobileagent.report.metrics.suspects import marked, policy

if TYPE_CHECKING:
    from collections.abc import Mapping

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
