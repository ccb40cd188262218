"""Whether a gate names what there is: tasks, suites and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.report.gate.spec import near

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_mobileagent.report.gate.spec import Gate

    Task = Mapping[str, Any]


def check_names(gate: Gate, tasks: Sequence[Task], baseline: Sequence[Task] | None) -> None:
    """Check that each task, suite and tag that a gate names is in the run or in its baseline.

    Of a task's entry only "id", "suite" and "tags" are looked at.

    Raises:
        ValueError: one is in neither; the text names the nearest ones. Or there is no baseline, and
            the gate asks for one.
    """
    if gate.needs_baseline and baseline is None:
        msg = "the gate has a bound against the baseline, and there is none: name one"
        raise ValueError(msg)
    both = [*tasks, *(baseline or ())]
    ids = {task["id"] for task in both}
    _check("must_pass: there is no task", gate.must_pass, ids)
    suites = {task["suite"] for task in both}
    _check("there is no suite", [b.suite for b in gate.bounds if b.suite is not None], suites)
    tags = {tag for task in both for tag in task["tags"]}
    _check("no task has the tag", [b.tag for b in gate.bounds if b.tag is not None], tags)


def _check(what: str, names: Iterable[str], known: set[str]) -> None:
    for name in names:
        if name not in known:
            msg = f"{what} {name!r}: {near(name, sorted(known))}"
            raise ValueError(msg)
