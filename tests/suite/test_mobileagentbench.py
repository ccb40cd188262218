"""The table of MobileAgentBench's tasks, its set-ups, and reading its release.

The release here is a miniature of ours, with each kind of defect once.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import pytest_mobileagent.plugin.items  # noqa: F401 - which has pytest mark tasks
from pytest_mobileagent import rows
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Released

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tasks" / "mobileagentbench"
TABLE = rows(SUITE / "tasks.csv")
RELEASED = [row for row in TABLE if row.tags != "online"]


def test_there_are_ten_tasks_of_each_of_ten_apps_and_six_that_need_the_web() -> None:
    assert Counter(row.app for row in RELEASED) == dict.fromkeys((r.app for r in RELEASED), 10)
    assert len(RELEASED) == 100
    online = [row for row in TABLE if row not in RELEASED]
    assert len(online) == 6
    assert {row.needs for row in online} == {"web"}


def test_steps_levels_and_limits_are_those_of_the_paper_and_the_release() -> None:
    steps = {row.id: int(row.golden_steps) for row in RELEASED}
    assert Counter(steps.values()) == {
        1: 6, 2: 17, 3: 25, 4: 17, 5: 13, 6: 11, 7: 3, 8: 3, 9: 1, 10: 1, 13: 2, 17: 1,
    }  # fmt: skip
    assert mean(steps.values()) == 4.21
    assert Counter(row.level for row in RELEASED) == {"1": 23, "2": 55, "3": 22}
    assert all(row.level == f"{1 + (steps[row.id] > 2) + (steps[row.id] > 5)}" for row in RELEASED)
    others = {row.id for row in RELEASED if int(row.step_limit) != 2 * steps[row.id]}
    assert others == {"calendar_delete_tasks", "calendar_new_task"}


def test_four_tasks_end_at_success() -> None:
    assert [row.id for row in TABLE if row.stop_on_success == "yes"] == [
        "calculator_recalculate",
        "calculator_square",
        "calendar_laundry",
        "gallery_set_wallpaper",
    ]


def test_remarks_name_the_defects_of_the_release() -> None:
    named = {row.id for row in TABLE if row.remarks}
    assert named >= {
        *("gallery_filter_by_images_and_videos", "gallery_list_view_type", "contacts_delete"),
        *("filemanager_sort_folder_by_size_desc", "filemanager_hide_folder", "note_open"),
        *("note_new_checklist",),
    }


def declared() -> Iterator[dict[str, Any]]:
    """Yield the fields of the suite's tasks."""
    for file in sorted(SUITE.glob("test_*.py")):
        module = importlib.import_module(f"tasks.mobileagentbench.{file.stem}")
        for name, function in vars(module).items():
            for mark in getattr(function, "pytestmark", ()) if name.startswith("test_") else ():
                if mark.name == "parametrize":
                    yield from (each.kwargs for param in mark.args[1] for each in param.marks)


def test_every_row_is_one_task_whose_goal_names_its_app() -> None:
    tasks = list(declared())
    assert Counter(task["goal"] for task in tasks) == Counter(row.goal for row in TABLE)
    assert len({row.goal for row in TABLE}) == len(TABLE)
    assert {task["source"] for task in tasks} == {"MobileAgentBench"}
    remarks = {task["goal"]: task.get("remarks") for task in tasks}
    assert all(remarks[row.goal] == (row.remarks,) for row in TABLE if row.remarks)


def test_no_solution_is_longer_than_the_limit() -> None:
    for task in declared():
        assert len(task.get("solution", ())) <= task.get("step_limit", 20), task["goal"]


# The set-ups, on a phone in this process.


class Shell(NamedTuple):
    """Stands for a device whose shell belongs to a phone in this process."""

    shell: Callable[[str], str]

    @property
    def system(self) -> Shell:
        return self


NUMBERS = "content query --uri content://com.android.contacts/data --projection display_name:data1"
SETUPS: list[tuple[Callable[[Any], Any], str, list[str]]] = [
    (lambda s: s.both(s.nobody, s.person("Zack", "77"), s.person("Yuzai", "123", "y@example.com")),
     f"{NUMBERS} --where \"display_name='Yuzai'\"", ["Yuzai", "data1=123\n", "y@example.com"]),
    (lambda s: s.sent, "content query --uri content://sms/sent --projection address:body",
     ["address=123456789, body=i luv u"]),
    (lambda s: s.files("a.txt", "b.mov"), "ls /sdcard/Download", ["a.txt", "b.mov"]),
    (lambda s: s.image, "content query --uri content://media/external/images/media",
     ["/storage/emulated/0/Download/wallpaper.png"]),
    (lambda s: s.sounds("/sdcard/Music", "a.wav", "b.wav"), "wc -c /sdcard/Music/*.wav",
     ["16044 /sdcard/Music/a.wav", "16044 /sdcard/Music/b.wav"]),
]  # fmt: skip


