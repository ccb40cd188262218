"""Every task in our suites can be done, and cannot be passed by doing less.

Of the published suites, which have a `release.py`, a tenth is run. Of our own suites, the oracle
plays a half of the tasks, and agents that do less play an eighth, a quarter or a half. Those that
depend on the time are also played on other days and in other time zones, a fortieth of which is
drawn. The part depends on the commit, or is set in the environment variable SUITES_PART (`make
suites` runs all).

No pictures are drawn, which spares two fifths of the time, except for the tasks that read them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pytest_mobileagent._task.needs import DECLARED
from tests.suite.judge import suite_judge
from tests.suite.test_spa_bench import STOOD_IN_FOR

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent


READS_PICTURES = "tasks/checks/test_elements.py"
PUBLISHED = sorted(path.parent.relative_to(ROOT) for path in ROOT.glob("tasks/*/release.py"))
FROM_A_LIBRARY = "tasks/android_world"  # whose tasks are another project's
OURS = ("tasks", *(f"--ignore={each}" for each in (READS_PICTURES, FROM_A_LIBRARY, *PUBLISHED)))
IN_A_COPY = "mobile_bench_v2"  # the suite whose tasks are in the user's copy only
LACKS = {"app", *DECLARED}  # what published tasks may need and phones may lack
AGENTS = ("oracle", "noop", "truncated_oracle")
UNSEEING = Path(__file__).parent / "unseeing_agents.py"  # has each of them, looking at no pictures
# Days on which there may be something wrong: a Monday, a Sunday, and the last of a month, of a year
# and of a leap year's February; and those on which clocks go forward and back, if they do.
DAYS = (
    *("2026-11-23T09:00", "2026-11-22T23:30", "2027-01-31T12:00"),
    *("2026-12-31T18:00", "2028-02-29T00:00"),
)
AMERICAN = ("2026-03-08T02:30", "2026-11-01T01:30")
ZONES = {
    **dict.fromkeys(("UTC", "America/New_York", "Asia/Kolkata"), AMERICAN),
    "Pacific/Auckland": ("2026-09-27T02:30", "2026-04-05T02:30"),
}
MOMENTS = [f"{day}[{zone}]" for zone, others in ZONES.items() for day in (*DAYS, *others)]
TIMED = (
    "calendar or messages or test_date or test_days or tomorrow or weekday or missed or duration"
)
LEAST = {"b_moca": 0.5}  # the minimum share of a suite's tasks that can run on the virtual phone


def part(parts: int = 10) -> str:
    """Return the part of the suites to run: SUITES_PART, or a part chosen by the commit."""
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    number = int(head.stdout.strip() or "0", 16)
    return os.environ.get("SUITES_PART") or f"{number % parts + 1}/{parts}"


def outcomes(agent: str, runs: Path, *chosen: str) -> dict[str, dict]:
    """Run an agent on the tasks selected by pytest's arguments; return the results by task id."""
    with suite_judge().serve() as url:
        command = [
            *(sys.executable, "-m", "pytest", *chosen, f"--agent={agent}", f"--mobile-runs={runs}"),
            *("--llm-judge=single", f"--mobile-judges=openai:suite@{url}/v1"),
            *("--mobile-unpriced=allow", "-q", "-p", "no:cacheprovider"),
            *("-o", "mobile_pack_screens=false", "-o", "mobile_screenshots=needed"),
        ]
        finished = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
        )
    assert finished.returncode in {0, 1, 5}, finished.stdout + finished.stderr
    (report,) = runs.glob("*/report.json")
    return {task["id"]: task for task in json.loads(report.read_text("utf-8"))["tasks"]}


def unseeing(agent: str) -> str:
    return f"{UNSEEING}:{agent.title().replace('_', '')}"


def test_the_oracle_passes_every_task_in_the_golden_steps(tmp_path):
    tasks = outcomes(unseeing("oracle"), tmp_path, *OURS, f"--mobile-shard={part(2)}")
    assert len(tasks) >= 20
    assert {name: t["reason"] for name, t in tasks.items() if not t["success"]} == {}
    assert {name: t["step_ratio"] for name, t in tasks.items() if t["step_ratio"] != 1.0} == {}


