"""Lines below what pytest writes: gone when it goes on writing, and the cursor where it was."""

from __future__ import annotations

import io
import os

import pyte
import pytest
from _pytest._io.terminalwriter import TerminalWriter

from pytest_mobileagent.plugin.live import Below

COLUMNS, ROWS = 40, 6


class Terminal(io.StringIO):
    """A terminal that shows what is written to it, as a person would see it."""

    def __init__(self) -> None:
        super().__init__()
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> int:
        self._stream.feed(text.replace("\r\n", "\n").replace("\n", "\r\n"))  # as a tty does
        return len(text)

    @property
    def lines(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display if line.strip()]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    size = os.terminal_size((COLUMNS, ROWS))
    monkeypatch.setattr(Below, "size", property(lambda _: size))
    return Terminal()


@pytest.mark.parametrize("above", [1, ROWS - 1, ROWS + 3])
def test_lines_come_and_go_below_the_dots(terminal, above):
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


def test_a_line_that_pytest_writes_anew_is_continued_where_it_ends(terminal):
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