def setups() -> Any:
    return importlib.import_module("tasks.mobileagentbench.setups")


@pytest.mark.parametrize(("setup", "look", "there"), SETUPS)
def test_a_set_up_leaves_the_same_data_however_often_it_is_done(
    sh: Callable[[str], str], setup: Callable[[Any], Any], look: str, there: list[str]
) -> None:
    counts = []
    for _ in range(2):
        setup(setups())(Shell(sh), "org.demo")
        seen = sh(look)
        assert [part for part in there if part not in seen] == []
        counts.append(seen.count("\n"))
    assert counts[0] == counts[1]


NOTES = """DROP TABLE IF EXISTS notes;
    CREATE TABLE notes (id, title, value, type, path, protection_type, protection_hash);
    INSERT INTO notes (title) VALUES ('General note')"""


def test_notes_are_stored_in_the_database_of_the_app(shell: Callable[..., Any]) -> None:
    folder = "/data/data/org.demo/databases"

    def root(script: str) -> str:
        ran = shell(script, uid=0)
        return f"{ran.out}{ran.err}"

    root(f'mkdir -p {folder}; sqlite3 {folder}/notes.db "{NOTES}"')
    given = (("list", ""), ("Charles's", "I owe $HOME"))
    setups().notes(*given, items=("eggs", "beer"), pin="5ba1")(Shell(root), "org.demo")
    eggs = '{"id":0,"dateCreated":0,"title":"eggs","isDone":false}'
    beer = '{"id":1,"dateCreated":0,"title":"beer","isDone":false}'
    assert root(f"sqlite3 {folder}/notes.db 'SELECT * FROM notes'").splitlines() == [
        f"1|list|[{eggs},{beer}]|1||1|5ba1",
        "2|Charles's|I owe $HOME|0||-1|",
    ]


def test_preferences_are_changed_in_the_file_of_the_app(shell: Callable[..., Any]) -> None:
    file = "/data/data/org.demo/shared_prefs/Prefs.xml"
    whole = '<map>\n    <int name="runs" value="1" />\n</map>'
    for before in (whole, "<map />"):
        script = f"mkdir -p {file.rpartition('/')[0]}; printf %s '{before}' > {file}"
        shell(script, uid=0)
        phone = Shell(lambda script: shell(script, uid=0).out)
        setups().preferred(shown=True, asked=False)(phone, "org.demo")
        kept = shell(f"cat {file}", uid=0).out
        added = '<boolean name="shown" value="true" /><boolean name="asked" value="false" /></map>'
        assert kept.endswith(added)
        assert kept.startswith(before.removesuffix("</map>").removesuffix(" />"))


def test_a_set_up_that_fails_is_an_error_that_says_why(shell: Callable[..., Any]) -> None:
    with pytest.raises(TaskError, match=r"may take `adb root`: .*No such file"):
        setups().run(Shell(lambda script: shell(script).out), "cat /nothing")


# The release.

