"""summary.md: the summary of a run in Markdown, for a pull request or a CI job.

Names, reasons and goals come from tasks, agents and screens, so they are escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.report.gate.decide import decision_markdown
from pytest_mobileagent.report.names import run_name
from pytest_mobileagent.report.text import collapsible, escape_markdown, table
from pytest_mobileagent.report.text.comparison import comparison_markdown
from pytest_mobileagent.report.text.lists import remarks, undone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.report.entry import Report

SUMMARY = "summary.md"
_MOST = 100  # tasks in a list
_FEW = 10  # tasks in a list that is not collapsed
_LONGEST = 300  # characters of a reason


def summary(whole: Report, page: str) -> str:
    """Return the summary of a run from its report; `page` is the file that shows its episodes."""
    run, tasks = whole["run"], whole["tasks"]
    lines = []
    if gate := whole.get("gate"):
        lines += decision_markdown(gate)
    lines += [f"## Run of {escape_markdown(run_name(run))}", ""]
    lines += _code_block(table(whole["summary"]))
    if comparison := whole.get("comparison"):
        lines += comparison_markdown(comparison)
    lines += _list("Failed", undone(tasks, ["failed"]))
    lines += _list("Errors", undone(tasks, ["error"]))
    for remark in remarks(tasks, run):
        lines += [f"> {escape_markdown(remark)}", ""]
    where = f"each episode, step by step: {page} in the run's folder {run.get('id') or ''}".rstrip()
    return "\n".join([*lines, escape_markdown(where), ""])


def _code_block(lines: Sequence[str]) -> list[str]:
    """Return a fenced block, with a fence that is longer than any in the lines."""
    ticks = max(map(len, re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, ticks + 1)
    return [f"{fence}text", *lines, fence, ""]


def _list(title: str, found: Sequence[tuple[str, str]]) -> list[str]:
    if not found:
        return []
    items = [
        f"- {escape_markdown(name)}: {escape_markdown(cut(why, _LONGEST))}"
        for name, why in found[:_MOST]
    ]
    if len(found) > _MOST:
        items.append(f"- and {len(found) - _MOST} more: see report.json")
    if len(found) > _FEW:
        return collapsible(f"{title} ({len(found)})", items)
    return [f"### {title} ({len(found)})", "", *items, ""]
