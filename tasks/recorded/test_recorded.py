"""Tasks on recorded pages: those of a graph that `mobileagent graph` has made from a data set.

    recorded = "../graphs/mobile-bench-v2"      # a line of tasks/releases.toml
    pytest tasks/recorded --mobile-device=graph:graphs/mobile-bench-v2

On multiple paths a task is done if its page was reached. On a single path (`--mobile-path=single`)
each step must match by the rule of the data set's own scorer. Goals are the data set's: none of
them is part of this project.
"""

from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent import rows, tasks
from pytest_mobileagent.action.matching import rule_of
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


@tasks(rows(TASKS) if TASKS.exists() else [], needs=("pages",))
def test_recorded(episode, row):
    if episode.is_on_path:
        rule: Any = rule_of(row.columns.get("rule", "graph"))
        assert all(compare(rule.func, episode, **rule.keywords))
    else:
        assert episode.reached(row.page)
