"""Tests of the command line, called as a module and as the script `mobileagent`."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from pytest_mobileagent.__main__ import _COMMANDS, _OWN, main, script

COMMANDS = sorted({*_COMMANDS, *_OWN})


@pytest.fixture(params=["mobileagent", "python -m pytest_mobileagent"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of the program as the user calls it."""
    name: str = request.param
    path = f"/bin/{name}" if " " not in name else "/lib/pytest_mobileagent/__main__.py"
    monkeypatch.setattr(sys, "argv", [path])
    return name


def test_the_help_lists_the_commands_and_names_the_program_as_it_was_called(
    program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: {program} COMMAND\n")
    listed = [line.split()[0] for line in text.splitlines() if line.startswith("  ")]
    assert listed == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_does_so_too(
    program: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {program} {command} ")


@pytest.mark.parametrize("arguments", [[], ["biuld"]])
def test_an_unknown_command_is_an_error_that_lists_those_that_exist(
    program: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    text = capsys.readouterr().err
    assert text.startswith(f"usage: {program} COMMAND\n")
    assert ("there is no command 'biuld'" in text) is bool(arguments)


def test_the_command_says_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"pytest-mobileagent {version('pytest-mobileagent')}\n"


def test_the_script_finds_modules_where_it_is_called_as_the_module_does(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "argv", ["/bin/mobileagent", "--help"])
    assert script() == 0
    assert sys.path == [str(tmp_path)]
    assert capsys.readouterr().out.startswith("usage: mobileagent COMMAND\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_gets_no_traceback(
    unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    reading, writing = os.pipe()
    os.close(reading)  # like a program that stops reading early, such as head
    command = [sys.executable, "-m", "pytest_mobileagent", "--version"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_lack_of_memory_is_told_in_a_line_and_another_broken_pipe_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(arguments: list[str]) -> int:
        raise BrokenPipeError if arguments else MemoryError

    monkeypatch.setitem(_OWN, "show", fail)
    assert main(["show"]) == 1
    assert capsys.readouterr().err.startswith("error: there is not enough memory")
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)
    with pytest.raises(BrokenPipeError):
        main(["show", "x"])
