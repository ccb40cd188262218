"""Adapters and commands: what they define, and the errors for invalid ones."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.program import SPA_BENCH, BadAdapterError, ReportPlace, from_command, split
from pytest_mobileagent.program.adapter_file import find_program, read_adapter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes an adapter file beside a program's repository."""
    program = tmp_path / "Other-Agent"
    program.mkdir()
    (program / "config.yaml").write_text("url: {openai_chat_url}\n")
    (program / "requirements.txt").write_text("requests\n")
    (tmp_path / "agents").mkdir()

    def write(text: str) -> Path:
        path = tmp_path / "agents" / "other.toml"
        path.write_text(text, "utf-8")
        return path

    return write


def test_complete_adapter_is_parsed(write, tmp_path):
    adapter = read_adapter(
        write(
            """
command = ["python3", "run.py", "--task", "{goal}"]
folder = "../Other-Agent"
requirements = "requirements.txt"
files = ["config.yaml"]
answer = 'FINAL ANSWER: (.*)'
impossible = {file = "impossible.txt"}
error = 'API error'
step_limit = 'Max steps'
stdin = "y\\n{serial}\\n"
exit_codes = {"3" = "done", "7" = "step limit"}
network = "models"
model_hosts = ["models.example"]
include_usage = false
screenshots_after_actions = true
grace = 10
[env]
SERIAL = "{serial}"
[roles]
"gpt-4o*" = "actor"
"""
        )
    )
    assert (adapter.name, adapter.command[0]) == ("other", "python3")
    assert adapter.folder == tmp_path / "Other-Agent"
    assert adapter.requirements == tmp_path / "Other-Agent" / "requirements.txt"
    assert adapter.used == {"goal", "openai_chat_url", "serial"}
    assert (adapter.answer, adapter.impossible) == (
        ReportPlace("FINAL ANSWER: (.*)"),
        ReportPlace(file="impossible.txt"),
    )
    assert (adapter.error, adapter.step_limit) == (
        ReportPlace("API error"),
        ReportPlace("Max steps"),
    )
    assert adapter.stdin == "y\n{serial}\n"
    assert adapter.exit_codes == {0: "done", 3: "done", 7: "step limit"}
    assert (adapter.network, adapter.model_hosts, adapter.grace) == (
        "models",
        ("models.example",),
        10.0,
    )
    assert (adapter.include_usage, adapter.screenshots_after_actions) == (False, True)
    assert (adapter.env, adapter.roles) == ({"SERIAL": "{serial}"}, {"gpt-4o*": "actor"})


def test_command_is_sufficient(write):
    adapter = read_adapter(write("command = 'python3 run.py --task \"{goal}\"'"))
    assert adapter.command == ("python3", "run.py", "--task", "{goal}")
    assert (adapter.exit_codes, adapter.copy, adapter.network) == (SPA_BENCH, True, "open")


RUN = 'command = ["python3"]\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "command is missing"),
        ("command = [", "is not TOML"),
        (RUN + 'anwser = "x"', "anwser is not a key of an adapter; did you mean answer?"),
        (RUN + "zzz = 1", "the keys are command, folder"),
        ("command = 1", "command = 1 must be a list of texts"),
        ("command = []", "command has no words"),
        ('command = [""]', "command has no words"),
        ('command = "python3 \'x"', "its quotes are not closed"),
        ('command = ["python3", "{gaol}"]', "did you mean {goal}?"),
        ('command = ["no-such-program-anywhere"]', "is on the PATH"),
        ('command = ["./run"]', "does not exist"),
        ('command = ["python3", "a\\u0000b"]', "list of texts"),
        (RUN + 'folder = "../None"', "does not exist"),
        (RUN + "copy = 1", "copy = 1 must be true or false"),
        (RUN + 'requirements = "none.txt"', "no file"),
        (RUN + 'image = "x"\nrequirements = "r"', "requirements = 'r'"),
        (RUN + 'files = ["config.yaml"]', "files needs folder"),
        (RUN + 'folder = "../Other-Agent"\nfiles = ["x"]', "names 'x', which is not a file in"),
        (RUN + 'folder = "../Other-Agent"\nfiles = ["../agents/other.toml"]', "is not a file in"),
        (
            RUN + 'folder = "../Other-Agent"\ncopy = false\nfiles = ["config.yaml"]',
            "cannot be combined with copy = false",
        ),
        (RUN + 'env = {"A B" = "x"}', "names 'A B', which is not a valid variable"),
        (RUN + "env = {A = 1}", "must be a table of texts"),
        (RUN + 'env = {A = "{gaol}"}', "env.A = '{gaol}'"),
        (RUN + 'answer = "("', "is not a pattern"),
        (RUN + "answer = 1", "must be a string"),
        (RUN + 'answer = {fiel = "x"}', 'must be a pattern, or {file = "…"}'),
        (RUN + 'exit_codes = "x"', 'must be "spa-bench", or a table'),
        (RUN + 'exit_codes = {"x" = "done"}', "is not an exit status"),
        (RUN + 'exit_codes = {"3" = "dnoe"}', "one of done, impossible, error, step limit"),
        (RUN + 'network = "closed"', 'must be "open" or "models"'),
        (RUN + "grace = -1", "must be seconds"),
        (RUN + 'model_hosts = ["http://gpu1/v1"]', "without a scheme or a port"),
        (RUN + "shell = true", "must be one text for the shell"),
        ('shell = true\ncommand = "run {goal}"', 'write "$MOBILEAGENT_GOAL" instead of {goal}'),
    ],
)
def test_errors_are_reported_with_their_place(write, text, says):
    path = write(text)
    with pytest.raises(BadAdapterError) as error:
        read_adapter(path)
    assert says in str(error.value)
    assert str(path) in str(error.value)


