"""Tasks on recorded pages: those of a graph that `mobileagent graph` has made from a data set.

    recorded = "../graphs/mobile-bench-v2"      # a line of tasks/releases.toml
    pytest tasks/recorded --mobile-device=graph:graphs/mobile-bench-v2

On multiple paths a task is done if its page was reached and, if the last golden action is done on
that page, this was done there: no page was recorded after it. Only a report without an answer need
not be done. A task with milestones, as in ColorBench, is done when all of them were reached. On a
single path (`--mobile-path=single`) each step must match the golden action, or another that is
accepted as in MobiBench. All by the rule of the data set's own scorer. Goals are the data set's:
none of them is part of this project.
"""

from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import rows, tasks
from pytest_mobileagent.action import Finish, Open
from pytest_mobileagent.action.matching import Golden, golden_from_json, rule_of
from pytest_mobileagent.check import compare
from pytest_mobileagent.releases import release_of

GRAPH = release_of(Path(__file__).parent)
if GRAPH is None:
    pytest.skip(
        "tasks/releases.toml names no graph of recorded pages as `recorded`: make one of a data "
        "set with `mobileagent graph` (docs/data-sets.md)",
        allow_module_level=True,
    )
TASKS = GRAPH.folder / "tasks.jsonl"
if not TASKS.exists():
    pytest.skip(f"the data set of {GRAPH.folder} has no tasks", allow_module_level=True)


def either(rule: Any, accepted: dict[str, list[Any]]) -> Any:
    """Return a rule by which a page's other right actions match, too, and any app, as in MobiBench.

    `accepted` has these actions by page.
    """

    @wraps(rule)
    def match(action: Any, golden: Golden, **options: Any) -> Any:
        if isinstance(action, Open) and isinstance(golden.action, Open):
            return rule(golden.action, golden, **options)
        others = map(golden_from_json, accepted.get(golden.page, ()))
        found = [rule(action, each, **options) for each in (golden, *others)]
        return max(found, key=lambda each: (each.exact, each.type))

    return match


@tasks(rows(TASKS), needs=("pages",))
def test_recorded(episode, row):
    rule: Any = rule_of(row.columns.get("rule", "graph"))
    if episode.is_on_path:
        accepted = row.columns.get("accepted")
        same = either(rule.func, accepted) if accepted else rule.func
        assert all(compare(same, episode, **rule.keywords))
        return
    if milestones := row.columns.get("milestones"):
        for number, pages in enumerate(milestones, 1):
            with episode.subgoal(f"milestone {number}"):
                assert any(map(episode.reached, pages))
        return
    assert episode.reached(row.page)
    last = golden_from_json(row.golden[-1]) if row.golden else None
    if last and last.page == row.page and last.action != Finish():
        assert any(
            rule(action, last)
            for step in episode.steps
            if row.page in (step.screen.own.page, *step.screen.own.same)
            for action in step.actions
        )
