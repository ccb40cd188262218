"""find: walks through folders, and prints, removes or processes files that meet conditions."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import (
    Context,
    Failure,
    Found,
    UsageError,
    command,
    number,
)
from pytest_mobileagent.virtual.shell.patterns import matches

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    """The conditions and actions after the folders, which are parsed again for each file.

    Parts parsed without `act` have no effect: they do not matter to the result, or are only
    checked.
    """

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
    "-type": lambda _, file, wanted: (
        file.node.kind in [_KINDS.get(kind) for kind in wanted.split(",")]
    ),
    "-mtime": lambda ctx, file, wanted: _compared(wanted, _age(ctx, file) // 86400),
    "-mmin": lambda ctx, file, wanted: _compared(wanted, _age(ctx, file) // 60),
    "-newer": lambda ctx, file, wanted: file.node.mtime > ctx.files.stat(wanted).mtime,
    "-size": _size,
}
