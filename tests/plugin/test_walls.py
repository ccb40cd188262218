"""Tasks that fail at a log-in page, which is an error if the page blocks every agent."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from pytest_mobileagent.device.sources.virtual import VirtualSource
from pytest_mobileagent.episode.findings import TRIALS, WallTrial, last_trial
from pytest_mobileagent.jsonable import read_as
from pytest_mobileagent.report.html.episode import episode_data
from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from pathlib import Path

    from tests.project import Project

WALLS = """
[log-in]
texts = ["Log in|Sign in", "Password"]
"""
# An app that cannot be used without an account, and one in which only a tap leads to its log-in
# page.
CONFTEST = """
import pytest
from pytest_mobileagent import Agent, Finish, Open, Tap
from pytest_mobileagent.testing import FakeLease, MemoryPhone, make_screen

SHUT, FREE = "com.example.shut", "com.example.free"
PAGES = {
    "home": make_screen("Apps", package="launcher"),
    "shut": make_screen("Shut", "Password", "LOG  IN", package=SHUT, shade=9),
    "free": make_screen("News", "Account", "Puzzle", package=FREE),
    "log-in": make_screen("Free", "Password", "Sign in", package=FREE, shade=99),
    "puzzle": make_screen("Slide to go on", package=FREE, shade=50),
}
LINKS = {("home", SHUT): "shut", ("home", FREE): "free", ("free", "Account"): "log-in",
         ("free", "Puzzle"): "puzzle"}

class Goes(Agent):
    def start(self, briefing):
        self.words = briefing.goal.split()
    def step(self, observation):
        if not self.words:
            return Finish()
        word = self.words.pop(0)
        found = observation.screen.find(text=word)
        if found is None:
            return Open(word) if "." in word else Finish()
        return Tap(*found.bounds.center)

class Lease(FakeLease):
    def get(self):
        with open("leases", "a") as noted:
            noted.write("leased\\n")
        return super().get()

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease(MemoryPhone(PAGES, LINKS, apps=[SHUT, FREE]))

@pytest.fixture(scope="session")
def agent():
    return Goes
"""
TASKS = """
import pytest
from pytest_mobileagent import task

SHUT, FREE = "com.example.shut", "com.example.free"

@task(SHUT, app=SHUT)
def test_shut(episode):
    assert episode.screen.get(text="Basket")

@task(f"{FREE} Account", app=FREE)
def test_walked_in(episode):
    assert episode.screen.get(text="Basket")

@task(FREE, app=FREE)
def test_elsewhere(episode):
    assert episode.screen.find(text="Basket")

@task(SHUT, app=SHUT)
def test_met(episode):
    assert episode.screen.get(text="Password")

@pytest.mark.xfail
@task(SHUT, app=SHUT)
def test_expected(episode):
    assert episode.screen.find(text="Basket")
"""
NO_DEVICE = """
import pytest

@pytest.fixture(scope="session")
def mobile_lease():
    pytest.fail("a device was asked for")