def test_shell_command_is_one_string(write):
    text = 'cd sub && ./run "$MOBILEAGENT_GOAL" ${goal}'
    adapter = read_adapter(write(f"shell = true\ncommand = '{text}'"))
    assert adapter.command == (text,)


def test_command_is_split_into_words_without_a_shell():
    adapter = from_command("cmd:python3 run.py --task '{goal} | x' --serial {serial} > out")
    assert adapter.command[2:] == ("--task", "{goal} | x", "--serial", "{serial}", ">", "out")
    assert (adapter.name, adapter.folder, adapter.path) == ("run", None, None)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python3 -u agents/loop.py", "loop"),
        ("bash ./play.sh {goal}", "play"),
        ("env A=1 python3 x.py", "x"),
        ("python3 -m", "python3"),
        (f"{sys.executable} x.py", "x"),
    ],
)
def test_command_has_a_short_name(command, name):
    assert from_command(command).name == name


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("", "a command is missing"),
        ("''", "a command is missing"),
        ("python3 'x", "its quotes are not closed"),
        ("python3 x\\", "no escaped character"),
        ("python3 {gaol}", "did you mean {goal}?"),
        ("pyhton-of-nobody x", "no program 'pyhton-of-nobody' is on the PATH"),
        ("./nothing", "does not exist"),
        ("cd x", "no program 'cd' is on the PATH"),
        ("run.sh", "did you mean ./run.sh?"),
        ("./run.sh", "is not executable"),
        ("python3 a\0b", "NUL"),
    ],
)
def test_impossible_command_is_refused_early(command, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (tmp_path / "run.sh").write_text("#!/bin/sh\n")
    if command == "cd x":
        monkeypatch.setenv("PATH", str(tmp_path))  # some systems have a program named cd
    with pytest.raises(BadAdapterError) as error:
        from_command(f"cmd:{command}")
    assert says in str(error.value)
    assert str(error.value).startswith("--agent=cmd:")


@given(st.text())
def test_any_text_is_a_command_or_refused(text):
    with contextlib.suppress(BadAdapterError):
        split(text)


def test_programs_are_found_by_name_file_and_command(write, tmp_path):
    path = write('command = ["python3"]')
    folders = [path.parent, tmp_path]
    for reference in ("other", str(path)):
        found = find_program(reference, folders)
        assert found is not None
        assert found.path == path
    assert find_program("cmd:python3 x.py", folders) is not None
    for reference in ("appagent", "module:Class", "file.py", "", "../other"):
        assert find_program(reference, folders) is None


def test_the_last_folder_wins_and_equal_names_in_one_are_refused(write, tmp_path):
    path = write('command = ["python3"]')
    later = tmp_path / "later"
    later.mkdir()
    (later / "other.py").write_text("")
    assert find_program("other", [path.parent, later]) is None
    assert find_program("other", [later, path.parent]) is not None
    (later / "other.toml").write_text("")
    with pytest.raises(BadAdapterError, match="name the file"):
        find_program("other", [later])


def test_a_file_that_does_not_exist_is_named():
    with pytest.raises(BadAdapterError, match=r"cannot read none\.toml: No such file"):
        find_program("none.toml", [])
