"""Runs a sed script over a stream of lines."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pytest_mobileagent.virtual.shell.sed.script import Address, Command

_IN_REPLACEMENT = re.compile(r"\\([0-9])|\\(n)|\\(.)|(&)", re.DOTALL)


class Editor:
    """A script at work; `status` is the one that it asks for, `written` what it has for files."""

    def __init__(self, commands: list[Command], *, quiet: bool) -> None:
        self.status = 0
        self.written: dict[str, str] = {}
        self._commands = commands
        self._quiet = quiet
        self._line = ""
        self._newline = "\n"
        self._hold = ""
        self._number = 0
        self._out: list[str] = []
        self._after: list[str] = []  # what `a` puts behind the line
        self._again = False  # run the script again without a new line
        self._ended = False

    async def edit(self, source: AsyncIterator[str]) -> AsyncIterator[str]:
        """Yield what the script prints."""
        self._source = source
        self._next = await anext(source, None)
        while not self._ended and (self._again or await self._read()):
            self._again = False
            await self._run()
            yield "".join([*self._out, *self._after])
            self._out.clear()
            self._after.clear()

    async def _read(self) -> bool:
        """Take the next line; False if there is none."""
        if self._next is None:
            return False
        self._line = self._next.removesuffix("\n")
        self._newline = "\n" if self._next.endswith("\n") else ""
        self._next = await anext(self._source, None)
        self._number += 1
        return True

    async def _run(self) -> None:
        """Run the script on a line, and print what is left of it."""
        at, replaced = 0, False
        while at < len(self._commands):
            each = self._commands[at]
            at += 1
            if self._selects(each) == each.negated:
                at = each.goal if each.letter == "{" else at
            elif each.letter in "btT":
                await asyncio.sleep(0)  # it may be a loop
                if each.letter == "b" or replaced == (each.letter == "t"):
                    at = each.goal
                replaced = replaced and each.letter == "b"
            elif each.letter == "s":
                replaced = self._substitute(each) or replaced
            elif not await self._go_on_after(each):
                return
        if not self._quiet:
            self._print()

    async def _go_on_after(self, each: Command) -> bool:
        """Do a command; whether the script goes on after it."""
        if each.letter in "pP=aiw":
            self._show(each)
        elif each.letter in "gGhHxy":
            self._change(each)
        elif each.letter not in ":{}#":
            return await self._leaves_or_reads(each)
        return True

    def _show(self, each: Command) -> None:
        match each.letter:
            case "p":
                self._print()
            case "P":
                self._out.append(self._line.partition("\n")[0] + "\n")
            case "=":
                self._out.append(f"{self._number}\n")
            case "a":
                self._after.append(each.text)
            case "i":
                self._out.append(each.text)
            case "w":
                self._write(each.text)

    def _change(self, each: Command) -> None:
        match each.letter:
            case "g":
                self._line = self._hold
            case "G":
                self._line += "\n" + self._hold
            case "h":
                self._hold = self._line
            case "H":
                self._hold += "\n" + self._line
            case "x":
                self._line, self._hold = self._hold, self._line
            case "y":
                half = len(each.text) // 2
                self._line = self._line.translate(str.maketrans(each.text[:half], each.text[half:]))

    async def _leaves_or_reads(self, each: Command) -> bool:
        match each.letter:
            case "D" if "\n" in self._line:
                self._line = self._line.partition("\n")[2]
                self._again = True
            case "c":
                if each.end is None or each.until == 0 or each.negated:
                    self._out.append(each.text)
            case "q" | "Q":
                self._ended = True
                self.status = int(each.text or 0)
                if each.letter == "q" and not self._quiet:
                    self._print()
            case "n" | "N":
                return await self._append_or_replace(each)
        return False

    async def _append_or_replace(self, each: Command) -> bool:
        if self._next is None:
            self._ended = True
            if not self._quiet:
                self._print()
            return False
        before = self._line + "\n" if each.letter == "N" else ""
        if each.letter == "n" and not self._quiet:
            self._print()
        await self._read()
        self._line = before + self._line
        return True

    def _print(self) -> None:
        self._out.append(self._line + self._newline)

    def _write(self, name: str) -> None:
        self.written[name] = self.written.get(name, "") + self._line + "\n"

    def _selects(self, each: Command) -> bool:
        """Whether the current line is one that a command is for."""
        if each.start is None:
            return True
        if each.end is None:
            return self._fits(each.start)
        if each.until == 0:
            if not self._fits(each.start):
                return False
            each.until = self._end_of_range(each.end)
            if each.until <= self._number:
                each.until = 0
            return True
        if self._number >= each.until or (each.end.pattern and self._fits(each.end)):
            selected = self._number <= each.until
            each.until = 0
            return selected
        return True

    def _end_of_range(self, end: Address) -> int:
        """Return the line with which a range that starts here ends, as far as that is known."""
        if end.number >= 0:
            return end.number
        if end.offset >= 0:
            return self._number + end.offset
        if end.last and self._next is None:
            return self._number
        return 1 << 60

    def _fits(self, address: Address) -> bool:
        if address.pattern:
            return address.pattern.search(self._line) is not None
        if address.last:
            return self._next is None
        if address.step:
            return (
                self._number >= address.number
                and (self._number - address.number) % address.step == 0
            )
        return self._number == address.number

    def _substitute(self, each: Command) -> bool:
        assert each.pattern is not None
        flags, _, file = each.flags.partition("w")
        number = int("".join(filter(str.isdecimal, flags)) or 1)
        count, end = 0, -1

        def replacement(match: re.Match[str]) -> str:
            nonlocal count, end
            if match.span() == (end, end):  # nothing, right behind a match: POSIX sees none there
                return ""
            count, end = count + 1, match.end()
            wanted = count >= number if "g" in flags else count == number
            return _filled(each.text, match) if wanted else match[0]

        line = each.pattern.sub(replacement, self._line)
        if count < number:
            return False
        self._line = line
        if "p" in flags:
            self._print()
        if file:
            self._write(file)
        return True


def _filled(template: str, match: re.Match[str]) -> str:
    """Return a replacement with what the pattern has found."""

    def part(found: re.Match[str]) -> str:
        group, newline, escaped, _ = found.groups()
        if group:
            return match[int(group)] or "" if int(group) <= (match.re.groups) else ""
        return "\n" if newline else escaped or match[0]

    return _IN_REPLACEMENT.sub(part, template)
