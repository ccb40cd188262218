"""find and grep: walk through folders, and search files for patterns."""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING

from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.virtual.shell.commands import (
    Context,
    Failure,
    Found,
    Options,
    UsageError,
    command,
    number,
    parse,
)
from pytest_mobileagent.virtual.shell.patterns import find_all, matches, posix, search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.patterns import Pattern

_SIZES = {"c": 1, "b": 512, "k": 2**10, "M": 2**20, "G": 2**30}
_KINDS = {"f": "file", "d": "dir", "l": "link"}


@command("find")
async def find(ctx: Context, args: list[str]) -> int:
    """Walk through folders."""
    words, tops = list(args), []
    while words and not words[0].startswith(("-", "!", "(")):
        tops.append(words.pop(0))
    rules = _Expression(ctx, words)
    await rules.check()
    for top in tops or ["."]:
        found = await ctx.walk(top, most=rules.most, bottom_up=rules.bottom_up)
        files = {each.path: each for each in found if each.depth >= rules.least}

        async def look(path: str, files: dict[str, Found] = files) -> None:
            await rules.apply(files[path])

        await ctx.each(files, look)
    for command_words, paths in rules.batches.items():
        await ctx.run([*command_words, *paths])
    return ctx.failed


class _Expression:
    """The expression after the folders, parsed for each file; without `act`, it has no effect."""

    def __init__(self, ctx: Context, words: Sequence[str]) -> None:
        self.least = 0
        self.most: float = inf
        self.bottom_up = False
        self.batches: dict[tuple[str, ...], list[str]] = {}  # files for -exec ... +
        self._ctx = ctx
        self._words = words
        self._rest: list[str] = []
        self._prints = True  # if the expression contains no action

    async def check(self) -> None:
        """Check the expression, and determine the options of the walk."""
        await self._read(Found("/", self._ctx.files.stat("/"), 0), act=False)

    async def apply(self, file: Found) -> None:
        """Apply the expression to a file."""
        if await self._read(file, act=True) and self._prints:
            await self._ctx.out(f"{file.path}\n")

    async def _read(self, file: Found, *, act: bool) -> bool:
        self._rest = list(self._words)
        result = not self._rest or await self._either(file, act=act)
        if self._rest:
            raise Failure(f"bad {self._rest[0]}")
        return result

    async def _either(self, file: Found, *, act: bool) -> bool:
        result = await self._all(file, act=act)
        while self._rest[:1] == ["-o"]:
            self._rest.pop(0)
            result = await self._all(file, act=act and not result) or result
        return result

    async def _all(self, file: Found, *, act: bool) -> bool:
        result = await self._one(file, act=act)
        while self._rest and self._rest[0] not in {"-o", ")"}:
            if self._rest[0] == "-a":
                self._rest.pop(0)
            result = await self._one(file, act=act and result) and result
        return result

    async def _one(self, file: Found, *, act: bool) -> bool:
        match self._next():
            case "!" | "-not":
                return not await self._one(file, act=act)
            case "(":
                result = await self._either(file, act=act)
                if self._next() != ")":
                    raise Failure("bad (")
                return result
            case "-maxdepth":
                self.most = number(self._next())
            case "-mindepth":
                self.least = number(self._next())
            case "-print" | "-print0" | "-delete" | "-exec" as word:
                self._prints = False
                return await self._action(word, file, act=act)
            case "-empty":
                is_dir = file.node.kind == "dir"
                return not (self._ctx.files.listdir(file.path) if is_dir else file.node.data)
            case word if word in _TESTS:
                return _TESTS[word](self._ctx, file, self._next())
            case word:
                raise Failure(f"bad {word}")
        return True

    def _next(self) -> str:
        if not self._rest:
            raise UsageError("Missing argument")
        return self._rest.pop(0)

    async def _action(self, word: str, file: Found, *, act: bool) -> bool:
        if word == "-exec":
            return await self._exec(file, act=act)
        self.bottom_up = self.bottom_up or word == "-delete"
        if not act:
            return True
        if word != "-delete":
            await self._ctx.out(file.path + ("\0" if word == "-print0" else "\n"))
        elif file.path != ".":
            files = self._ctx.files
            (files.rmdir if file.node.kind == "dir" else files.remove)(file.path)
        return True

    async def _exec(self, file: Found, *, act: bool) -> bool:
        """Run a command for a file; with +, once for all files at the end."""
        end = next((at for at, word in enumerate(self._rest) if word in {";", "+"}), None)
        if end is None:
            raise Failure("-exec needs ;")
        words, batched = self._rest[:end], self._rest[end] == "+"
        del self._rest[: end + 1]
        if not act:
            return True
        if not batched:
            return await self._ctx.run([word.replace("{}", file.path) for word in words]) == 0
        words = words[:-1] if words[-1:] == ["{}"] else words
        self.batches.setdefault(tuple(words), []).append(file.path)
        return True


def _compared(text: str, value: float) -> bool:
    """Return whether a value meets a condition: +5 (more), -5 (less) or 5 (equal)."""
    if not text.lstrip("+-").isdecimal():
        raise Failure(f"Not a number '{text}'")
    wanted = int(text.lstrip("+-"))
    if text.startswith("+"):
        return value > wanted
    return value < wanted if text.startswith("-") else value == wanted


def _size(_ctx: Context, file: Found, wanted: str) -> bool:
    blocks = -(-len(file.node.data) // _SIZES.get(wanted[-1:], 512))
    return _compared(wanted.rstrip("cbkMG"), blocks)


def _age(ctx: Context, file: Found) -> float:
    return ctx.phone.clock.time() - file.node.mtime


_TESTS: dict[str, Callable[[Context, Found, str], bool]] = {
    "-name": lambda _, file, wanted: matches(wanted, file.name),
    "-iname": lambda _, file, wanted: matches(wanted.lower(), file.name.lower()),
    "-path": lambda _, file, wanted: matches(wanted, file.path),
    "-type": lambda _, file, wanted: file.node.kind in map(_KINDS.get, wanted.split(",")),
    "-mtime": lambda ctx, file, wanted: _compared(wanted, _age(ctx, file) // 86400),
    "-mmin": lambda ctx, file, wanted: _compared(wanted, _age(ctx, file) // 60),
    "-newer": lambda ctx, file, wanted: file.node.mtime > ctx.files.stat(wanted).mtime,
    "-size": _size,
}


_NOT_FOUND, _TROUBLE = 1, 2
_MOST = 10_000  # lines kept from before a match


@command("grep", "egrep", "fgrep")
async def grep(ctx: Context, args: list[str]) -> int:
    """Print the lines that match a pattern."""
    ignored = {"color": "U", "colour": "U", "line-buffered": "U"}
    options = parse(args, "A:B:C:EFHILace:hilm:noqrRsvwxU", ignored)
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