"""


class Suite:
    """A suite with a file of walls, run on a phone in memory."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        folder = pytester.path / "tasks" / "suite" / "deep"
        folder.mkdir(parents=True)
        (folder / "test_walls.py").write_text(TASKS)
        self.walls = folder.parent / "walls.toml"
        self.walls.write_text(WALLS)
        pytester.makeconftest(CONFTEST)
        pytester.makeini("[pytest]\nmobile_agent = goes")

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run the suite."""
        off = ("-p", "no:cacheprovider", "--mobile-agent-process=off", "--import-mode=importlib")
        return self.pytester.runpytest_inprocess("tasks", *off, *arguments)

    @property
    def folder(self) -> Path:
        """The folder of the most recent run."""
        return max((self.pytester.path / "runs").iterdir(), key=lambda each: each.stat().st_mtime)

    def tasks(self) -> dict[str, Any]:
        """Return the tasks of the most recent report, keyed by the names of their tests."""
        entries = json.loads((self.folder / "report.json").read_text())["tasks"]
        return {each["nodeid"].rpartition("test_")[2]: each for each in entries}


@pytest.fixture
def suite(pytester: pytest.Pytester) -> Suite:
    return Suite(pytester)


def outcomes(suite: Suite) -> dict[str, tuple[str, str | None]]:
    return {name: (task["outcome"], task["fault"]) for name, task in suite.tasks().items()}


EXPECTED = {
    "shut": ("error", "infrastructure"),
    "walked_in": ("failed", "agent"),
    "elsewhere": ("failed", "agent"),
    "met": ("passed", None),
    "expected": ("xfailed", None),
}


def test_a_wall_that_blocks_any_user_is_not_a_failure(suite: Suite) -> None:
    result = suite.run("--junitxml=junit.xml", "-rA")
    assert outcomes(suite) == EXPECTED
    # Five episodes and two trials: tasks that passed or failed elsewhere are not tried.
    assert (suite.pytester.path / "leases").read_text().count("leased") == 7
    result.stdout.fnmatch_lines(
        [
            "wall     a wall blocks com.example.shut: *; it is there, too, when *",
            "screen   *-wall.png",
            "wall     *in tasks/suite/walls.toml, line 2 (log-in); it is not there when *free*",
        ]
    )
    tasks = suite.tasks()
    assert tasks["shut"]["reason"] == f"infrastructure: {tasks['shut']['infrastructure'][0]}"
    assert tasks["shut"]["verdict"] is None
    assert "it is not there" in tasks["walked_in"]["verdict"]["evidence"]["wall"]
    junit = {
        case.get("name"): {each.tag for each in case}
        for case in ET.parse(suite.pytester.path / "junit.xml").iter("testcase")
    }
    assert {"error"} <= junit["test_shut"]
    assert {"failure"} <= junit["test_walked_in"]
    shut, walked = (suite.folder / tasks[name]["episode"] for name in ("shut", "walked_in"))
    assert (trial := last_trial(shut)) is not None
    assert (trial.stands, trial.app, trial.screen) == (True, "com.example.shut", 2)
    for episode, stands, last in ((shut, True, "wall"), (walked, False, "tap")):
        *_, frame = episode_data(episode, suite.folder)["frames"]
        assert frame["wall"]["stands"] is stands
        assert (suite.folder / frame["png"]).is_file()
        assert max((episode / "screens").glob("*.png")).stem.rpartition("-")[2] == last
    _score_again(suite)


def _score_again(suite: Suite) -> None:
    """Score the run again: recorded trials count, and an episode without trials was not tried."""
    first = suite.folder
    suite.pytester.makeconftest(NO_DEVICE)
    suite.run(f"--mobile-rescore={first}")
    assert suite.folder != first
    assert outcomes(suite) == EXPECTED
    *_, frame = episode_data(suite.folder / suite.tasks()["shut"]["episode"], suite.folder)[
        "frames"
    ]
    assert (suite.folder / frame["png"]).is_file()
    for trial in first.glob(f"episodes/*/{TRIALS}"):
        trial.unlink()
    shutil.rmtree(suite.folder)
    suite.run(f"--mobile-rescore={first}", "-k", "shut")
    task = suite.tasks()["shut"]
    assert (task["outcome"], task["fault"]) == ("failed", "agent")
    assert "it was not tried" in task["verdict"]["evidence"]["wall"]


def test_resumed_run_repeats_a_task_stopped_by_a_wall(suite: Suite) -> None:
    suite.run("-k", "shut")
    again = CONFTEST.replace('make_screen("Shut", "Password", "LOG  IN"', 'make_screen("Basket"')
    suite.pytester.makeconftest(again)
    suite.run("-k", "shut", f"--mobile-resume={suite.folder}")
    assert outcomes(suite) == {"shut": ("passed", None)}


def test_without_a_reset_no_wall_is_tried(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    cleared = """
    def reset(self, snapshot, apps):
        from pytest_mobileagent.episode.observation import Reset
        super().reset(snapshot, apps)
        return Reset("cleared", cleared=tuple(apps), reason="it has no snapshots")

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease(Phone(PAGES, LINKS, apps=[SHUT, FREE]))
"""
    remarks = []
    for phone in (f"{CONFTEST}\nclass Phone(MemoryPhone):{cleared}", CONFTEST):
        suite.pytester.makeconftest(phone)
        suite.run("-k", "shut")
        task = suite.tasks()["shut"]
        assert (task["outcome"], task["fault"]) == ("failed", "agent")
        remarks.append(task["verdict"]["evidence"]["wall"])
        monkeypatch.setattr(VirtualSource, "is_live", False)  # recorded pages are not live either
    why = "not tried: fake cannot be reset to its start"
    assert f"{why} (it has no snapshots: cleared com.example.shut)" in remarks[0]
    assert why in remarks[1]


def test_device_that_breaks_during_trials_is_replaced_once(suite: Suite) -> None:
    breaks = """
    def reset(self, snapshot, apps):
        self.resets = getattr(self, "resets", 0) + 1
        if self.resets in BROKEN:
            from pytest_mobileagent.errors import DeviceError
            raise DeviceError("the phone is gone")
        return super().reset(snapshot, apps)

@pytest.fixture(scope="session")
def mobile_lease():
    return Lease(Phone(PAGES, LINKS, apps=[SHUT, FREE]))
"""
    again = TASKS.replace("def test_shut", "def test_shut_again").partition("@task(f")[0]
    shut = TASKS.partition("@task(f")[0] + again.partition('free"\n')[2]
    (suite.walls.parent / "deep" / "test_walls.py").write_text(shut)
    # Each task takes one reset, each trial another. The first trial fails once, the second twice.
    phone = f"{CONFTEST}\nclass Phone(MemoryPhone):{breaks}".replace("BROKEN", "(2, 5, 6)")
    suite.pytester.makeconftest(phone)
    suite.run()
    tasks = suite.tasks()
    assert {n: task["outcome"] for n, task in tasks.items()} == {
        "shut": "error",
        "shut_again": "failed",
    }
    trial = last_trial(suite.folder / tasks["shut_again"]["episode"])
    assert trial is not None
    assert (trial.stands, trial.reason) == (None, "DeviceError: the phone is gone")


JUDGED = """
from pytest_mobileagent import rows, task

