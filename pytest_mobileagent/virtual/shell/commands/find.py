"""find: walks through folders and prints, removes or hands on what fulfils conditions."""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command, number
from pytest_mobileagent.virtual.shell.patterns import matches

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import Node

_SIZES = {"c": 1, "b": 512, "k": 2**10, "M": 2**20, "G": 2**30}
_KINDS = {"f": "file", "d": "dir", "l": "link"}


@dataclass(frozen=True, slots=True)
class _Found:
    """A file that find looks at."""

    path: str
    node: Node

    @property
    def base(self) -> str:
        return posixpath.basename(self.path.rstrip("/")) or self.path


Test: TypeAlias = Callable[[_Found], bool]
Condition: TypeAlias = Callable[[_Found], Awaitable[bool]]


@command("find")
async def find(ctx: Context, args: list[str]) -> int:
    """Walk through folders."""
    words, tops = list(args), []
    while words and not words[0].startswith(("-", "!", "(")):
        tops.append(words.pop(0))
    rules = _Expression(ctx, words)
    condition = rules.parse()

    async def visit(path: str, depth: int) -> None:
        found = _Found(path, ctx.files.stat(path, follow=False))

        async def enter(name: str) -> None:
            await visit(posixpath.join(path, name), depth + 1)

        if not rules.depth_first and depth >= rules.least:
            await condition(found)
        if found.node.kind == "dir" and depth < rules.most:
            await ctx.each(ctx.files.listdir(path), enter)
        if rules.depth_first and depth >= rules.least:
            await condition(found)

    async def start(top: str) -> None:
        await visit(top, 0)

    await ctx.each(tops or ["."], start)
    for command_words, paths in rules.batches:
        if paths:
            await ctx.run([*command_words, *paths])
    return ctx.failed


class _Expression:
    """The conditions and actions, parsed from the words that follow the folders."""

    def __init__(self, ctx: Context, words: list[str]) -> None:
        self.least = 0
        self.most = 1 << 30
        self.depth_first = False
        self.batches: list[tuple[list[str], list[str]]] = []  # of -exec ... +
        self._ctx = ctx
        self._words = words
        self._acts = False

    def parse(self) -> Condition:
        condition = self._either() if self._words else _plain(lambda _: True)
        if self._words:
            raise Failure(f"bad {self._words[0]}")
        return condition if self._acts else _both(condition, self.printing())

    def _either(self) -> Condition:
        condition = self._all()
        while self._words[:1] == ["-o"]:
            self._words.pop(0)
            condition = _negated(_both(_negated(condition), _negated(self._all())))
        return condition

    def _all(self) -> Condition:
        condition = self._one()
        while self._words and self._words[0] not in {"-o", ")"}:
            if self._words[0] == "-a":
                self._words.pop(0)
            condition = _both(condition, self._one())
        return condition

    def _one(self) -> Condition:
        word = self._next()
        if word == "!":
            return _negated(self._one())
        if word == "(":
            condition = self._either()
            if self._next() != ")":
                raise Failure("bad (")
            return condition
        return self._action(word) or _plain(self._test(word))

    def _next(self) -> str:
        if not self._words:
            raise UsageError("Missing argument")
        return self._words.pop(0)

    def _action(self, word: str) -> Condition | None:
        """Return an action, or what an option that is always true stands for; None if neither."""
        if word in _ACTIONS:
            self._acts = True
            return _ACTIONS[word](self)
        if word == "-maxdepth":
            self.most = number(self._next())
        elif word == "-mindepth":
            self.least = number(self._next())
        else:
            return None
        return _plain(lambda _: True)

    def _test(self, word: str) -> Test:
        if word == "-empty":
            return lambda found: (
                not (
                    self._ctx.files.listdir(found.path)
                    if found.node.kind == "dir"
                    else found.node.data
                )
            )
        if word not in _TESTS:
            raise Failure(f"bad {word}")
        return _TESTS[word](self._ctx, self._next())

    def printing(self) -> Condition:
        async def show(found: _Found) -> bool:
            await self._ctx.out(f"{found.path}\n")
            return True

        return show

    def deleting(self) -> Condition:
        self.depth_first = True
        files = self._ctx.files

        async def delete(found: _Found) -> bool:
            if found.path != ".":
                (files.rmdir if found.node.kind == "dir" else files.remove)(found.path)
            return True

        return delete

    def exec(self) -> Condition:
        ends = [at for at, word in enumerate(self._words) if word in {";", "+"}]
        if not ends:
            raise Failure("-exec needs ;")
        words, end = self._words[: ends[0]], self._words[ends[0]]
        del self._words[: ends[0] + 1]
        paths: list[str] = []
        if end == "+":
            self.batches.append((words[:-1] if words[-1:] == ["{}"] else words, paths))

        async def run(found: _Found) -> bool:
            if end == "+":
                paths.append(found.path)
                return True
            return await self._ctx.run([word.replace("{}", found.path) for word in words]) == 0

        return run


_ACTIONS: dict[str, Callable[[_Expression], Condition]] = {
    "-print": _Expression.printing,
    "-delete": _Expression.deleting,
    "-exec": _Expression.exec,
}


def _plain(test: Test) -> Condition:
    async def check(found: _Found) -> bool:
        return test(found)

    return check


def _both(first: Condition, second: Condition) -> Condition:
    async def check(found: _Found) -> bool:
        return await first(found) and await second(found)

    return check


def _negated(condition: Condition) -> Condition:
    async def check(found: _Found) -> bool:
        return not await condition(found)

    return check


def _compared(text: str, unit: float = 1) -> Callable[[float], bool]:
    """Return the test that +5, -5 or 5 stands for."""
    if not text.lstrip("+-").isdecimal():
        raise Failure(f"Not a number '{text}'")
    wanted = int(text.lstrip("+-"))
    if text.startswith("+"):
        return lambda value: value // unit > wanted
    if text.startswith("-"):
        return lambda value: value // unit < wanted
    return lambda value: value // unit == wanted


def _age(unit: float) -> Callable[[Context, str], Test]:
    def build(ctx: Context, text: str) -> Test:
        compare = _compared(text, unit)
        return lambda found: compare(ctx.phone.clock.time() - found.node.mtime)

    return build


def _size(_ctx: Context, text: str) -> Test:
    unit = _SIZES.get(text[-1:], 512)
    compare = _compared(text.rstrip("cbkMG"))
    return lambda found: compare(-(-len(found.node.data) // unit))


def _newer(ctx: Context, name: str) -> Test:
    mtime = ctx.files.stat(name).mtime
    return lambda found: found.node.mtime > mtime


_TESTS: dict[str, Callable[[Context, str], Test]] = {
    "-name": lambda _, text: lambda found: matches(text, found.base),
    "-iname": lambda _, text: lambda found: matches(text.lower(), found.base.lower()),
    "-path": lambda _, text: lambda found: matches(text, found.path),
    "-type": lambda _, text: (
        lambda found: found.node.kind in [_KINDS.get(kind) for kind in text.split(",")]
    ),
    "-mtime": _age(86400),
    "-mmin": _age(60),
    "-size": _size,
    "-newer": _newer,
}
