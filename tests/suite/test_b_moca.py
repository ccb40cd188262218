"""The table of B-MoCA's tasks matches its paper (arXiv 2404.16660) and its release."""

from __future__ import annotations

import importlib
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import rows
from pytest_mobileagent.report.export import find_layout
from pytest_mobileagent.report.export.layouts import tabulate
from tests.report.conftest import make
from tests.report.export.layouts.counting import run_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent import Row

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tasks" / "b_moca"
TABLE = rows(SUITE / "tasks.csv")
PAPER = [row for row in TABLE if row.in_paper == "yes"]
RELEASE = [row for row in TABLE if row.in_release == "yes"]


def apps(table: list[Row]) -> Counter[str]:
    return Counter(row.id.partition("-")[0] for row in table)


IN_BOTH = {
    "clock": 25, "calculator": 19, "wikipedia": 16, "walmart": 8, "files": 5, "instagram": 4,
    "chrome": 3, "messages": 2, "calendar": 1, "camera": 1, "gmail": 1, "maps": 1, "photos": 1,
    "youtube": 1,
}  # fmt: skip


def test_paper_and_release_have_131_tasks_each_and_126_of_them_in_common() -> None:
    both = [row.id for row in PAPER if row in RELEASE]
    assert (len(PAPER), len(RELEASE), len(both), len(TABLE)) == (131, 131, 126, 136)


@pytest.mark.parametrize(
    ("table", "others"),
    [
        (PAPER, {"phone": 15, "settings": 13, "snapseed": 13, "contacts": 2}),
        (RELEASE, {"phone": 14, "settings": 15, "snapseed": 11, "contacts": 3}),
    ],
)
def test_apps_have_as_many_tasks_as_in_paper_and_release(
    table: list[Row], others: dict[str, int]
) -> None:
    assert apps(table) == {**IN_BOTH, **others}


def test_the_bodies_decide_by_tables_8_to_15_of_the_paper() -> None:
    assert Counter(row.decided for row in PAPER) == {
        "ui": 53, "log": 44, "preferences+ui": 14, "database": 7, "database+setting": 6,
        "preferences": 5, "ui+setting": 2,
    }  # fmt: skip


def test_limits_are_those_of_the_paper() -> None:
    limits = Counter(int(row.step_limit) for row in PAPER)
    assert limits == {
        4: 18, 5: 19, 6: 16, 7: 7, 8: 3, 9: 6, 10: 7, 11: 9, 12: 4, 13: 9, 14: 13, 15: 6, 16: 3,
        17: 5, 18: 5, 19: 1,
    }  # fmt: skip


def test_fourteen_limits_of_the_release_are_others() -> None:
    other = {
        row.id: (int(row.release_limit), int(row.step_limit))
        for row in PAPER
        if row.release_limit not in {"", row.step_limit}
    }
    volumes = [f"settings-{name}_volume" for name in ("alarm", "call", "media", "ring")]
    assert other == {
        "calculator-harmonic_mean": (15, 18),
        "clock-stopwatch_page": (3, 5),
        "settings-airplane_on": (6, 5),
        "settings-wifi_off": (6, 5),
        "settings-all_apps": (7, 6),
        "settings-bluetooth": (7, 6),
        "settings-dark_theme": (8, 6),
        "settings-vibrate_for_calls": (7, 6),
        **dict.fromkeys(volumes, (8, 6)),
        "wikipedia-text_50": (11, 12),
        "wikipedia-odd": (13, 14),
    }


def test_tags_name_what_the_release_alone_has_and_the_six_that_the_paper_looks_into() -> None:
    tagged: dict[str, list[str]] = {}
    for row in TABLE:
        tagged.setdefault(row.tags, []).append(row.id)
    assert tagged.pop("release_only") == [row.id for row in TABLE if row.in_paper == "no"]
    assert tagged.pop("representative") == [
        "calculator-cos_180",
        "clock-alarm_1030",
        "clock-alarm_1030_weekdays",
        "phone-white_house",
        "settings-add_language",
        "wikipedia-first_two_and_randomizer",
    ]
    assert set(tagged) == {""}


def test_table_2_of_the_paper_finds_those_six() -> None:
    ids = [row.id.replace("-", "/", 1) for row in TABLE if row.tags == "representative"]
    run = run_of([make(True, id=f"tasks/b_moca/{each}") for each in ids])
    numbers = [str(row[1]) for row in tabulate(find_layout("b-moca:2"), [run]).rows]
    assert numbers == ["100"] * 7, "the six, and their average"


def test_tasks_of_only_one_of_them_are_marked() -> None:
    for row in TABLE:
        assert {row.in_paper, row.in_release} <= {"yes", "no"}
        assert bool(row.release_key) == bool(row.release_limit) == (row.in_release == "yes")


def test_goals_are_in_our_own_words() -> None:
    assert len({row.goal for row in TABLE}) == len(TABLE)
    digests = {sha256(row.goal.encode()).hexdigest()[:8] for row in TABLE}
    digests |= {sha256(row.goal.strip(".").encode()).hexdigest()[:8] for row in TABLE}
    assert not digests & {row.release_key for row in TABLE}


def declared(module: Any) -> Iterator[dict[str, Any]]:
    """Yield the fields of the tasks declared in a test module."""
    for name, function in vars(module).items():
        if not name.startswith("test_"):
            continue
        for mark in getattr(function, "pytestmark", ()):
            if mark.name == "mobile_task":
                yield mark.kwargs
            elif mark.name == "parametrize":
                yield from (each.kwargs for param in mark.args[1] for each in param.marks)


def test_every_row_is_one_task_that_ends_at_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    files = [f"tasks.b_moca.{file.stem}" for file in sorted(SUITE.glob("test_*.py"))]
    tasks = [fields for file in files for fields in declared(importlib.import_module(file))]
    by_goal = {row.goal: row for row in TABLE}
    assert sorted(fields["goal"] for fields in tasks) == sorted(by_goal)
    assert all(fields["stop_on_success"] for fields in tasks)
    assert [f["step_limit"] for f in tasks] == [int(by_goal[f["goal"]].step_limit) for f in tasks]
