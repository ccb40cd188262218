"""What a run says about tasks that its devices cannot run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.report.gate.missing import was_skipped_for_device

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry


def sample_of(counts: Mapping[str, Any]) -> list[str]:
    """Return a line on a sample, unless all tasks from which it was drawn can run.

    `counts` is `selection.sample` in run.json.
    """
    tasks, selected, able, stuck = (
        counts.get(name) or 0 for name in ("tasks", "selected", "can_run", "will_be_skipped")
    )
    if able >= selected:
        return []
    known = "as far as is known before a phone is used"
    if not stuck:
        return [f"sample: drawn from the {able} of {selected} tasks that can run here, {known}"]
    why = f"{f'only {able}' if able else 'none'} of {plural(selected, 'selected task')} can"
    return [f"sample: {stuck} of its {plural(tasks, 'task')} cannot run here: {why}, {known}"]


def mostly_skipped(results: Sequence[Entry], doctor: Sequence[str]) -> list[str]:
    """Return a line if more than half of a run's tasks were skipped, and how to learn why.

    `doctor` is the command that lists what the devices lack.
    """
    tasks = {result.id for result in results}
    skipped = tasks - {result.id for result in results if result.outcome != "skipped"}
    if 2 * len(skipped) <= len(tasks):
        return []
    line = f"most tasks were skipped: {len(skipped)} of {len(tasks)}"
    if any(was_skipped_for_device(result) for result in results if result.id in skipped):
        line += f"; what the devices lack: {printable(shlex.join(doctor))}"
    return [line]
