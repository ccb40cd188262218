"""--mobile-env: each task in several environments, as separate tests."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent.plugin.selection import selection

if TYPE_CHECKING:
    from tests.project import Project

FILE = """
[[environment]]
id = "{id}"
group = "{group}"
device = "Pixel 3"
size = [1080, 2160]
density = {density}
locale = "{locale}"
dark = true
"""


@pytest.fixture
def worlds(project: Project) -> Project:
    """The project with two environments, "small" and "korean"."""
    folder = project.pytester.path / "environments"
    folder.mkdir()
    tables = (("small", "some", 330, "en-US"), ("korean", "", 440, "ko-KR"))
    (folder / "mine.toml").write_text(
        "".join(FILE.format(id=i, group=g, density=d, locale=tag) for i, g, d, tag in tables)
    )
    conftest = project.pytester.path / "conftest.py"
    hook = "\ndef pytest_mobileagent_environments(config):\n"
    conftest.write_text(
        f'{conftest.read_text()}{hook}    return config.rootpath / "environments"\n'
    )
    return project


def report(project):
    (path,) = (project.pytester.path / "runs").glob("*/report.json")
    return json.loads(path.read_text())


def test_each_environment_is_a_test_with_an_id_of_its_own(worlds):
    result = worlds.run("tasks", "--agent=oracle", "-k", "code", "--mobile-env=small,korean", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["*test_code[[]envsmall[]] PASSED*", "*test_code[[]envkorean[]] PASSED*"]
    )
    result.stdout.fnmatch_lines(["env korean*100.0% (1/1)*", "env small*100.0% (1/1)*"])
    whole = report(worlds)
    assert {task["environment"]: task["id"] for task in whole["tasks"]} == dict.fromkeys(
        ["small", "korean"], "tasks/counter/counter/code"
    )
    rates = {
        name: totals["success_rate"] for name, totals in whole["summary"]["environments"].items()
    }
    assert rates == {"korean": 1.0, "small": 1.0}


def test_the_record_has_the_environment_and_the_device(worlds):
    worlds.run("tasks", "--agent=noop", "-k", "code", "--mobile-env=korean")
    (task,) = report(worlds)["tasks"]
    (run,) = (worlds.pytester.path / "runs").iterdir()
    head = json.loads((run / task["episode"] / "episode.jsonl").read_text().splitlines()[0])
    assert head["case"]["environment"] == "korean"
    assert head["case"]["parameters"] == {}
    device = head["device"]
    assert (device["locale"], device["size"], device["density"]) == ("ko-KR", [1080, 2160], 440)


def test_environments_go_with_parameters_and_epochs(worlds):
    options = ["--agent=noop", "--mobile-env=some", "--mobile-epochs=2"]
    result = worlds.run("tasks", "-k", "test_count[", "-v", *options)
    result.stdout.fnmatch_lines(["*test_count[[]1-envsmall-epoch0[]]*"])
    tasks = report(worlds)["tasks"]
    assert {(task["id"], task["environment"], task["epoch"]) for task in tasks} == {
        (f"tasks/counter/counter/count[{n}]", "small", epoch) for n in (1, 2) for epoch in (0, 1)
    }


def test_a_solution_in_another_language_is_not_a_failure(worlds):
    worlds.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import open_app, tap, task

@task("Go.", app="com.example.counter", solution=[open_app(), tap(text="Not there")])
def test_go(episode):
    assert episode
"""
    )
    result = worlds.run("tasks", "--agent=oracle", "--mobile-env=korean", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*speaks en, and environment korean speaks ko-KR: move 2*"])
    assert [task["skipped_for"] for task in report(worlds)["tasks"]] == ["language"]
    worlds.run("tasks", "--agent=oracle", "--mobile-env=small").assert_outcomes(errors=1)


def test_tests_that_are_not_tasks_run_once(worlds):
    worlds.write(tasks__counter__test_other="def test_other(): pass")
    result = worlds.run("tasks/counter/test_other.py", "--mobile-env=all")
    result.assert_outcomes(passed=1)


def test_a_device_that_a_test_asks_for_is_in_the_environment(worlds):
    worlds.write(
        tasks__counter__test_counter="""
from pytest_mobileagent import task

@task("Go.", app="com.example.counter")
def test_go(episode, device, mobile_env):
    assert mobile_env == "korean"
    assert device.info.locale == "ko-KR"
"""
    )
    result = worlds.run("tasks", "--agent=noop", "--mobile-env=korean")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            "huge",
            "*--mobile-env=huge (--mobile-env) names 'huge'; choose from all, some and *small*",
        ),
        ("small,,", "*--mobile-env=small,, (from --mobile-env) must be a list such as*"),
    ],
)
def test_an_unknown_environment_is_a_usage_error(worlds, value, message):
    result = worlds.run("tasks", "--agent=noop", f"--mobile-env={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_a_broken_file_is_a_usage_error_that_names_it(worlds):
    (worlds.pytester.path / "environments" / "bad.toml").write_text("[[environment]]\nid = 7\n")
    result = worlds.run("tasks", "--agent=noop", "--mobile-env=small")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*bad.toml: environment 7: device is missing*"])
    worlds.run("tasks", "--agent=noop", "-k", "code").assert_outcomes(failed=1)


def test_without_a_folder_no_environment_is_known(project):
    result = project.run("tasks", "--agent=noop", "--mobile-env=100")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*none: no folder of environments is registered*"])


def test_the_environments_are_a_part_of_the_selection():
    config: Any = SimpleNamespace(option=None, stash={}, args=())
    settings: Any = {
        "mobile-sample": SimpleNamespace(value=None),
        "mobile-env": SimpleNamespace(value=("105", "100")),
    }
    assert selection(config, settings) == {"paths": [], "--mobile-env": ["100", "105"]}
