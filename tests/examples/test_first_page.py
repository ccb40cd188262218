"""The commands on the site's first page run as written and end as the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_mobileagent.init import main as init
from pytest_mobileagent.testing import ScriptedModel
from tests.inprocess import FEW_PLUGINS

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


@pytest.mark.slow  # runs pytest several times, with phones
@pytest.mark.parametrize("reader", READERS)
def test_the_commands_for_a_reader_run(reader, tmp_path):
    assert init([str(tmp_path)]) == 0
    done = 'Reason: all is there.\nAction: {"action_type": "status", "goal_status": "complete"}'
    with ScriptedModel([done] * 20).serve() as url:
        environment = os.environ | {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "OPENAI_API_KEY": "sk-of-the-test",
            "OPENAI_BASE_URL": f"{url}/v1",
            "BROWSER": "true",  # a program that does nothing
            "PYTEST_ADDOPTS": FEW_PLUGINS,
        }
        for command, status in zip(commands(READERS[reader]), STATUSES[reader], strict=True):
            ended = subprocess.run(
                command,
                check=False,
                shell=True,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert ended.returncode == status, f"{command}\n{ended.stdout}\n{ended.stderr}"
    assert (tmp_path / "table.md").exists() == ("table.md" in READERS[reader])