TASKS = "src/mobile_agent_benchmark/tasks"
DEFAULTS = """
class {name}Task(Task):
    def __init__(self, task_name="{name}", prompt="Do {name} "
                 "and rest. ", min_steps=3, package="org.app", max_steps=6,
                 stop_after_finish={stop}, permissions=[]):
        super().__init__(task_name, prompt, min_steps, package, max_steps, stop_after_finish,
                         permissions)
        self.flag = False
        self.last = None

    def check_finish(self, view_client, app_event) -> bool:
{body}
"""
KEYWORDS = """
class {name}Task(Task):
    def __init__(self):
        super().__init__(task_name="{name}", prompt="{prompt}", min_steps=1, package="org.app",
                         max_steps=2, stop_after_finish=False, permissions=[])

    def check_finish(self, view_client, app_event) -> bool:
{body}
"""
FINDINGS = {
    "sided": ("passes without the goal", "only one side of `or` asks for flag", """
        if app_event == 1 or app_event == 2 and self.flag:
            return True
        return False"""),
    "radio": ("passes without the goal", "the labels of radio buttons are read", """
        radio = view_client.findViewById('org.app:id/radio_size')
        return radio is not None and radio.text() == 'Size'"""),
    "absent": ("passes without the goal", "a view that any other screen lacks", """
        name = view_client.findViewWithText('Robin')
        if name is None:
            self.flag = True
        return self.flag"""),
    "missing": ("may raise", "title is None where the view is missing", """
        title = view_client.findViewWithText('List')
        return title.text() == 'List'"""),
    "unset": ("may raise", "self.before is not set at first", """
        self.last = app_event
        return self.before"""),
    "empty": ("may raise", "app_event.text_list is empty for a click", """
        return app_event.text_list[0] == 'OK'"""),
}  # fmt: skip
FINE = """
        name = view_client.findViewWithText('Robin')
        if name is not None and len(app_event.text_list) and app_event.text_list[0] == 'OK':
            self.flag = True
        return self.flag"""
HALF = """
        if view_client.findViewWithText('.hidden') is not None:
            return True
        return False"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of a release."""
    folder = tmp_path / TASKS
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('it was run')\n")
    (folder / "utils.py").write_text("import nothing.of.the.kind\n")
    for name, (_, _, body) in FINDINGS.items():
        (folder / f"{name}.py").write_text(DEFAULTS.format(name=name, stop=False, body=body))
    (folder / "fine.py").write_text(DEFAULTS.format(name="fine", stop=True, body=FINE))
    goal = "Hide it and make sure that it stays hidden"
    (folder / "half.py").write_text(KEYWORDS.format(name="half", prompt=goal, body=HALF))
    return tmp_path


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The suite's module for reading releases, with a table of its own."""
    module = importlib.import_module("tasks.mobileagentbench.release")
    (tmp_path / "tasks.csv").write_text("id,goal,tags\nfine,Do it.,\nweb,Browse.,online\n")
    monkeypatch.setattr(module, "TABLE", tmp_path / "tasks.csv")
    return module


def test_tasks_are_read_from_defaults_and_from_keywords(release: Any, copy: Path) -> None:
    found = release.read(copy)
    assert found.keys() == {*FINDINGS, "fine", "half", "web"}
    columns = {"app": "org.app", "golden_steps": 3, "step_limit": 6, "stop_on_success": "yes"}
    assert found["fine"] == Released("Do fine and rest.", f"{TASKS}/fine.py:2", columns)
    assert found["half"].columns["step_limit"] == 2
    goals = release.official(copy)
    assert (goals["half"][:7], goals["web"]) == ("Hide it", None)


def test_every_kind_of_defect_is_found_with_its_place(release: Any, copy: Path) -> None:
    found = {Path(each.place).stem: each for each in release.lint(copy)}
    assert found.keys() == {*FINDINGS, "half"}
    for name, (kind, what, _) in FINDINGS.items():
        assert found[name].kind == kind
        assert found[name].what.startswith(what)
        assert found[name].place.startswith(f"{TASKS}/{name}.py:")
    assert found["half"].kind == "checks a part"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class A(Task):\n    def __init__(", "fine.py:2: cannot be read as Python"),
        ("class A(Task):\n    pass\n", "fine.py:1: A has no __init__()"),
        ("class A(Task):\n    def __init__(self):\n        pass\n", "A does not call its base"),
        (DEFAULTS.format(name="a", stop=False, body=FINE).replace("=3", "=f()"), "no min_steps"),
        (KEYWORDS.format(name="a", prompt="Do.", body=HALF).replace("def check", "def x"),
         "aTask has no check_finish()"),
    ],
)  # fmt: skip
def test_unreadable_files_are_named_with_the_line(
    release: Any, copy: Path, text: str, said: str
) -> None:
    (copy / TASKS / "fine.py").write_text(text)
    with pytest.raises(TaskError) as caught:
        (release.read(copy), release.lint(copy))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_release_is_not_that_of_the_table(copy: Path) -> None:
    command = [sys.executable, str(SUITE / "release.py"), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "without a counterpart in the release (100)" in done.stdout
    for file in (copy / TASKS).glob("*.py"):
        file.unlink()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("\n")) == (4, 1)
    assert done.stdout.startswith("ERROR: ")
