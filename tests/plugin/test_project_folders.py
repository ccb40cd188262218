"""Folders of agents, apps and environments registered by ini keys or by hooks in a conftest.py."""

from __future__ import annotations

import pytest

AGENT = """
from pytest_mobileagent import Agent, Finish

class Mine(Agent):
    def step(self, observation):
        return Finish({says!r})
"""
TASK = """
from pytest_mobileagent import task

@task("Say who you are.")
def test_who(episode):
    assert episode.answers("project")
"""
HOOK = """
def pytest_mobileagent_{what}(config):
    return config.rootpath / "nowhere"
"""
KEYS = {
    "agents": "mobile_agent_paths",
    "apps": "mobile_app_paths",
    "environments": "mobile_env_paths",
    "noise": "mobile_noise_paths",
}


def test_agents_in_ini_folders_are_found_by_name_before_shipped_ones(project):
    project.pytester.makefile(".toml", pyproject='[tool.pytest]\nmobile_agent_paths = ["mine"]')
    (project.pytester.path / "tox.ini").unlink()
    project.write(conftest="", tasks__test_who=TASK, mine__noop=AGENT.format(says="project"))
    result = project.run("tasks/test_who.py", "--agent=noop", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


def test_shipped_agents_are_found_in_every_project(pytester):
    pytester.makepyfile("def test_something(): pass")
    assert pytester.runpytest_inprocess("--agent=truncated_oracle").ret == 0
    result = pytester.runpytest_inprocess("--agent=orakel")
    told = "ERROR: there is no agent 'orakel'; did you mean 'oracle'? (available: "
    head, _, listed = result.stderr.lines[0].partition(told)
    assert head == ""
    shipped = {"oracle", "truncated_oracle", "noop", "random", "lexical"}
    assert shipped <= set(listed.rstrip(")").split(", "))


@pytest.mark.parametrize("what", KEYS)
def test_a_folder_that_is_missing_is_reported_with_where_it_is_named(pytester, what):
    if what in {"agents", "noise"}:
        pytester.makeini(f"[pytest]\n{KEYS[what]} = nowhere")
        source = f"ini key {KEYS[what]}"
    else:
        pytester.makeconftest(HOOK.format(what=what))
        source = f"hook pytest_mobileagent_{what}"
    result = pytester.runpytest_inprocess("--agent=noop")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = f"ERROR: {source} names {pytester.path / 'nowhere'}, which is not a folder: create it, "
    assert result.stderr.lines == [f"{told}or remove the entry", ""]


def test_help_works_with_missing_folders(pytester):
    pytester.makeini("[pytest]\nmobile_agent_paths = nowhere")
    result = pytester.runpytest_inprocess("--help")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*mobile_agent_paths (paths):*"])


@pytest.mark.parametrize("named", ["object", "'abroad'"])
def test_an_invalid_source_of_devices_is_a_usage_error(pytester, named):
    pytester.makeconftest(f"def pytest_mobileagent_sources(config): return {{'abroad': {named}}}")
    result = pytester.runpytest_inprocess("--mobile-device=abroad:ko-KR")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the value for 'abroad' must be a subclass of `Source`*"])
