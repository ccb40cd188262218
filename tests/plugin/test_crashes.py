"""App crashes during an episode: in failures, in reports, and in a task's own solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    from pathlib import Path

# Each button crashes the app in a different way.
APP = """
from pytest_mobileagent.virtual.sdk import Activity, App, Button, Column, Icon, Text


class Broken(Activity):
    name = ".BrokenActivity"
    title = "Broken"

    def on_create(self):
        raise RuntimeError("no such day")

    def content(self):
        return Text("never")


class Unseen(Activity):
    name = ".UnseenActivity"
    title = "Unseen"

    def content(self):
        return Text({}["glass"])


class Main(Activity):
    name = ".MainActivity"
    title = "Water"

    def content(self):
        return Column([
            Button("Add", on_click=lambda: self.add(1, "2")),
            Button("Chained", on_click=self.chained),
            Button("Created", on_click=lambda: self.start(Broken)),
            Button("Drawn", on_click=lambda: self.start(Unseen)),
            Button("Asked", on_click=self.ask),
        ])

    def add(self, first, second):
        return first + second

    def chained(self):
        try:
            int("two")
        except ValueError as error:
            raise LookupError("no glass") from error

    def ask(self):
        self.app.database("water.db").query("select * from gone")


class Water(App):
    package, label = "com.example.water", "Water"
    icon = Icon("add", "#2e7d32")
    activities = (Main, Broken, Unseen)
"""
TASKS = """
import pytest
from pytest_mobileagent import open_app, tap, task

@pytest.mark.parametrize("way", ["Add", "Chained", "Created", "Drawn", "Asked"])
@task(
    "Tap {way}.", app="com.example.water", golden_steps=2,
    solution=[open_app(), tap(text="{way}")],
)
def test_water(episode, way):
    assert episode.screen.find(text="2 glasses")
"""
SOLUTION = """
import pytest
from pytest_mobileagent import open_app, tap, task
from pytest_mobileagent.agent.agent import Scripted

@pytest.fixture
def agent():
    return Scripted

@task("Tap.", app="com.example.water", solution=[open_app(), tap(text="Drawn")])
def test_solution(episode):
    assert episode.screen.find(text="2 glasses")
"""
TAPS = """
from pytest_mobileagent import Agent, Finish, Open, Tap

class Taps(Agent):
    def start(self, briefing):
        self.wanted = briefing.goal.split()[1].strip(".")
        self.is_open = False
    def step(self, observation):
        if not self.is_open:
            self.is_open = True
            return Open("com.example.water")
        found = observation.screen.find(text=self.wanted)
        return Tap(*found.bounds.center) if found else Finish()
"""
CRASHES = {
    "Add": "TypeError: unsupported operand type(s) for +: 'int' and 'str', apps/water.py:38",
    "Chained": "LookupError: no glass, apps/water.py:44",
    "Created": "RuntimeError: no such day, apps/water.py:10",
    "Drawn": "KeyError: 'glass', apps/water.py:21",
    "Asked": "sqlite3.OperationalError: no such table: gone, apps/water.py:47",
}


@pytest.fixture
def water(project: Any) -> Any:
    """A project with a crashing app and a phone of its own."""
    project.write(conftest="", apps__water=APP, agents__taps=TAPS, tasks__test_water=TASKS)
    project.write(tasks__test_solution=SOLUTION)
    (project.pytester.path / "tox.ini").unlink()
    project.pytester.makefile(
        ".toml",
        pyproject='[tool.pytest]\nmobile_app_paths = ["apps"]\nmobile_agent_paths = ["agents"]',
    )
    return project


def test_five_ways_to_crash_are_reported_and_counted(water: Any, tmp_path: Path) -> None:
    junit = tmp_path / "junit.xml"
    result = water.pytester.runpytest_inprocess(
        "tasks",
        "--agent=taps",
        "-kwater or solution",
        "--mobile-gate=crashes <= 4",
        f"--junitxml={junit}",
    )
    result.assert_outcomes(failed=5, errors=1)
    for crash in CRASHES.values():
        result.stdout.fnmatch_lines([f"crash    com.example.water: {crash}*, at step 2"])
    result.stdout.fnmatch_lines(["gate FAIL: crashes 5 (at most 4)"])
    report = newest_report(water.pytester.path)
    broken = report["tasks"].pop(0)
    assert (broken["outcome"], broken["fault"]) == ("error", "task")
    told = "its own solution crashes an app, at step 2: com.example.water: KeyError: 'glass'"
    assert told in broken["reason"]
    source = report["tasks"][0]["verdict"]["evidence"]["source"]
    assert source["text"].split("\n")[source["line"] - source["first"]] == (
        '    assert episode.screen.find(text="2 glasses")'
    )
    assert {task["cause"].partition(":")[0] for task in report["tasks"]} == {
        "crash of com.example.water"
    }
    assert [task["crashes"] for task in report["tasks"]] == [1] * 5
    assert [task["infrastructure"] for task in report["tasks"]] == [[]] * 5
    assert report["summary"]["crashes"] == 5
    found = ET.parse(junit).iter("property")
    assert [each.get("value") for each in found if each.get("name") == "mobile_crashes"] == [
        "1"
    ] * 5
