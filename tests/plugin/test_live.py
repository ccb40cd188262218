"""The live lines of real runs, looked at through a terminal."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios

import pyte
import pytest

from tests.plugin.projects import PHONE, waits

TASKS = """
from pytest_mobileagent import task

@task("Count.", app="a", golden_steps=6)
def test_count(episode): assert episode.answers("12")

@task("Count again.", app="a")
def test_again(episode): assert episode.answers("12")
"""
COLUMNS = 100


class Seen:
    """A pytest on a terminal of its own."""

    def __init__(self, folder, *arguments, **environment):
        self.screen = pyte.Screen(COLUMNS, 40)
        self._stream = pyte.ByteStream(self.screen)
        self._terminal, theirs = pty.openpty()
        os.set_blocking(self._terminal, False)

        termios.tcsetwinsize(theirs, (40, COLUMNS))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "--agent=waits.py:Waits",
        ]
        command += ["--mobile-agent-process=off", *arguments]
        clean = {name: value for name, value in os.environ.items() if name not in {"CI", "COLUMNS"}}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**clean, "TERM": "xterm-256color", **environment},
            start_new_session=True,
        )
        os.close(theirs)

    def until(self, words):
        """Look until a line of the terminal holds some words; return its lines."""
        while words not in "\n".join(self.lines):
            assert self._read(), f"{words!r} never came: {self.lines}"
        return self.lines

    def end(self):
        while self._read():
            pass
        os.close(self._terminal)
        self.process.wait(30)
        return self.lines

    def _read(self):
        ready = select.select([self._terminal], [], [], 30)[0]
        try:
            data = os.read(self._terminal, 65_536) if ready else b""
        except OSError:  # the other end has been closed
            data = b""
        self._stream.feed(data)
        return data

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display if line.strip()]


@pytest.fixture
def project(pytester):
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASKS, waits=waits(1))
    return pytester.path


LIVE = "step 1/12"


@pytest.mark.slow
def test_live_lines_follow_the_dots_and_leave_nothing(project):
    seen = Seen(project)
    lines = seen.until(LIVE)
    at = next(number for number, line in enumerate(lines) if line.startswith("test_it.py"))
    assert lines[at + 1 :] == ["fake  count  step 1/12", "0/2 done"]
    (project / "go").touch()
    lines = seen.end()
    assert seen.process.returncode == 0
    assert any(line.startswith("test_it.py ..") and line.endswith("[100%]") for line in lines)
    assert not [line for line in lines if "step 1" in line or " done" in line]


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_either(project):
    seen = Seen(project)
    seen.until(LIVE)
    os.killpg(seen.process.pid, signal.SIGINT)
    lines = seen.end()
    assert seen.process.returncode == 2
    assert not [line for line in lines if " done" in line]
    assert any("KeyboardInterrupt" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["-q"], {}),
        (["-s"], {}),
        ([], {"CI": "true"}),
        ([], {"TERM": "dumb"}),
        (["-p", "no:terminal"], {}),
    ],
    ids=["-q", "-s", "CI", "dumb", "no:terminal"],
)
def test_there_are_only_the_dots_where_nobody_looks(project, arguments, environment):
    (project / "go").touch()
    seen = Seen(project, *arguments, **environment)
    assert not [line for line in seen.end() if " done" in line]
    assert seen.process.returncode == 0
    assert "mobileagent-live" not in "\n".join(seen.lines)
