"""A script's failure is told by its status, or by the words of commands that have none."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, cast

import pytest

from pytest_mobileagent.mcp.phone import run_script

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import System


class Computer:
    """A system whose shell is this machine's."""

    def shell(self, script: str) -> str:
        return subprocess.run(
            ["sh", "-c", script], capture_output=True, check=False
        ).stdout.decode()


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo fine; (exit 0)", ""),
        ("echo 'no such app' >&2; exit 3", "no such app"),
        ("false", "it failed"),
        (
            "echo 'Starting: x'; echo 'Error: not started'",
            "Starting: x\nError:*",
        ),
        ("echo 'Failure [DELETE_FAILED_INTERNAL_ERROR]'", "Failure *"),
        ("echo 'no Error here'", ""),
        ("echo 'a quote has no end", "*"),
    ],
)
def test_what_a_script_that_fails_wrote_is_told(script: str, why: str) -> None:
    found = run_script(cast("System", Computer()), script)
    assert found.startswith(why[:-1]) if why.endswith("*") else found == why
    assert bool(found) == bool(why)
