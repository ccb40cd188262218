"""Placeholders in a program's command and files: every goal arrives unchanged."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.errors import AgentError
from pytest_mobileagent.program import Values, fill, fill_file, fill_words, flaw, used

GOAL = """He said "it's {serial}"; $(reboot) `x` \\ {{goal}} %s\n--help"""


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{goal}", GOAL),
        ("--task={goal}!", f"--task={GOAL}!"),
        ("{serial}:{adb_port}", "emulator-5554:5038"),
        ("{{goal}}", "{goal}"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1}}'),
        ("{} {Goal} {goal!r} {goal.x} {0}", "{} {Goal} {goal!r} {goal.x} {0}"),
        ("{{serial}", "{emulator-5554"),
        ("${serial}", "$emulator-5554"),
        ("--mcp={mcp_command}", "--mcp=python -m 'my mcp'"),
    ],
)
def test_placeholders_are_replaced_once(text, filled):
    values = Values(GOAL, "emulator-5554", adb_port="5038", mcp_command=("python", "-m", "my mcp"))
    assert fill(text, values) == filled


def test_command_placeholder_becomes_several_words():
    values = Values("go", mcp_command=("python", "-m", "a b"))
    assert fill_words(["x", "{mcp_command}", "y"], values) == ["x", "python", "-m", "a b", "y"]


@given(st.text())
def test_any_goal_is_one_argument(goal):
    (word,) = fill_words(["{goal}"], Values(goal))
    assert word == goal.replace("\0", "\ufffd")


@given(st.text(st.characters(exclude_categories=[])))
def test_any_goal_can_be_passed_to_a_program(goal):
    os.fsencode(Values(goal).text("goal"))


def test_program_receives_the_goal_unchanged(tmp_path):
    code = "import os, sys; sys.stdout.write(sys.argv[1] + os.environ['MOBILEAGENT_GOAL'])"
    for goal in (GOAL, "x" * 100_000, "→" * 40_000, "\N{PILE OF POO}\udcff", "-rf"):
        values = Values(goal)
        done = subprocess.run(
            fill_words([sys.executable, "-S", "-c", code, "{goal}"], values),
            env=os.environ | values.environment(),
            capture_output=True,
            check=True,
        )
        assert done.stdout.decode() == values.text("goal") * 2


def test_goal_too_long_for_a_command_is_refused():
    values = Values("x" * 200_000)
    with pytest.raises(AgentError, match="MOBILEAGENT_GOAL_FILE"):
        fill_words(["{goal}"], values)
    assert "MOBILEAGENT_GOAL" not in values.environment()


def test_all_values_are_environment_variables():
    values = Values("go", serial="S", mcp_command=("a", "b c"))
    assert values.environment() == {
        "MOBILEAGENT_GOAL": "go",
        "MOBILEAGENT_SERIAL": "S",
        "MOBILEAGENT_MCP_COMMAND": "a 'b c'",
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{gaol}", "did you mean {goal}?"),
        ("{task}", "did you mean {goal}?"),
        ("{openai_url}", "did you mean {openai"),
        ("{print}", "write {{print}} for these very characters"),
    ],
)
def test_unknown_placeholder_is_explained(text, says):
    assert says in flaw(f"a {text} b")


@pytest.mark.parametrize("text", ["{{print}}", '{"a": 1}', "{ print }", "{}", "goal"])
def test_other_braces_are_not_placeholders(text):
    assert not flaw(text)


def test_the_used_placeholders_are_known():
    assert used(["a {goal}", "{{serial}}", "x{mcp_config}y"]) == {"goal", "mcp_config"}


def test_values_are_escaped_for_the_file_format(tmp_path):
    values = Values('say "hi"\n', openai_chat_url="http://127.0.0.1:1/x/chat/completions")
    for name in ("config.json", "notes.txt"):
        (tmp_path / name).write_text('{"url": "{openai_chat_url}", "goal": "{goal}", "{x}": 1}')
        fill_file(tmp_path / name, values)
    assert json.loads((tmp_path / "config.json").read_text()) == {
        "url": "http://127.0.0.1:1/x/chat/completions",
        "goal": 'say "hi"\n',
        "{x}": 1,
    }
    assert '"goal": "say "hi"\n"' in (tmp_path / "notes.txt").read_text()


def test_a_binary_file_is_named(tmp_path):
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(AgentError, match=r"cannot fill in config\.yaml"):
        fill_file(tmp_path / "config.yaml", Values("go"))
