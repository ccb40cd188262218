"""Reading a copy of B-MoCA's release, and the defects found in it.

The copy here is small and in our own words. It contains each kind of defect once: every way in
which eight tasks of the release cannot be decided, and further ones.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.releases import Released

if TYPE_CHECKING:
    from collections.abc import Callable

SUITE = Path(__file__).parents[2] / "tasks" / "b_moca"
TASKS = "asset/tasks"
EVALUATOR = "bmoca/environment/evaluator_script/evaluator.py"

TASK = """# as text protos may have it
reset_steps:[
  {{ adb_request: {{ press_button: {{ button: HOME }} }} }}
]
max_episode_steps: {limit}
log_parsing_config: {{
  filters: ["ActivityManager:I"]
  log_regexps: {{ reward_event: {{ event: "^(.*?)\\"It\\" \\[happens {{[" reward: {reward} }} }}
}}
"""
# For each file: the step limit, and the reward for a line of the log.
FILES = {
    "clock/ring_the_bell.textproto": (4, 1),
    "clock/ring_at_9_am_and_sing.textproto": (12, 0),  # the evaluator expects 9:30
    "clock/ring_on_sundays_and_sing.textproto": (16, 0),  # the evaluator expects Mondays and "_"
    "clock/wipe_the_slate_and_ring.textproto": (12, 0),  # the evaluator has a typo
    "maps/fold the map.textproto": (5, 0),
    "paint/paint_it_noire.textproto": (13, 0),  # the evaluator spells it differently
    "paint/paint_it_blue_at_100%.textproto.textproto": (9, 0),
    "reader/read_the_news_.textproto": (11, 0),  # ends with a space
    "reader/read_the_page_to_us_and_go_back.textproto": (13, 0),  # the evaluator uses another verb
    "reader/read_aloud.textproto": (6, 1),  # also decided by the evaluator
}
NEVER = {
    "clock/ring_at_9_am_and_sing": "ring at 9:30 am and sing",
    "clock/ring_on_sundays_and_sing": "ring on mondays_and_sing",
    "clock/wipe_the_slate_and_ring": "whipe the slate and ring",
    "paint/paint_it_noire": "paint it noir",
    "reader/read_the_news_": "read the news",
    "reader/read_the_page_to_us_and_go_back": "read the page to us and return",
}
BRANCHES = [
    "fold the map",
    *NEVER.values(),
    "paint it blue at 100%",
    "read aloud",
    "fold the map",
    "hum a tune",
]
FUNCTION = """
def check_{n}(driver):
    shown = driver.find("title").text.lower()
    return shown == "{text}" and driver.tab.lower() != "{text}"
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of a release."""
    for name, (limit, reward) in FILES.items():
        file = tmp_path / TASKS / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TASK.format(limit=limit, reward=reward), "utf-8")
    chain = "\n".join(
        f"        {'if' if n == 0 else 'elif'} goal == {'Goal: ' + text!r}:\n"
        f"            return app_evaluator.check_{n}(driver)"
        for n, text in enumerate(BRANCHES)
    )
    code = "import nothing.of.the.kind\n\nraise SystemExit('it was run')\n"
    code += f"class Evaluator:\n    def success_detector(self, goal, driver):\n{chain}\n"
    code += "        else:\n            return False\n"
    scripts = (tmp_path / EVALUATOR).parent
    (scripts / "app").mkdir(parents=True)
    (tmp_path / EVALUATOR).write_text(code, "utf-8")
    for n in range(len(BRANCHES) - 1):  # the last one calls a function that does not exist
        text = "Big" if n == 0 else "small"
        (scripts / "app" / f"{n}.py").write_text(FUNCTION.format(n=n, text=text), "utf-8")
    return tmp_path


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The suite's module for reading releases, with the table of this copy."""
    spec = importlib.util.spec_from_file_location("b_moca_release", SUITE / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "TABLE", tmp_path / "tasks.csv")
    (tmp_path / "apps.toml").write_text('Clock = "org.clock"\nReader = "org.reader"\n')
    goals = {"bell": "ring the bell", "news": "read the news ", "ours": ""}
    rows = "".join(
        f"{name},Clock,Do it.,{sha256(goal.encode()).hexdigest()[:8] if goal else ''},4\n"
        for name, goal in goals.items()
    )
    (tmp_path / "tasks.csv").write_text(f"id,app,goal,release_key,release_limit\n{rows}")
    return module


