"""Broken tasks are reported as such before an agent is blamed for them.

This includes tasks for apps that no phone has, whether by mistake or on purpose.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_mobileagent.plugin.broken import nearest
from tests.plugin.projects import PHONE, newest_report


def test_broken_task_is_reported_before_the_agent_is_blamed(project):
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import open_app, tap, task

@task("Press it.", app="com.example.counter", solution=[open_app(), tap(text="Absent")])
def test_press(episode):
    assert True

@task("Say {word}.", app="com.example.counter")
def test_say(episode):
    assert True
"""
    )
    result = project.run("tasks", "--agent=oracle")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(
        [
            "*the task is broken: move 2 of the solution, tap(text='Absent')*",
            "*cannot fill 'Say {word}.'*",
        ]
    )
    assert {task["success"] for task in newest_report(project.pytester.path)["tasks"]} == {None}


def test_a_method_of_unittest_is_refused_with_advice(project):
    project.write(
        tasks__counter__test_counter="""
import unittest
from pytest_mobileagent import task

class TestCounter(unittest.TestCase):
    def test_it(self, episode): pass

    @task("Press it.", app="com.example.counter")
    def test_press(self, episode): pass

    def test_sum(self): self.assertEqual(1 + 1, 2)

class TestOthers:
    @task("Press it.", app="com.example.counter")
    def test_press(self, episode): assert True
"""
    )
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(passed=2, errors=2)
    text = result.stdout.str()
    assert "TypeError" not in text
    for name in ("test_it", "test_press"):
        assert (
            f"make {name} a function of the module, or remove the base class of TestCounter" in text
        )


def test_a_test_that_is_not_a_task_cannot_request_an_episode(project):
    project.write(tasks__counter__test_counter="def test_it(episode): pass")
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*is not a task: add @task*"])


BROKEN_TASKS = {
    "a misspelt field": (
        '@task("Go.", kind="operatoin")\ndef test_go(episode): pass',
        "*kind='operatoin' is not one of*did you mean 'operation'?*",
    ),
    "a field": (
        '@pytest.mark.mobile_task("Go.", kind="bogus")\ndef test_go(episode): pass',
        "*kind='bogus' is not one of*",
    ),
    "positions": (
        '@pytest.mark.mobile_task("Go.", "com.app")\ndef test_go(episode): pass',
        "*fields are given by name, not 'com.app'*",
    ),
    "no episode": (
        '@task("Go.")\ndef test_go(): pass',
        "*test_go is a task but does not request `episode`*",
    ),
    "async": ('@task("Go.")\nasync def test_go(episode): pass', "*test_go is asynchronous*"),
}


@pytest.mark.parametrize("what", BROKEN_TASKS)
def test_undecidable_task_is_a_collection_error(project, what):
    source, message = BROKEN_TASKS[what]
    imports = "import pytest\nfrom pytest_mobileagent import task\n\n"
    project.write(tasks__counter__test_broken=imports + source)
    result = project.run("tasks", "--agent=noop")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


TASKS = """
import pytest
from pytest_mobileagent import task

@task("Count.", app="com.example.countre")
def test_count(episode):
    assert episode.answer

@task("Count.", apps=["com.example.counter", "com.android.systemu"])
def test_two(episode):
    assert episode.answer

@task("Look.", app="com.example.elsewhere")
def test_look(episode):
    assert episode.answer
"""
MEANT = {
    "com.example.countre": "com.example.counter",
    "com.android.systemu": "com.android.systemui",
}
FILE = "tasks/counter/test_counter.py"
SAID = [
    *(
        f"the phones have no app '{app}': did you mean '{meant}'? (*"
        for app, meant in MEANT.items()
    ),
    "If the name is correct, add it to the suite's apps.toml, *: Label = *",
]


def run(project: Any, *arguments: str) -> pytest.RunResult:
    """Run pytest with the default device: virtual phones that the run starts."""
    result: pytest.RunResult = project.pytester.runpytest_inprocess("tasks", *arguments)
    return result


