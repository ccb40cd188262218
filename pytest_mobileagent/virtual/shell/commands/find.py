"""find: walks through folders and prints, removes or hands on what fulfils conditions."""

from __future__ import annotations

import posixpath
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command, number
from pytest_mobileagent.virtual.shell.finding import TESTS, Found, Test

Condition: TypeAlias = Callable[[Found], Awaitable[bool]]


@command("find")
async def find(ctx: Context, args: list[str]) -> int:
    """Walk through folders."""
    words = list(args)
    follow = False
    while words and words[0] in {"-H", "-L", "-P"}:
        follow = words.pop(0) == "-L"
    tops = []
    while words and not words[0].startswith(("-", "!", "(")):
        tops.append(words.pop(0))
    expression = _Expression(ctx, words)
    condition = expression.parse()
    walk = _Walk(ctx, expression, condition, follow=follow)

    async def start(top: str) -> None:
        await walk.visit(top, 0)

    await ctx.each(tops or ["."], start)
    await expression.finish()
    return ctx.failed


class _Walk:
    """The way through a tree of folders."""

    def __init__(
        self, ctx: Context, expression: _Expression, condition: Condition, *, follow: bool
    ) -> None:
        self._ctx = ctx
        self._expression = expression
        self._condition = condition
        self._follow = follow

    async def visit(self, path: str, depth: int) -> None:
        node = self._ctx.files.find(path) if self._follow else None
        found = Found(path, node or self._ctx.files.stat(path, follow=False), depth)
        rules = self._expression
        rules.pruned = False
        if not rules.depth_first and depth >= rules.least:
            await self._condition(found)
        if found.node.kind == "dir" and depth < rules.most and not rules.pruned:
            await self._ctx.each(*self._below(found))
        if rules.depth_first and depth >= rules.least:
            await self._condition(found)

    def _below(self, found: Found) -> tuple[list[str], Callable[[str], Awaitable[None]]]:
        async def enter(name: str) -> None:
            await self.visit(posixpath.join(found.path, name), found.depth + 1)

        return self._ctx.files.listdir(found.path), enter


class _Expression:
    """The conditions and actions, parsed from the words that follow the folders."""

    def __init__(self, ctx: Context, words: list[str]) -> None:
        self.least = 0
        self.most = 1 << 30
        self.depth_first = False
        self.pruned = False
        self._ctx = ctx
        self._words = words
        self._acts = False
        self._batches: list[tuple[list[str], list[str]]] = []  # of -exec ... +

    def parse(self) -> Condition:
        condition = self._either() if self._words else _always
        if self._words:
            raise Failure(f"bad {self._words[0]}")
        return condition if self._acts else _both(condition, self._printing("\n"))

    async def finish(self) -> None:
        for words, paths in self._batches:
            if paths:
                await self._ctx.run([*words, *paths])

    def _either(self) -> Condition:
        condition = self._all()
        while self._words[:1] in (["-o"], ["-or"]):
            self._words.pop(0)
            condition = _either(condition, self._all())
        return condition

    def _all(self) -> Condition:
        condition = self._one()
        while self._words and self._words[0] not in {"-o", "-or", ")"}:
            if self._words[0] in {"-a", "-and"}:
                self._words.pop(0)
            condition = _both(condition, self._one())
        return condition

    def _one(self) -> Condition:
        word = self._next()
        if word in {"!", "-not"}:
            return _negated(self._one())
        if word == "(":
            condition = self._either()
            if self._next() != ")":
                raise Failure("bad (")
            return condition
        return self._action(word) or self._test(word)

    def _next(self) -> str:
        if not self._words:
            raise UsageError("Missing argument")
        return self._words.pop(0)

    def _action(self, word: str) -> Condition | None:
        """Return an action, or what an option that is always true stands for; None if neither."""
        match word:
            case "-print" | "-print0":
                condition = self._acting(self._printing("\0" if word == "-print0" else "\n"))
            case "-delete":
                self.depth_first = True
                condition = self._acting(self._delete)
            case "-exec" | "-ok":
                condition = self._acting(self._exec())
            case "-prune":
                condition = self._prune
            case "-depth" | "-maxdepth" | "-mindepth" | "-xdev":
                self._option(word)
                condition = _always
            case _:
                return None
        return condition

    def _option(self, word: str) -> None:
        if word == "-depth":
            self.depth_first = True
        elif word == "-maxdepth":
            self.most = number(self._next())
        elif word == "-mindepth":
            self.least = number(self._next())

    def _acting(self, condition: Condition) -> Condition:
        self._acts = True
        return condition

    def _test(self, word: str) -> Condition:
        if word == "-empty":
            return _plain(self._is_empty)
        if word in {"-true", "-false"}:
            return _plain(lambda _: word == "-true")
        if word not in TESTS:
            raise Failure(f"bad {word}")
        return _plain(TESTS[word](self._ctx, self._next()))

    def _is_empty(self, found: Found) -> bool:
        if found.node.kind == "dir":
            return not self._ctx.files.listdir(found.path)
        return not found.node.data

    def _printing(self, end: str) -> Condition:
        async def show(found: Found) -> bool:
            await self._ctx.out(found.path + end)
            return True

        return show

    async def _delete(self, found: Found) -> bool:
        if found.path != ".":
            files = self._ctx.files
            (files.rmdir if found.node.kind == "dir" else files.remove)(found.path)
        return True

    async def _prune(self, _found: Found) -> bool:
        self.pruned = True
        return True

    def _exec(self) -> Condition:
        ends = [at for at, word in enumerate(self._words) if word in {";", "+"}]
        if not ends:
            raise Failure("-exec needs ;")
        words, end = self._words[: ends[0]], self._words[ends[0]]
        del self._words[: ends[0] + 1]
        paths: list[str] = []
        if end == "+":
            self._batches.append((words[:-1] if words[-1:] == ["{}"] else words, paths))

        async def run(found: Found) -> bool:
            if end == "+":
                paths.append(found.path)
                return True
            return await self._ctx.run([word.replace("{}", found.path) for word in words]) == 0

        return run


async def _always(_found: Found) -> bool:
    return True


def _plain(test: Test) -> Condition:
    async def check(found: Found) -> bool:
        return test(found)

    return check


def _both(first: Condition, second: Condition) -> Condition:
    async def check(found: Found) -> bool:
        return await first(found) and await second(found)

    return check


def _either(first: Condition, second: Condition) -> Condition:
    async def check(found: Found) -> bool:
        return await first(found) or await second(found)

    return check


def _negated(condition: Condition) -> Condition:
    async def check(found: Found) -> bool:
        return not await condition(found)

    return check