MAZE, FREE = "com.example.shut", "com.example.free"

@task(f"{FREE} Puzzle", app=FREE)
def test_passed_by(episode, judge):
    assert judge(episode)

@task(MAZE, app=MAZE)
def test_claimed(episode, judge):
    assert judge(episode)

@task(f"{MAZE} deny", app=MAZE)
def test_denied(episode, judge):
    assert judge(episode)

@task(f"{FREE} Account", app=FREE)
def test_known(episode, judge):
    assert judge(episode)
"""


def test_judges_may_report_a_wall_without_a_pattern(suite: Suite) -> None:
    (suite.walls.parent / "deep" / "test_walls.py").write_text(JUDGED)
    suite.pytester.makeconftest(
        CONFTEST.replace('"Shut", "Password", "LOG  IN"', '"Find the way out of the maze"')
    )
    script = suite.pytester.path / "judge.jsonl"
    says = {"Account": "0", "deny": "0", "Puzzle": "wall", "| com.example.shut": "wall"}
    lines = [{"when": goal, "reply": f"Result: {result}"} for goal, result in says.items()]
    script.write_text("".join(json.dumps(each) + "\n" for each in lines))
    judges = f"--mobile-judges=scripted:{script}"
    suite.run("--llm-judge=single", judges, "--mobile-cache=off")
    tasks = suite.tasks()
    folders = {name: suite.folder / task["episode"] for name, task in tasks.items()}
    assert outcomes(suite) == {
        "passed_by": ("failed", "agent"),  # the agent saw other screens of the app
        "claimed": ("error", "infrastructure"),
        "denied": ("failed", "agent"),
        "known": ("failed", "agent"),
    }
    assert {name for name, folder in folders.items() if last_trial(folder)} == {"claimed", "known"}
    assert "took the last screen for a wall" in tasks["claimed"]["reason"]
    asked = {name: (each / "judges.jsonl").read_text() for name, each in folders.items()}
    offered = {name for name, text in asked.items() if "`Result: wall`" in text}
    assert offered == {"passed_by", "claimed", "denied"}


def test_invalid_pattern_file_ends_the_run_before_a_device_starts(suite: Suite) -> None:
    suite.walls.write_text('\n[log-in]\ntexts = ["Log in"]\nwords = 3\n')
    suite.pytester.makeconftest(NO_DEVICE)
    result = suite.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(
        ["*tasks/suite/walls.toml, line 4 (log-in): a wall has no 'words'; it may have *"]
    )
    assert not (suite.pytester.path / "runs").exists()


def test_a_trial_is_described_in_words() -> None:
    tried = WallTrial("m took it for a wall", 3, "com.shop", True)
    assert str(tried).endswith("it is there, too, when com.shop is opened after a reset")
    assert read_as(WallTrial, {**tried.to_json(), "new": 1}, "trial") == tried


APPS = """
from pytest_mobileagent.virtual.sdk import Activity, App, Button, Column, Text

class LogIn(Activity):
    name = ".LogInActivity"
    title = "Welcome"

    def content(self):
        field = self.field("password", id="password", hint="Password")
        return Column([Text("Password"), field, Button("Log in", id="login")])

class News(Activity):
    name = ".NewsActivity"
    title = "News"

    def content(self):
        return Column([Button("Account", id="account", on_click=lambda: self.start(LogIn))])

class Shut(App):
    package, label, activities = "com.example.shut", "Shut", (LogIn,)

class Free(App):
    package, label, activities = "com.example.free", "Free", (News, LogIn)
"""


@pytest.mark.slow
def test_each_worker_tries_walls_on_its_own_phone(project: Project) -> None:
    project.write(
        apps__shops=APPS,
        conftest="""
def pytest_mobileagent_agents(config):
    return config.rootpath / "agents"

def pytest_mobileagent_apps(config):
    return config.rootpath / "apps"
""",
        tasks__counter__test_counter="""
from pytest_mobileagent import open_app, tap, task

@task("Shop.", app="com.example.shut", solution=[open_app()])
def test_shut(episode):
    assert episode.screen.get(text="Basket")

@task("Shop.", app="com.example.free", solution=[open_app(), tap(text="Account")])
def test_walked_in(episode):
    assert episode.screen.get(text="Basket")
""",
    )
    (project.pytester.path / "tasks" / "walls.toml").write_text(WALLS)
    project.run_virtual("tasks", "--agent=oracle", "-n2", "-p", "xdist")
    tasks = newest_report(project.pytester.path)["tasks"]
    assert [(task["id"].rpartition("/")[2], task["outcome"]) for task in tasks] == [
        ("shut", "error"),
        ("walked_in", "failed"),
    ]
    assert "is opened after a reset" in tasks[1]["verdict"]["evidence"]["wall"]
