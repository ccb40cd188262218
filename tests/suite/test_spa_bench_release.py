"""Reading a release of SPA-Bench, and the defects found in it."""

from __future__ import annotations

import json
from collections import Counter
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Released

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = (
    "task_identifier,task_app,task_language,task_description,task_difficulty,golden_steps,"
    "key_component_final,adb_app,adb_home_page,is_cross_app\n"
)
CROSS = (
    "task_identifier,category,task_language,task_app,task_description,task_difficulty,"
    "golden_steps,is_cross_app\n"
)


@pytest.fixture
def release() -> Any:
    return import_module("tasks.spa_bench.release")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A small copy of a release in our own words, with every kind of defect."""
    data = tmp_path / "data"
    (data / "cross-app-split").mkdir(parents=True)
    rows = [
        """bell_0,bell,ENG,Ring the bell. ,1,3,['bell'],org.bell,org.bell.Main,N""",
        """bell_1,bell,ENG,"Ring, twice.",2,5,"['bell', '2']",org.bell,org.bell.Main,N""",
    ]
    (data / "single-app-ENG.csv").write_text(SINGLE + "\n".join(rows), "utf-8")
    rows = [
        "ling_0,ling,CHN,敲钟。,1,1,[],org.bell,org.bell.Main,N",
        """ling_1,ling,CHN,敲两次。,2,4,"['钟' '铃', '次']",org.bell,org.bell.Main,N""",
    ]
    (data / "single-app-CHN.csv").write_text("\ufeff" + SINGLE + "\n".join(rows), "utf-8")
    both = """A_0_{0},A,{0},"['Bell', 'Book']",Ring and read.,1,9,Y"""
    for language in ("ENG", "CHN"):
        file = data / f"cross-app-{language}.csv"
        file.write_text("\ufeff" + CROSS + both.format(language), "utf-8")
        split = {"task_description": "", "subtask_1": {"app": "bell"}}
        split["subtask_2"] = {"app": "Books" if language == "CHN" else "Book"}
        file = data / "cross-app-split" / f"A_0_{language}.json"
        file.write_text(json.dumps(split), "utf-8")
    return tmp_path


def test_goals_and_facts_are_read_by_id(release: Any, copy: Path) -> None:
    facts = {"language": "en", "level": 2, "golden_steps": 5, "key_components": "bell;2"}
    place = "data/single-app-ENG.csv, line 3 (bell_1)"
    assert release.read("en", copy)["bell_1"] == Released("Ring, twice.", place, facts)
    assert release.official("zh", copy) == {"ling_0": "敲钟。", "ling_1": "敲两次。"}
    assert release.read("cross", copy)["A_0_CHN"].columns["category"] == "A"


def test_defects_are_found(release: Any, copy: Path) -> None:
    found = Counter(each.kind for name in release.TABLES for each in release.lint(name, copy))
    assert found == {
        "all key components in the goal": 1,
        "key component of one character": 2,
        "no key components": 1,
        "two texts without a comma": 1,
        "app of a subtask is not the row's": 1,
    }


@pytest.mark.parametrize(
    ("name", "change", "why"),
    [
        (
            "single-app-ENG.csv",
            ("['bell']", "bell"),
            r"2 \(bell_0\): key_component_final 'bell' is",
        ),
        (
            "single-app-ENG.csv",
            (",5,", ",five,"),
            r"3 \(bell_1\): golden_steps 'five' is not a",
        ),
        ("single-app-ENG.csv", ("golden_steps", "steps"), "1 has no column golden_steps"),
        ("cross-app-ENG.csv", (",9,Y", ""), r"2 \(A_0_ENG\) has no golden_steps"),
    ],
)
def test_a_broken_row_is_reported_in_one_line(
    release: Any, copy: Path, name: str, change: tuple[str, str], why: str
) -> None:
    file = copy / "data" / name
    file.write_text(file.read_text("utf-8").replace(*change), "utf-8")
    table = "en" if name.startswith("single") else "cross"
    with pytest.raises(TaskError, match=rf"^data/{name}, line {why}"):
        release.read(table, copy)


def test_a_folder_that_is_not_a_release_is_reported(release: Any, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="name the folder of a copy of ai-agents-2030/SPA-Bench"):
        release.read("en", tmp_path)
