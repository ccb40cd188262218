"""The registry of commands, their options, and the context of a running command."""

from __future__ import annotations

import getopt
import posixpath
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pytest_mobileagent.virtual.shell.limits import breathe
from pytest_mobileagent.virtual.shell.session import (
    Bytes,
    Collected,
    Session,
    lines_of,
    read_all,
    read_line,
)
from pytest_mobileagent.virtual.shell.session import decode as decode
from pytest_mobileagent.virtual.shell.session import encode as encode

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.files import Node
    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.session import Reader

Answer: TypeAlias = str | int | None  # the output, the exit status, or neither
Program: TypeAlias = Callable[["Context", list[str]], Awaitable[Answer]]
Launch: TypeAlias = Callable[["Shell", list[str], Session], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Command:
    """A program: the folder of its file, if it has one, and whether it is also a shell builtin."""

    program: Program
    folder: str | None
    builtin: bool


registry: dict[str, Command] = {}


def command(
    *names: str, folder: str | None = "/system/bin", builtin: bool = False
) -> Callable[[Program], Program]:
    """Register a program under `names`; without a `folder` it is only a builtin."""

    def register(program: Program) -> Program:
        each = Command(program, folder, builtin or folder is None)
        registry.update(dict.fromkeys(names, each))
        return program

    return register


class Failure(Exception):
    """A command fails: it prints `NAME: message` to stderr, and exits with a status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Refused(Exception):
    """A command refuses to run; its message is printed unchanged to stderr, or to stdout."""

    def __init__(self, why: str, status: int = 255, *, out: bool = False) -> None:
        super().__init__(why)
        self.status = status
        self.out = out


class UsageError(Failure):
    """A command was called incorrectly; toybox refers to its help."""


# These commands quote file names in messages; the others do not.
_QUOTING = frozenset({"rmdir", "stat", "find", "df", "mkdir", "touch"})


class Found(NamedTuple):
    """A file or folder found on a walk, and its depth below the start."""

    path: str
    node: Node
    depth: int

    @property
    def name(self) -> str:
        """The last part of the path."""
        return posixpath.basename(self.path.rstrip("/")) or self.path


@dataclass
class Context(Session):
    """What a running command can access.

    As a session it has the streams, user, folder and environment of this command. `shell` is the
    interpreter that runs it, which the shell's own commands change. `launch` runs another program.
    Error messages of the command start with `prefix`.
    """

    name: str
    shell: Shell
    launch: Launch
    pid: int
    prefix: str = ""
    failed: int = field(default=0, init=False)

    async def out(self, data: str | bytes) -> None:
        """Write to stdout."""
        await breathe()
        await self.stdout.write(encode(data))

    async def err(self, data: str | bytes) -> None:
        """Write to stderr."""
        await self.stderr.write(encode(data))

    async def read_all(self) -> bytes:
        """Read stdin to its end."""
        return await read_all(self.stdin)

    async def read_line(self) -> str:
        """Read a line of stdin, with its newline; "" at the end."""
        return decode(await read_line(self.stdin))

    async def read(self, name: str) -> bytes:
        """Read the whole file called `name`; `-` is stdin."""
        return await read_all(self.reader(name))

    def reader(self, name: str) -> Reader:
        """Open the file, or device such as /dev/zero, called `name`; `-` is stdin."""
        return self.stdin if name == "-" else super().reader(name)

    async def lines(self, names: list[str]) -> AsyncIterator[str]:
        """Yield the lines of all files, with newlines, as they arrive; without names, stdin's."""
        for name in names or ["-"]:
            try:
                async for line in lines_of(self.reader(name)):
                    yield decode(line)
            except BrokenPipeError:
                raise
            except OSError as error:
                error.filename = error.filename or name
                await self.complain(error)

    async def save(self, name: str, data: bytes) -> None:
        """Write a whole file, or write to a device such as /dev/tty."""
        await self.writer(name).write(data)

    async def complain(self, error: Exception | str) -> None:
        """Print an error and continue; the exit status will be that of the failure, or 1."""
        self.failed = error.status if isinstance(error, Failure) else 1
        text = str(error)
        if isinstance(error, OSError):
            text = error.strerror or text
            if error.filename is not None:
                file = f"'{error.filename}'" if self.name in _QUOTING else error.filename
                text = f"{file}: {text}"
        await self.err(f"{self.prefix}{self.name}: {text}\n")

    async def each(self, names: Iterable[str], action: Callable[[str], Awaitable[None]]) -> int:
        """Call `action` for every name, report failures, and return the status."""
        for name in names:
            try:
                await action(name)
            except BrokenPipeError:
                raise
            except (OSError, Failure) as error:
                await self.complain(error)
        return self.failed

    async def walk(
        self,
        name: str,
        *,
        most: float = inf,
        bottom_up: bool = False,
        follow: bool = False,
        depth: int = 0,
    ) -> list[Found]:
        """Return a file or folder and everything below it, down to `most` levels; report failures.

        A folder precedes its contents, or follows them if `bottom_up`. Links are not followed,
        except for the starting point if `follow`.
        """
        found: list[Found] = []
        below: list[Found] = []

        async def look(path: str) -> None:
            await breathe()
            node = self.files.stat(path, follow=follow)
            found.append(Found(path, node, depth))
            if node.kind == "dir" and depth < most:
                for each in self.files.listdir(path):
                    inside = posixpath.join(path, each)
                    below.extend(
                        await self.walk(inside, most=most, bottom_up=bottom_up, depth=depth + 1)
                    )

        await self.each([name], look)
        return below + found if bottom_up else found + below

    async def run(self, words: list[str], session: Session | None = None) -> int:
        """Run another program, located as by `exec`, and return its exit status."""
        try:
            return await self.launch(self.shell, words, session or self)
        except OSError as error:
            await self.err(f"{self.name}: exec {words[0]}: {error.strerror}\n")
            return 127 if isinstance(error, FileNotFoundError) else 126

    async def output_of(self, words: list[str]) -> bytes:
        """Run another program without input and return its output."""
        collected = Collected()
        await self.run(words, replace(self, stdin=Bytes(b""), stdout=collected))
        return collected.data


def number(text: str) -> int:
    """Return the number that `text` spells, or fail as toybox does."""
    try:
        return int(text, 0)
    except ValueError:
        raise Failure(f"Not a number '{text}'") from None


_OPTIONAL_VALUE = re.compile("(?<=^--color)=.*")


@dataclass(slots=True)
class Options:
    """The options of a command, and the remaining words."""

    given: list[tuple[str, str]]  # in order, with their values
    rest: list[str]

    def __contains__(self, option: str) -> bool:
        return any(name == option for name, _ in self.given)

    def all(self, option: str) -> list[str]:
        """Return all values of an option."""
        return [value for name, value in self.given if name == option]

    def get(self, option: str, default: str = "") -> str:
        """Return the last value of an option."""
        return [default, *self.all(option)][-1]

    def number(self, option: str, default: int) -> int:
        """Return the last value of an option, which must be a number; 4k is 4096."""
        return size(self.get(option)) if option in self else default


def parse(
    args: list[str],
    spec: str,
    long: dict[str, str] | None = None,
    *,
    least: int = 0,
    most: int | None = None,
    stop: bool = False,
) -> Options:
    """Parse `args`; `spec` lists the letters, each with a colon if it takes a value.

    `long` maps long options to letters. With `stop`, the first word that is not an option ends the
    options. `least` and `most` limit the number of remaining words.
    """
    long = long or {}
    names = [f"{name}=" if f"{letter}:" in spec else name for name, letter in long.items()]
    words = [_OPTIONAL_VALUE.sub("", word) for word in args]
    try:
        found, rest = (getopt.getopt if stop else getopt.gnu_getopt)(words, spec, names)
    except getopt.GetoptError as error:
        option = error.opt if len(error.opt) == 1 else f"--{error.opt}"
        if error.opt in {*spec, *long}:
            raise UsageError(f"Missing argument to -{option.lstrip('-')}") from None
        raise UsageError(f"Unknown option '{option}'") from None
    if len(rest) < least:
        raise UsageError(f"Needs {least} argument{'s' if least > 1 else ''}")
    if most is not None and len(rest) > most:
        raise UsageError(f"Max {most} argument{'s' if most > 1 else ''}")
    given = [(name.lstrip("-"), value) for name, value in found]
    return Options([(long.get(name, name), value) for name, value in given], rest)


def size(text: str) -> int:
    """Return the number of bytes that `text` spells: a number with an optional unit."""
    units = {"k": 2**10, "m": 2**20, "g": 2**30, "b": 512}
    if text[-1:].lower() in units and text[:2].lower() != "0x":
        return number(text[:-1]) * units[text[-1].lower()]
    return number(text)
