"""The table of docs/suites.md has the numbers of the suites' own tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_mobileagent.plugin.preflight import select

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "suites.md").read_text("utf-8")
# Each row of the table: the heading of the suite's section, and the folder of its tasks.
SUITES = {
    "B-MoCA": "b_moca",
    "SPA-Bench": "spa_bench",
    "A3": "a3/v1",
    "A3, second release": "a3/v2",
    "MobileAgentBench": "mobileagentbench",
}
FROM_COPIES = {"mobile_bench_v2"}  # all of whose tasks are read from the user's copy
ROW = re.compile(r"^\| \[(.+?)\]\(#(.+?)\) \| (\d+) \| (\d+) \| (\d+) \| (.+?) \|$", re.MULTILINE)
NUMBERS = {title: tuple(map(int, numbers)) for title, _, *numbers, _ in ROW.findall(PAGE)}


def test_each_suite_of_a_published_benchmark_has_a_row_and_a_section() -> None:
    published = {path.parent.name for path in (ROOT / "tasks").glob("*/release.py")}
    named = {folder.partition("/")[0] for folder in SUITES.values()}
    assert named <= published <= named | FROM_COPIES
    assert NUMBERS.keys() == SUITES.keys()
    for title, anchor, *_ in ROW.findall(PAGE):
        assert anchor == title.lower().replace(",", "").replace(" ", "-")
        assert f"\n## {title}\n" in PAGE


@pytest.mark.parametrize("title", SUITES)
def test_the_numbers_of_a_row_are_those_of_the_suite(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    tasks = select([f"tasks/{SUITES[title]}"]).tasks.values()
    playable = sum(bool(task.solution) for task in tasks)
    match title:
        case "B-MoCA":
            ours = 0  # all of its checks follow the paper's tables
        case "MobileAgentBench":
            ours = sum("online" in task.tags for task in tasks)  # the paper names no way
        case _:
            ours = playable  # by our checks, with the paper's judges beside them
    assert NUMBERS[title] == (len(tasks), playable, len(tasks) - ours)


def test_no_suite_claims_to_have_run_on_a_phone() -> None:
    """Whoever runs one writes where, when and how many, and changes the text below the table."""
    assert {where for *_, where in ROW.findall(PAGE)} == {"never"}
    assert "we have none, and no emulator" in PAGE
