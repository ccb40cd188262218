"""grep, egrep and fgrep."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.virtual.shell.commands import Context, Failure, Options, command, parse
from pytest_mobileagent.virtual.shell.patterns import find_all, posix, search

if TYPE_CHECKING:
    from pytest_mobileagent.patterns import Pattern

_NOT_FOUND, _TROUBLE = 1, 2
_MOST = 10_000  # lines kept from before a match


@command("grep", "egrep", "fgrep")
async def grep(ctx: Context, args: list[str]) -> int:
    """Print the lines that match a pattern."""
    options = parse(
        args,
        "A:B:C:EFHILace:hilm:noqrRsvwxU",
        {"color": "U", "colour": "U", "line-buffered": "U"},
    )
    patterns = [line for text in options.all("e") for line in text.split("\n")]
    names = options.rest
    if "e" not in options:
        if not names:
            raise Failure("no REGEX", _TROUBLE)
        patterns, names = names[0].split("\n"), names[1:]
    search = _Search(ctx, options, _compiled(ctx.name, patterns, options))
    recursive = "r" in options or "R" in options
    names = names or (["."] if recursive else ["-"])
    search.named = "H" in options or ("h" not in options and (recursive or len(names) > 1))
    for name in await _below(ctx, names) if recursive else names:
        await search.file(name)
        if search.found and "q" in options:
            return 0
    return _TROUBLE if ctx.failed else (0 if search.found else _NOT_FOUND)


def _compiled(name: str, patterns: list[str], options: Options) -> Pattern:
    try:
        return posix(
            patterns,
            extended="E" in options or name == "egrep",
            fixed="F" in options or name == "fgrep",
            ignore_case="i" in options,
            word="w" in options,
            whole="x" in options,
        )
    except PatternError as error:
        raise Failure(f"bad REGEX '{patterns[-1]}': {error}", _TROUBLE) from None


async def _below(ctx: Context, names: list[str]) -> list[str]:
    """Return the files in folders, recursively."""
    found = [each for name in names for each in await ctx.walk(name, follow=True)]
    return [each.path.removeprefix("./") for each in found if each.node.kind == "file"]


class _Search:
    """The search for a pattern, in one file after another."""

    def __init__(self, ctx: Context, options: Options, pattern: Pattern) -> None:
        self.found = False
        self.named = False
        self._ctx = ctx
        self._options = options
        self._pattern = pattern
        around = options.number("C", 0)
        self._before = options.number("B", around)
        self._after = options.number("A", around)
        self._last = 0  # the number of the line printed last

    async def file(self, name: str) -> None:
        """Search a file, or stdin if its name is `-`."""
        if name != "-" and self._ctx.files.is_dir(name):
            if "s" not in self._options:
                await self._ctx.complain(IsADirectoryError(21, "Is a directory", name))
            return
        shown = "(standard input)" if name == "-" else name
        count = await self._lines(name, shown)
        if "c" in self._options:
            await self._ctx.out(f"{f'{shown}:' if self.named else ''}{count}\n")
        elif ("l" in self._options and count) or ("L" in self._options and not count):
            await self._ctx.out(f"{shown}\n")

    async def _lines(self, name: str, shown: str) -> int:
        quiet = bool({"c", "l", "L", "q"} & {flag for flag, _ in self._options.given})
        limit = self._options.number("m", 0)
        before: deque[tuple[int, str]] = deque(maxlen=min(self._before, _MOST))
        count = number = until = 0
        async for line in self._ctx.lines([name]):
            number += 1
            text = line.rstrip("\n")
            if (await search(self._pattern, text) is None) != ("v" in self._options):
                if number <= until:
                    await self._print(shown, number, text, "-")
                else:
                    before.append((number, text))
                continue
            count += 1
            self.found = True
            if not quiet:
                for at, earlier in before:
                    await self._print(shown, at, earlier, "-")
                before.clear()
                await self._print_match(shown, number, text)
                until = number + self._after
            if count == limit or (quiet and "c" not in self._options):
                break
        return count

    async def _print_match(self, shown: str, number: int, text: str) -> None:
        if "o" not in self._options:
            await self._print(shown, number, text, ":")
        elif "v" not in self._options:
            for match in await find_all(self._pattern, text):
                if match[0]:
                    await self._print(shown, number, match[0], ":")

    async def _print(self, shown: str, number: int, text: str, mark: str) -> None:
        follows = self._last in {0, number - 1, number}
        head = "" if follows or not (self._before or self._after) else "--\n"
        head += f"{shown}{mark}" if self.named else ""
        head += f"{number}{mark}" if "n" in self._options else ""
        self._last = number
        await self._ctx.out(f"{head}{text}\n")
