"""adb shell at a real terminal, as a person uses it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.virtual.phones import Adb

PROMPT = "emu64xa:/ $ "


@dataclass
class Terminal:
    """What a person types and sees."""

    keyboard: int
    process: subprocess.Popen[bytes]
    seen: bytes = b""

    def type(self, text: str) -> None:
        os.write(self.keyboard, text.encode())

    def until(self, text: str) -> str:
        """Wait until a text appears; return everything up to its end, and consume it."""
        while text.encode() not in self.seen:
            assert select.select([self.keyboard], [], [], 10)[0], f"only {self.seen!r} is seen"
            self.seen += os.read(self.keyboard, 4096)
        before, found, self.seen = self.seen.partition(text.encode())
        return (before + found).decode()


@contextmanager
def terminal(adb: Adb, *words: str) -> Iterator[Terminal]:
    keyboard, screen = pty.openpty()
    with subprocess.Popen(
        adb.command("shell", *words), stdin=screen, stdout=screen, stderr=screen, env=adb.env
    ) as process:
        os.close(screen)
        try:
            yield Terminal(keyboard, process)
        finally:
            process.kill()
            os.close(keyboard)


def test_a_conversation(adb: Adb) -> None:
    with terminal(adb) as person:
        person.until(PROMPT)
        person.type("cd /sdcard\r")
        person.until("emu64xa:/sdcard $ ")
        person.type("echo a b | wc -w\r")
        assert person.until("2\r\n").startswith("echo a b | wc -w\r\n")
        person.type("sleep 1000\r")
        person.until("sleep 1000\r\n")
        person.type("\x03")
        person.until("130|emu64xa:/sdcard $ ")
        person.type("exit 7\r")
        assert person.process.wait(10) == 7


def test_a_command_at_a_terminal_only_gets_one_when_it_is_asked_for(adb: Adb) -> None:
    with terminal(adb, "[ -t 0 ]; echo $?") as person:
        assert "1" in person.until("\n")
    with terminal(adb, "-t", "[ -t 0 ]; echo $?; exit 4") as person:
        assert "0" in person.until("\n")
        assert person.process.wait(10) == 4


def test_input_ends_with_control_d(adb: Adb) -> None:
    with terminal(adb, "-t", "echo ready; cat; echo over") as person:
        person.until("ready\r\n")
        person.type("line\r")
        person.until("line\r\nline\r\n")
        person.type("\x04")
        person.until("over\r\n")


@pytest.mark.parametrize("word", ["ä字", "😀"])
def test_text_beyond_ascii_passes(adb: Adb, word: str) -> None:
    with terminal(adb) as person:
        person.until(PROMPT)
        person.type(f"echo {word}\r")
        person.until(f"\r\n{word}\r\n")
