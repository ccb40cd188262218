"""sed: edits, prints and deletes lines."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.patterns import Match, Pattern, PatternError
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, encode, parse
from pytest_mobileagent.virtual.shell.patterns import posix, replaced, search

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Address: TypeAlias = int | str | Pattern  # "$" is the last line

_TEXT = r"(?:\\.|\[\^?\]?[^\]\n]*\]|(?!{0})[^\\\n])*+"  # delimiters in brackets do not end the text
_ADDRESS = rf"\d+|\$|/{_TEXT.format('/')}/I?"
_COMMAND = re.compile(
    rf"[\s;]*+(?:({_ADDRESS})(?:\s*+,\s*+({_ADDRESS}))?)?\s*+(!?)\s*+([spdq])", re.DOTALL
)
_SUBSTITUTION = re.compile(
    r"(.)(" + _TEXT.format(r"\1") + r")\1((?:\\.|(?!\1)[^\\])*+)\1([gpiI]*)", re.DOTALL
)
_IN_REPLACEMENT = re.compile(r"\\([0-9])|\\(n)|\\(.)|&", re.DOTALL)


@command("sed")
async def sed(ctx: Context, args: list[str]) -> int:
    """Edit lines according to a script."""
    in_place = [word for word in args if re.match("-i|--in-place", word)]
    names = {"expression": "e", "quiet": "n", "silent": "n", "regexp-extended": "E"}
    options = parse([word for word in args if word not in in_place], "Ee:nr", names)
    scripts, files = options.all("e"), options.rest
    if not scripts:
        if not files:
            raise Failure("Needs 1 argument")
        scripts, files = files[:1], files[1:]
    script, quiet = "\n".join(scripts), "n" in options
    extended = "E" in options or "r" in options

    async def edit(name: str) -> None:
        ctx.files.stat(name)
        lines = _edited(ctx.lines([name]), _parsed(script, extended=extended), quiet=quiet)
        ctx.files.write(name, encode("".join([line async for line in lines])))

    if in_place:
        return await ctx.each(files, edit)
    async for line in _edited(ctx.lines(files), _parsed(script, extended=extended), quiet=quiet):
        await ctx.out(line)
    return ctx.failed


@dataclass(slots=True)
class _Command:
    letter: str
    start: Address | None
    end: Address | None
    negated: bool
    pattern: Pattern | None = None  # what to replace
    replacement: str = ""
    flags: str = ""
    until: float = 0  # the line that ends the range; 0 outside a range

    async def selects(self, number: int, line: str, *, last: bool) -> bool:
        """Return whether the command applies to a line."""

        async def fits(address: Address) -> bool:
            if isinstance(address, Pattern):
                return await search(address, line) is not None
            return last if address == "$" else number == address

        if self.start is None or self.end is None:
            return (self.start is None or await fits(self.start)) != self.negated
        if self.until:
            selected = number <= self.until
            if number >= self.until or await fits(self.end):
                self.until = 0
        elif selected := await fits(self.start):
            self.until = float("inf")
            if isinstance(self.end, int):
                self.until = self.end if self.end > number else 0
        return selected != self.negated

    async def substituted(self, line: str) -> str | None:
        """Return the line after substitution, or None if nothing matches."""
        if self.pattern is None:
            return None
        if "g" not in self.flags:
            found = await search(self.pattern, line)
            if found is None:
                return None
            return line[: found.start()] + _filled(self.replacement, found) + line[found.end() :]
        count, end = 0, -1

        def replacement(match: Match) -> str:
            nonlocal count, end
            if match.span() == (end, end):  # POSIX allows no empty match immediately after a match
                return ""
            count, end = count + 1, match.end()
            return _filled(self.replacement, match)

        line = await replaced(self.pattern, replacement, line)
        return line if count else None


async def _edited(
    lines: AsyncIterator[str], commands: list[_Command], *, quiet: bool
) -> AsyncIterator[str]:
    """Yield the output of the commands for each line, and the edited lines."""
    number, following = 0, await anext(lines, None)
    while following is not None:
        number, text, following = number + 1, following, await anext(lines, None)
        line, newline = text.removesuffix("\n"), "\n" if text.endswith("\n") else ""
        ended = ""
        for each in commands:
            if not await each.selects(number, line, last=following is None):
                continue
            shown = each.letter == "p"
            if each.letter == "s" and (changed := await each.substituted(line)) is not None:
                line, shown = changed, "p" in each.flags
            if shown:
                yield line + newline
            elif each.letter in "dq":
                ended = each.letter
                break
        if ended != "d" and not quiet:
            yield line + newline
        if ended == "q":
            return


def _filled(template: str, match: Match) -> str:
    """Return the replacement with the groups of the match filled in."""

    def part(found: re.Match[str]) -> str:
        group, newline, escaped = found.groups()
        if group:
            return match[int(group)] or "" if int(group) <= match.re.groups else ""
        return "\n" if newline else escaped or match[0]

    return _IN_REPLACEMENT.sub(part, template)


def _parsed(script: str, *, extended: bool) -> list[_Command]:
    commands: list[_Command] = []
    at = 0
    while script[at:].strip(" \t\n;"):
        match = _COMMAND.match(script, at)
        at = match.end() if match else len(script) - len(script[at:].lstrip(" \t\n;"))
        substitution = _SUBSTITUTION.match(script, at) if match and match[4] == "s" else None
        at = substitution.end() if substitution else at
        incomplete = script[at:].strip(" \t")[:1] not in {"", ";", "\n"}
        if match is None or incomplete or (match[4] == "s" and substitution is None):
            raise Failure(f"bad pattern '{script}'@{at + 1} ({script[at : at + 1]})")
        start, end = (_address(text, extended=extended) for text in match.group(1, 2))
        each = _Command(match[4], start, end, bool(match[3]))
        if substitution:
            mark, source, each.replacement, each.flags = substitution.groups()
            if mark != "&":  # special in a replacement
                source = source.replace(f"\\{mark}", mark)
                each.replacement = each.replacement.replace(f"\\{mark}", mark)
            ignore_case = "i" in each.flags.lower()
            each.pattern = _pattern(source, extended=extended, ignore_case=ignore_case)
        commands.append(each)
    return commands


def _address(text: str | None, *, extended: bool) -> Address | None:
    if text is None or not text.startswith("/"):
        return int(text) if text and text.isdecimal() else text
    source, _, flag = text[1:].rpartition("/")
    return _pattern(source.replace("\\/", "/"), extended=extended, ignore_case=bool(flag))


def _pattern(source: str, *, extended: bool, ignore_case: bool) -> Pattern:
    try:
        return posix([source], extended=extended, ignore_case=ignore_case)
    except PatternError as error:
        raise Failure(f"bad regex '{source}': {error}") from None
