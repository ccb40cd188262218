"""The live status lines: their contents, and how they look in a terminal during real runs.

The lines stand below pytest's output. They disappear when pytest continues to write, and the cursor
returns to its previous position.
"""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pyte
import pytest
from _pytest._io.terminalwriter import TerminalWriter

from pytest_mobileagent import Case, Task
from pytest_mobileagent.episode.running import Running
from pytest_mobileagent.plugin.live_lines import Below, Progress, duration, render
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
    """A pytest process with its own terminal."""

    def __init__(self, folder, *arguments, **environment):
        self.screen = pyte.Screen(COLUMNS, 40)
        self.raw = b""
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
        """Wait until a line of the terminal contains `words`; return all lines."""
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
        except OSError:  # the other end was closed
            data = b""
        self._stream.feed(data)
        self.raw += data
        return data

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display if line.strip()]


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    pytester.makeconftest(PHONE)
    pytester.makepyfile(test_it=TASKS, waits=waits(1))
    return pytester.path


LIVE = "step 1/12"


@pytest.mark.slow
def test_live_lines_follow_the_dots_and_leave_no_trace(project):
    seen = Seen(project)
    lines = seen.until(LIVE)
    at = next(number for number, line in enumerate(lines) if line.startswith("test_it.py"))
    assert lines[at + 1] == "fake  count  step 1/12"
    assert re.fullmatch(r"─{20}  0/2  \d+ s", lines[at + 2])
    (project / "go").touch()
    lines = seen.end()
    assert seen.process.returncode == 0
    assert any(line.startswith("test_it.py ..") and line.endswith("[100%]") for line in lines)
    assert not [line for line in lines if "step 1" in line or "━" in line or "─" in line]
    address = rf"file://{re.escape(str(project))}/runs/[^/]+/report\.html"
    link = rf"\x1b]8;;({address})\x1b\\({address})\x1b]8;;\x1b\\"
    found = re.search(rf"report: {link}   \(open it", seen.raw.decode())
    assert found, "a hyperlink of the terminal"
    assert found[1] == found[2]


@pytest.mark.slow
def test_live_lines_leave_no_trace_after_ctrl_c(project):
    seen = Seen(project)
    seen.until(LIVE)
    os.killpg(seen.process.pid, signal.SIGINT)
    lines = seen.end()
    assert seen.process.returncode == 2
    assert not [line for line in lines if "─" in line]
    assert any("KeyboardInterrupt" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["-q"], {}),
        (["-s"], {}),
        ([], {"CI": "true"}),
        (["-n1"], {"CI": "true"}),
        ([], {"TERM": "dumb"}),
        (["-p", "no:terminal"], {}),
    ],
    ids=["-q", "-s", "CI", "CI -n1", "dumb", "no:terminal"],
)
def test_without_a_terminal_there_are_only_the_dots(project, arguments, environment):
    (project / "go").touch()
    seen = Seen(project, *arguments, **environment)
    assert not [line for line in seen.end() if "━" in line or "waiting for" in line]
    assert seen.process.returncode == 0
    if "CI" in environment:  # whose logs show each state of a line that is written again
        assert b"\r" not in seen.raw.replace(b"\r\n", b"")


NONE = Progress(0, 21, 0, 0, 0, None, 4.0, "2 devices (virtual)")


def running(
    serial: str, name: str, steps: int = 4, limit: int | None = 12, cost: float | None = 0.02
):
    case = Case(Task("Do it."), name)
    return Running(Path(), case, serial, "", limit, steps, cost_usd=cost)


def lines(episodes, progress=NONE, columns=80, rows=24, colors=False):
    return render(episodes, progress, lambda case: case.id, columns, rows, colors=colors)


def test_live_lines_show_each_device_and_a_total():
    each = [running("emulator-5554", "clock/alarm[epoch1]"), running("R5CT", "a", 0, None, None)]
    assert lines(each, Progress(7, 21, 3, 2, 1, 0.5, 70.0)) == [
        "emulator-5554  clock/alarm[epoch1]  step 4/12  $0.02",
        "R5CT           a                    step 0",
        "━━──────  7/21  3 passed  2 failed  1 error  $0.50  1 min 10 s, 2 min 20 s left",
    ]


def test_live_lines_show_what_a_run_waits_for_before_its_first_episode():
    assert lines([]) == ["waiting for 2 devices (virtual)  4 s"]
    assert lines([running("R5CT", "a")])[-1] == f"{'─' * 20}  0/21  4 s"


def test_lines_fit_into_the_window():
    many = [running(f"emulator-{number}", "a" * 200) for number in range(30)]
    shown = lines(many, columns=50, rows=10)
    assert len(shown) == 5
    assert all(len(line) < 50 for line in shown)
    assert "…" in shown[0]
    assert shown[-1] == f"{'─' * 12}  0/21  30 running, 26 not shown  4 s"


def test_names_of_apps_and_tasks_do_not_control_the_terminal():
    (line, _) = lines([running("a\x1b[2J", "[red]b[/red]\nc")])
    assert "\x1b" not in line
    assert "[red]b" in line


def test_colours_are_used_only_if_enabled():
    each = [running("emulator-5554", "a")]
    assert "\x1b[36m" in lines(each, colors=True)[0]
    assert "\x1b" not in "".join(lines(each))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (725, "12 min 5 s"), (12000, "3 h 20 min")],
)
def test_durations_have_two_units(seconds, words):
    assert duration(seconds) == words


COLUMNS_live_below, ROWS = 40, 6


class Terminal(io.StringIO):
    """An emulated terminal that interprets what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = pyte.Screen(COLUMNS_live_below, ROWS)
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> int:
        self._stream.feed(text.replace("\r\n", "\n").replace("\n", "\r\n"))  # as a tty does
        return len(text)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display if line.strip()]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    size = os.terminal_size((COLUMNS_live_below, ROWS))
    monkeypatch.setattr(Below, "size", property(lambda _: size))
    return Terminal()


@pytest.mark.parametrize("above", [1, ROWS - 1, ROWS + 3])
def test_lines_appear_and_disappear_below_the_dots(terminal, above):
    writer = TerminalWriter(terminal)
    below = Below(writer, terminal)
    below.start()
    for number in range(above):
        writer.line(f"line {number}")
    writer.write("..")
    for drawn in (["one", "two"], ["three"], [], ["four", "five"]):
        below.draw(drawn)
        assert terminal.lines[-1 - len(drawn) :] == ["..", *drawn]
    writer.write("F\n")
    assert terminal.lines[-1] == "..F"
    below.draw(["six"])
    assert terminal.lines[-1:] == ["six"]
    below.stop()
    writer.line("the end")
    assert terminal.lines[-2:] == ["..F", "the end"]
    assert writer._file is terminal


def test_rewritten_line_continues_at_its_end(terminal):
    writer = TerminalWriter(terminal)
    below = Below(writer, terminal)
    below.start()
    writer.write("collecting ...")
    writer.write("\rcollected 2")
    below.draw(["below"])
    writer.write(" items")
    assert terminal.lines == ["collected 2 items"]


def test_nothing_is_drawn_after_the_end(terminal):
    writer = TerminalWriter(terminal)
    below = Below(writer, terminal)
    below.start()
    below.stop()
    below.draw(["late"])
    assert terminal.lines == []
