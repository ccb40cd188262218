"""--agent: agents given by name, file or module, and errors reported before anything starts."""

import pytest

PROGRAM = "--agent=cmd:sh -c true"
REFUSED = {
    "--agent=orakle": "*no agent 'orakle'; did you mean 'oracle'? (available: *noop, *oracle*)*",
    "--agent=python run.py {goal}":
        "*; to run a program, use --agent='cmd:python run.py {goal}' (*",
    "--agent=nowhere.py:Agent": "*there is no file nowhere.py*",
    "--agent=agents/noop.py:Nop": "*defines no 'Nop'; did you mean 'Noop'? (classes: Noop)*",
    "--agent=broken.py:It": "*broken.py is not Python*",
    "--agent=no_such_module:It": "*there is no module 'no_such_module'*",
    "--agent=cmd:": "*--agent=cmd:: a command is missing*",
    "--agent=cmd:python 'run.py": "*its quotes are not closed*",
    "--agent=cmd:no-such-program {goal}": "*no program 'no-such-program' is on the PATH*",
    "--agent=cmd:sh run.sh {task}": "*there is no placeholder {task}; did you mean {goal}?*",
    "--agent=nowhere.toml": "*nowhere.toml*",
    "--mobile-model=openai:gpt-4o": "*--mobile-model=openai:gpt-4o: a program chooses its models*",
    "--mobile-model=scripted:no.jsonl": "*--mobile-model=scripted:no.jsonl: cannot read no.jsonl*",
    "--mobile-agent-option=a=1": "*a program has no agent options*",
    "--mobile-cache=all": "*a program asks its models itself*",
}  # fmt: skip


@pytest.mark.parametrize("argument", REFUSED)
def test_wrong_agents_and_agent_options_are_reported_first(project, argument):
    (project.pytester.path / "broken.py").write_text("def (")
    given = [argument] if argument.startswith("--agent") else [PROGRAM, argument]
    result = project.run("tasks", *given)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([REFUSED[argument]])


def test_an_agent_is_found_in_a_file(project):
    project.run("tasks", "--agent=agents/oracle.py:Oracle", "-k", "code").assert_outcomes(passed=1)


def test_an_agent_is_found_in_a_module(project, monkeypatch):
    project.write(my_agents="from pytest_mobileagent.agent.agent import Scripted as Mine\n")
    monkeypatch.syspath_prepend(project.pytester.path)
    project.run("tasks", "--agent=my_agents:Mine", "-k", "code").assert_outcomes(passed=1)


def test_a_fixture_may_provide_another_agent(project):
    project.write(
        tasks__counter__conftest="""
import pytest
from pytest_mobileagent.agent.agent import Scripted

@pytest.fixture
def agent():
    return Scripted
"""
    )
    project.run("tasks", "--agent=noop", "-k", "code").assert_outcomes(passed=1)


def test_a_file_of_an_agents_folder_holds_one_agent(project):
    project.write(agents__empty="x = 1\n")
    result = project.run("tasks", "--agent=empty", "-k", "code")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*must define one agent class*it defines none*"])


def test_a_program_that_needs_adb_gets_no_device_of_an_appium_hub(project):
    hub = "--mobile-device=appium:http://127.0.0.1:9"
    result = project.pytester.runpytest_inprocess("tasks", hub, "--agent=cmd:sh run.sh {serial}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--agent=cmd:… needs adb, which --mobile-device=appium:* lacks*"])


def test_a_program_is_found_by_the_name_of_its_adapter(project):
    (project.pytester.path / "agents" / "other.toml").write_text('command = ["sh", "-c", "exit 5"]')
    result = project.run("tasks", "--agent=other", "-k", "code")
    result.stdout.fnmatch_lines(["ended    gave up after 0 steps*"])