@pytest.mark.parametrize(
    "more", [["--collect-only", "-kno"], pytest.param(["-n1"], marks=pytest.mark.slow)]
)
def test_misspelt_app_is_a_collection_error(project: Any, more: list[str]) -> None:
    project.write(tasks__counter__test_counter=TASKS)
    result = run(project, "--agent=noop", *more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(SAID)
    result.stdout.no_fnmatch_line("*elsewhere*")
    result.stdout.fnmatch_lines([f"*counter'? (test_count, {FILE}:5)", f"*(test_two, {FILE}:9)"])
    result.stdout.fnmatch_lines([f"ERROR {FILE} - the phones have no app *"])


def test_table_row_is_named_by_its_line(project: Any) -> None:
    project.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import rows, tasks

@tasks(rows("counter.csv"))
def test_row(episode, row):
    assert episode.answer
"""
    )
    table = project.pytester.path / "tasks" / "counter" / "counter.csv"
    table.write_text("goal,app\nCount.,com.example.counter\nCount.,com.example.cuonter\n")
    result = run(project, "--collect-only")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(
        ["*no app 'com.example.cuonter': *counter'? (*counter.csv, line 3 (2))"]
    )


def test_app_listed_by_a_suite_may_be_missing(project: Any) -> None:
    project.write(tasks__counter__test_counter=TASKS)
    own, others = (project.pytester.path / "tasks" / name for name in ("counter", "other"))
    others.mkdir()
    (own / "apps.toml").write_text('[a]\nb = ["com.example.countre"]')
    file = others / "apps.toml"
    file.write_text('Counter = "org.a|com.android.systemu"')
    result = run(project, "--collect-only", "-q")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["3 tests collected*"])
    file.write_text("=")
    result = run(project, "--collect-only")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*apps.toml: *"])


def test_misspelling_is_found_among_alternative_apps(project: Any) -> None:
    tasks = TASKS.replace("com.android.systemu", "com.away|com.example.counter")
    similar = "com.example.countre|com.example.counter"  # the similar name is among them
    project.write(tasks__counter__test_counter=tasks.replace("com.example.countre", similar))
    assert run(project, "--collect-only", "-q").ret == 0
    away = tasks.replace("com.example.countre", "com.away|com.example.countre")
    project.write(tasks__counter__test_counter=away)
    result = run(project, "--collect-only", "-q")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*no app 'com.example.countre': did you mean *counter'*"])


OWN_SOURCE = """
from pytest_mobileagent.device.sources.virtual import VirtualSource

class Farm(VirtualSource):
    form = "farm"
    def packages(self, options, shared):
        return {packages}

def pytest_mobileagent_sources(config):
    return {{"farm": Farm}}
"""


def test_apps_of_other_device_sources_are_not_checked(project: Any) -> None:
    project.write(tasks__counter__test_counter=TASKS, tasks__conftest=PHONE)
    run(project, "--agent=noop").assert_outcomes(failed=3)  # this phone accepts any app
    assert run(project, "--collect-only", "--mobile-device=serial:none").ret == 0


@pytest.mark.parametrize(("packages", "status"), [("None", 0), ("['com.example.counter']", 4)])
def test_any_source_may_declare_its_packages(project: Any, packages: str, status: int) -> None:
    with (project.pytester.path / "conftest.py").open("a", encoding="utf-8") as file:
        file.write(OWN_SOURCE.format(packages=packages))
    project.write(tasks__counter__test_counter=TASKS)
    assert run(project, "--collect-only", "--mobile-device=farm").ret == status


def test_app_with_computed_package_is_known(project: Any) -> None:
    project.write(
        apps__more='''
from pytest_mobileagent.virtual.sdk import App

class Countre(App):
    """An app whose package is not written out."""
    package, label = "com.example." + "countre", "Countre"
''',
        tasks__counter__test_counter=TASKS.replace("systemu", "systemui"),
    )
    option = f"--override-ini=mobile_app_paths={project.pytester.path / 'apps'}"
    assert run(project, "--collect-only", option).ret == 0


KNOWN = [
    "com.google.android.calculator",
    "com.google.android.deskclock",
    "com.google.android.apps.photos",
    "org.coursera.android",
    "com.android.camera2",
    "com.wuba",
]


@pytest.mark.parametrize(
    ("package", "near"),
    [
        ("com.google.andriod.deskclock", "com.google.android.deskclock"),
        ("com.google.android.DeskClock", "com.google.android.deskclock"),
        ("com.coursera.android", "org.coursera.android"),
        ("com.wubba", "com.wuba"),
        ("com.android.camera", "com.android.camera2"),
        ("com.google.android.calendar", ""),
        ("com.google.android.apps.podcasts", ""),
        ("com.google.android.apps", ""),
        ("com", ""),
    ],
)
def test_only_very_similar_names_are_suggested(package: str, near: str) -> None:
    assert nearest(package, KNOWN) == near
    assert nearest(package, []) == ""
