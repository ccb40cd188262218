"""The commands on the site's first page run as written and end as the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.init import main as init
from pytest_mobileagent.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).parents[2] / "docs" / "index.md").read_text("utf-8")
READERS = dict(re.findall(r"(?ms)^### ([^\n]+)\n(.*?)(?=^##|\Z)", PAGE))
# The exit statuses of the commands, in order: `hasty` fails one of two tasks, `noop` and others
# all.
STATUSES = {
    "I evaluate my agent": (1, 1, 0, 1, 1),
    "I write tasks": (0, 0, 1, 1, 0),
    "I gate CI": (0, 1, 0, 1, 0),
    "I need tables for a paper": (1, 1, 0, 0, 0),
    "I run somebody else's agent": (1, 1, 1, 0, 0),
}


def test_each_reader_gets_five_commands():
    assert list(READERS) == list(STATUSES)
    assert {len(commands(section)) for section in READERS.values()} == {5}


def commands(section: str) -> list[str]:
    return [line.strip() for line in section.splitlines() if line.startswith("    ")]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The project created by `init`, and a model, which says that it has done its task."""
    assert init([str(pytester.path)]) == 0
    done = 'Reason: all is there.\nAction: {"action_type": "status", "goal_status": "complete"}'
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
    monkeypatch.setenv("BROWSER", "true")  # a program that does nothing
    with ScriptedModel([done] * 20).serve() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        yield pytester.path


@pytest.mark.slow  # runs pytest several times, with phones
@pytest.mark.parametrize("reader", READERS)
def test_the_commands_for_a_reader_run(
    reader: str, project: Path, pytester: pytest.Pytester
) -> None:
    for command, status in zip(commands(READERS[reader]), STATUSES[reader], strict=True):
        if command.startswith("pytest "):  # in this process, as starting another takes longer
            words = shlex.split(command.removeprefix("pytest "), comments=True)
            ended, said = pytester.runpytest_inprocess(*words).ret, ""
        else:
            program = subprocess.run(command, check=False, shell=True, capture_output=True)
            ended, said = program.returncode, f"{program.stdout!r}\n{program.stderr!r}"
        assert ended == status, f"{command}\n{said}"
    assert (project / "table.md").exists() == ("table.md" in READERS[reader])