def test_doing_nothing_fails_every_task(tmp_path):
    tasks = outcomes(unseeing("noop"), tmp_path, *OURS, f"--mobile-shard={part(8)}")
    assert len(tasks) >= 20
    check_that_all_fail(tasks)


def test_doing_less_fails_every_task(tmp_path):
    tasks = outcomes(unseeing("truncated_oracle"), tmp_path, *OURS, f"--mobile-shard={part(8)}")
    assert len(tasks) >= 20
    check_that_all_fail(tasks)


def test_a_guess_fails_where_the_user_of_a_vague_task_is_silent(tmp_path):
    chosen = ("tasks/vague", f"--mobile-shard={part(2)}")
    tasks = outcomes(unseeing("oracle"), tmp_path, *chosen, "--mobile-user=silent")
    full, vague = (
        {name: t for name, t in tasks.items() if t["variant"] == variant}
        for variant in ("full", "vague")
    )
    assert len(full) == len(vague) >= 10
    assert {name: t["reason"] for name, t in full.items() if not t["success"]} == {}
    check_that_all_fail(vague)


def check_that_all_fail(tasks: dict[str, dict]) -> None:
    assert [name for name, t in tasks.items() if t["success"] is not False] == []
    # A body must fail with an assertion; a body that raises another error decides nothing.
    checked = {name: t for name, t in tasks.items() if t["verdict"]["scorer"] == "check"}
    broke = {n: t["reason"] for n, t in checked.items() if not is_failed_assert(t["reason"])}
    assert broke == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_tasks_that_read_pictures_are_sound(agent, tmp_path):
    shard = part(2 if agent == "oracle" else 4)
    tasks = outcomes(agent, tmp_path, READS_PICTURES, f"--mobile-shard={shard}")
    assert tasks
    check_that_all_are_sound(tasks, agent)


@pytest.mark.parametrize("agent", AGENTS)
def test_published_tasks_whose_apps_are_there_are_sound(agent, tmp_path):
    chosen = (*map(str, PUBLISHED), f"--mobile-shard={part()}")
    has = f"--mobile-device-has={STOOD_IN_FOR}"
    tasks = outcomes(unseeing(agent), tmp_path, *chosen, has)
    # Tasks without a solution are decided by judges alone, which accept the words of the goal.
    unplayable = {*LACKS, "solution"} if agent != "noop" else LACKS
    played = {n: t for n, t in tasks.items() if t["skipped_for"] not in unplayable}
    for suite in PUBLISHED:
        there, done = (sum(n.startswith(f"{suite}/") for n in some) for some in (tasks, played))
        assert there or suite.name == IN_A_COPY
        assert done >= there * LEAST.get(suite.name, 0)
    check_that_all_are_sound(played, agent)


def drawn(rows: list[Any], parts: int = 40) -> list[Any]:
    """Return the rows of a part that is chosen likewise."""
    number, parts = map(int, part(parts).split("/"))
    return rows[number - 1 :: parts]


@pytest.mark.parametrize(("moment", "agent"), drawn([*product(MOMENTS, AGENTS)]))
def test_tasks_that_depend_on_the_time_are_sound_on_every_day_in_every_zone(
    moment, agent, tmp_path, monkeypatch
):
    monkeypatch.setenv("TZ", "Asia/Tokyo")  # of this machine, which matters to no phone
    chosen = ("tasks", "-k", TIMED, f"--mobile-shard={part(3)}", f"--mobile-device-time={moment}")
    tasks = outcomes(unseeing(agent), tmp_path, *chosen)
    played = {name: t for name, t in tasks.items() if not t["skipped_for"]}
    assert played
    check_that_all_are_sound(played, agent)


def check_that_all_are_sound(played: dict[str, dict], agent: str) -> None:
    if agent == "oracle":
        assert {n: t["reason"] for n, t in played.items() if not t["success"]} == {}
    else:
        check_that_all_fail(played)


def is_failed_assert(reason: str) -> bool:
    return reason.startswith(("AssertionError", "assert ", "NotFoundError", "SubGoalError"))


def test_the_lexical_agent_does_some_tasks_and_fails_others(tmp_path):
    tasks = outcomes("lexical", tmp_path, *OURS, "--mobile-shard=1/8")
    successes = [name for name, t in tasks.items() if t["success"]]
    assert 0 < len(successes) < len(tasks) * 3 / 4
