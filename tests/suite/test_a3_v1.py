"""A3's first release: the table matches the release, and a copy of it can be read."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import rows
from pytest_mobileagent._task.declaring import make_task
from pytest_mobileagent._task.wording import fill, times
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Finding

SUITE = Path(__file__).parents[2] / "tasks" / "a3"
ROWS = rows(SUITE / "v1.csv")
TASK = """
def task():
    today = datetime.now()
    day_2 = today + timedelta(days=2)
    shown = day_2.strftime("%b %d")
    return {{"task": {goal}, "level": "{level}", "category": "{kind}"}}

def eval(task, xml):
    {check}
"""


@pytest.fixture
def release() -> Any:
    return import_module("tasks.a3.v1.release")


def write(
    copy: Path,
    goal: str = "'Ring the bell. '",
    level: str = "middle",
    kind: str = "single-page operation",
    check: str = "return True",
) -> None:
    folder = copy / "ace" / "task_eval" / "bell"
    folder.mkdir(parents=True)
    text = TASK.format(goal=goal, level=level, kind=kind, check=check)
    (folder / "task7.py").write_text(text, "utf-8")


def test_there_are_201_tasks_in_20_apps() -> None:
    fields = [row.task_fields for row in ROWS]
    assert Counter(each["level"] for each in fields) == {1: 94, 2: 77, 3: 30}
    kinds = Counter(each["kind"] for each in fields)
    assert kinds == {"operation": 142, "single-frame query": 50, "multi-frame query": 9}
    assert {each["level"]: each["step_limit"] for each in fields} == {1: 10, 2: 15, 3: 20}
    assert Counter(each["step_limit"] for each in fields) == {10: 94, 15: 77, 20: 30}
    apps = Counter(row.id.rpartition("_")[0] for row in ROWS)
    assert sorted(apps.values()) == sorted(
        [15, 13, 13, 12, 12, 11, *[10] * 5, *[9] * 5, *[8] * 3, 6]
    )
    assert len({each["app"] for each in fields}) == 20
    assert len({each["goal"] for each in fields}) == 201


def test_nine_goals_have_dates_of_the_phones_clock() -> None:
    dated = {row.id for row in ROWS if "{" in row.goal}
    assert dated == {f"booking_{number}" for number in (2, 3, 4, 6, 7, 8, 9, 10, 11)}
    new_year = datetime(2026, 12, 30, 9)
    goals = {row.id: fill(row.goal, times(new_year)) for row in ROWS}
    assert "Jan 01" in goals["booking_2"]
    assert "from Jan 01 to Jan 02" in goals["booking_4"]
    assert "on Jan 01 and dropped off there on Jan 03" in goals["booking_7"]
    assert "from Dec 31 on" in goals["booking_10"]


def test_every_row_is_a_task_of_the_file_of_its_app() -> None:
    table = import_module("tasks.a3.v1.table")
    files = sorted((SUITE / "v1").glob("test_*.py"))
    modules = [import_module(f"tasks.a3.v1.{file.stem}") for file in files]
    played = [row.id for module in modules for row in table.of(module.FOLDER)]
    assert sorted(played) == sorted(row.id for row in ROWS)
    for module in modules:
        assert set(module.BODIES) <= {row.id for row in table.of(module.FOLDER)}


def test_tasks_that_the_release_can_never_pass_are_marked() -> None:
    table = import_module("tasks.a3.v1.table")
    folders = {row.id.rpartition("_")[0] for row in ROWS}
    marked = {name: each for folder in folders for name, each in table.fields(folder).items()}
    remarks = {name: make_task("any", each).remarks for name, each in marked.items() if each}

    def remarked(words: str) -> set[str]:
        return {name for name, (why,) in remarks.items() if words in why}

    assert remarked("can never succeed: ") == {
        "Gmail_4",
        "YTmusic_8",
        "booking_4",
        "booking_7",
        "booking_8",
        "google_calendar_1",
        "instagram_7",
    }
    late = {f"google_calendar_{number}" for number in (2, 8, 9)}
    assert remarked("can succeed late in 2024 only: ") == late
    assert remarked("never looks at the screens: ") == {"google_maps_8", "google_play_5"}
    assert remarked("in few years only: ") == {"booking_9"}
    assert remarked("calls it an operation") == {"Gmail_8"}
    assert len(remarks) == 14


class Judge:
    """Judges every episode a success, and records whether it was asked alone or beside a body."""

    def __init__(self, official: bool | None = None) -> None:
        self.asked: list[tuple[str, Any]] = []
        self._official = official

    def official(self, episode: Any, evaluation: Any) -> bool | None:
        return self._official

    def __call__(self, episode: Any, **asked: Any) -> bool:
        self.asked.append(("alone", asked))
        return True

    def beside(self, episode: Any, **asked: Any) -> None:
        self.asked.append(("beside", asked))


def test_judges_see_hierarchies_alone_or_beside_a_body() -> None:
    table = import_module("tasks.a3.v1.table")
    judge, row = Judge(), ROWS[0]
    seen: list[Any] = []
    table.decide({}, "an episode", row, judge)
    table.decide({row.id: seen.append}, "an episode", row, judge)
    assert judge.asked == [(how, {"evidence": "xml"}) for how in ("alone", "beside")]
    assert seen == ["an episode"]


def test_a_release_is_read_by_folder_and_number(release: Any, tmp_path: Path) -> None:
    write(tmp_path)
    (found,) = release.read(tmp_path).values()
    assert release.official(tmp_path) == {"bell_7": "Ring the bell."}
    assert found.place == "ace/task_eval/bell/task7.py"
    assert found.columns == {"level": 2, "kind": "single-frame query", "step_limit": 15}
    assert list(release.lint(tmp_path)) == []


def test_goals_with_dates_are_read_as_templates(release: Any, tmp_path: Path) -> None:
    write(tmp_path, goal="f'Ring {{ it on {shown}.'")
    (goal,) = release.official(tmp_path).values()
    assert goal == "Ring {{ it on {today+2:%b %d}."
    assert fill(goal, times(datetime(2026, 2, 27))) == "Ring { it on Mar 01."


NEVER, BOUND = "can never succeed", "can succeed late in 2024 only"
UNREAD = "never looks at the screens"


@pytest.mark.parametrize(
    ("check", "kind", "why"),
    [
        ("return xml == 'Thu, Jan 14, 2025'", NEVER, "which is a Tuesday"),
        ("return xml == 'Tue, Jan 14, 2025'", "", ""),
        ("return xml == 'new: Saturday, November 9, 1 PM'", BOUND, "the goal names no year"),
        ("return '25 December 2024, open' in xml", BOUND, "25 December 2024 is looked for"),
        ("'''on 25 December 2024'''", "", ""),
        ("return xml.lower().find('Done')", NEVER, "'Done' is looked for"),
        ("return 'Done' in xml.lower()", NEVER, "'Done' is looked for"),
        ("return xml.lower() == 'Done'", NEVER, "'Done' is looked for"),
        ("if xml is None: return xml.attrib", NEVER, "xml is read only where it is None"),
        ("if xml is not None: return xml.attrib", "", ""),
        ("return task['action'] != 'click'", NEVER, "no action is called 'click'"),
        ("return task['action'] != 'tap' or xml == 'click'", "", ""),
        ("return open(xml)", UNREAD, "xml is a hierarchy"),
        ("return xml.lower().find('done') and xml.find('Done')", "", ""),
    ],
)
def test_checks_that_nothing_can_pass_are_found(
    release: Any, tmp_path: Path, check: str, kind: str, why: str
) -> None:
    write(tmp_path, check=check)
    found = list(release.lint(tmp_path))
    assert [each.kind for each in found] == [kind] * bool(kind)
    assert all(isinstance(each, Finding) and why in each.what for each in found)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"on (.*?)\.", None),
        (r"(?<=on ).*?(?=\.)", None),
        (r"on (.*)", "'Jan 03.' is taken for a date"),
        (r"from (.*)", "its pattern finds none"),
    ],
)
def test_patterns_that_do_not_find_a_date_are_reported(
    release: Any, tmp_path: Path, pattern: str, why: str | None
) -> None:
    check = f"sought = r'{pattern}'; return re.search(sought, task)"
    write(tmp_path, goal="f'Ring it on {shown}.'", check=check)
    found = [(each.kind, each.what) for each in release.lint(tmp_path)]
    assert found == ([("misreads the dates of its goal", f"bell_7: {why}")] if why else [])


def test_days_of_the_week_without_a_year_are_told(release: Any, tmp_path: Path) -> None:
    write(tmp_path, check="return datetime.strptime(date, '%b %d').strftime('%a')")
    (found,) = release.lint(tmp_path)
    assert "of 1900" in found.what


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ({"level": "odd"}, "'odd', 'single-page operation' is no level and category"),
        ({"goal": "3"}, "its task is not a string"),
        ({"goal": "f'on {today}'"}, r"its task has \{today\}, which is not a date"),
        ({"check": ")"}, "cannot be read as Python"),
    ],
)
def test_a_broken_task_is_reported_in_one_line(
    release: Any, tmp_path: Path, task: Any, why: str
) -> None:
    write(tmp_path, **task)
    with pytest.raises(TaskError, match=rf"^ace/task_eval/bell/task7\.py.*({why})"):
        release.read(tmp_path)


def test_a_folder_that_is_not_a_release_is_reported(release: Any, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"a copy of YuxiangChai/A3 as a3\.v1, and one of AITK as"):
        release.read(tmp_path)