def kinds(findings: Any) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for kind, place, what in ((each.kind, each.place, each.what) for each in findings):
        found.setdefault(kind, []).append((place, what))
    return found


def test_goals_go_to_the_rows_that_know_them_by_their_digest(release: Any, copy: Path) -> None:
    found = release.read(copy)
    bell = {"app": "org.clock", "release_limit": 4}
    assert found["bell"] == Released(
        "ring the bell", f"{TASKS}/clock/ring_the_bell.textproto", bell
    )
    assert found["ours"] == Released(None)
    others = {name for name in found if name not in {"bell", "news", "ours"}}
    named = {f"{TASKS}/{name}" for name in FILES}
    assert others == named - {found["bell"].place, found["news"].place}
    goals = release.official(copy)
    assert (goals["news"], goals["ours"]) == ("read the news", None)


def test_tasks_that_can_never_succeed_are_found_with_what_the_evaluator_has(
    release: Any, copy: Path
) -> None:
    found = dict(kinds(release.lint(copy))["can never succeed"])
    assert set(found) == {f"{TASKS}/{name}.textproto" for name in NEVER}
    for name, spelt in NEVER.items():
        assert found[f"{TASKS}/{name}.textproto"].endswith(f" has {spelt!r}")


def test_other_inconsistencies_are_found(release: Any, copy: Path) -> None:
    found = kinds(release.lint(copy))
    lines = {kind: [place for place, _ in each] for kind, each in found.items()}
    assert lines["blank"] == [f"{TASKS}/reader/read_the_news_.textproto"]
    assert lines["name"] == [
        f"{TASKS}/maps/fold the map.textproto",
        f"{TASKS}/paint/paint_it_blue_at_100%.textproto.textproto",
    ]
    assert lines["decided twice"] == [f"{TASKS}/reader/read_aloud.textproto"]
    assert [what for _, what in found["same goal"]] == [f"'fold the map' is at {EVALUATOR}:6, too"]
    assert len(lines["no task"]) == len(NEVER) + 1
    assert [what for _, what in found["no function"]] == ["nothing defines check_10()"]
    script = EVALUATOR.replace("evaluator.py", "app/0.py")
    assert found["capitals"] == [(f"{script}:4", "lower-cased text never equals 'Big'")] * 2
    assert set(found) == {
        *("can never succeed", "blank", "name", "decided twice", "same goal"),
        *("no task", "no function", "capitals"),
    }


def cut(file: Path) -> None:
    file.write_text(file.read_text("utf-8")[:200], "utf-8")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda copy: cut(copy / TASKS / "clock/ring_the_bell.textproto"), ".textproto:8: it is "),
        (
            lambda copy: (copy / TASKS / "clock/ring_the_bell.textproto").write_text("a: 'b'"),
            """.textproto:1: "'b'" is not a token of a text proto""",
        ),
        (
            lambda copy: (copy / TASKS / "clock/ring_the_bell.textproto").write_text("a: 1\nb: }"),
            ".textproto:2: '}' where a value was expected",
        ),
        (
            lambda copy: (copy / TASKS / "clock/ring_the_bell.textproto").write_text(""),
            ".textproto:1: a task of B-MoCA has max_episode_steps",
        ),
        (
            lambda copy: (copy / TASKS / "clock/ring_the_bell.textproto").write_bytes(b"\xff"),
            ".textproto:1: cannot be read",
        ),
        (lambda copy: (copy / EVALUATOR).write_text("\nif x ==:"), "evaluator.py:2: "),
        (lambda copy: (copy / EVALUATOR).unlink(), "evaluator.py:1: cannot be read"),
        (lambda copy: (copy / "asset").rename(copy / "other"), "asset/tasks has no tasks"),
    ],
)
def test_a_release_that_is_cut_off_or_missing_is_named_with_the_line(
    release: Any, copy: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(copy)
    with pytest.raises(TaskError) as caught:
        release.lint(copy)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_commit_is_not_a_release_of_the_table(copy: Path) -> None:
    command = [sys.executable, str(SUITE / "release.py"), str(copy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "without a counterpart in the release (131)" in done.stdout
    (copy / EVALUATOR).unlink()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("\n")) == (4, 1)
    assert done.stdout.startswith("ERROR: ")
