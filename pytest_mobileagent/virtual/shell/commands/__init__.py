"""What a command is: the registry, the decorator that fills it, and what a running command gets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.shell.opening import open_reader, open_writer
from pytest_mobileagent.virtual.shell.streams import Bytes, Collected, lines_of, read_line
from pytest_mobileagent.virtual.shell.streams import decode as decode
from pytest_mobileagent.virtual.shell.streams import encode as encode
from pytest_mobileagent.virtual.shell.userfiles import UserFiles

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.execution import Shell
    from pytest_mobileagent.virtual.shell.session import Session
    from pytest_mobileagent.virtual.shell.streams import Reader, Writer

Program: TypeAlias = Callable[["Context", list[str]], Awaitable[int]]


@dataclass(frozen=True, slots=True)
class Command:
    """A program: where its file is, if it has one, and whether the shell runs it by itself."""

    program: Program
    folder: str | None
    builtin: bool


registry: dict[str, Command] = {}


def command(
    *names: str, folder: str | None = "/system/bin", builtin: bool = False
) -> Callable[[Program], Program]:
    """Register a program under `names`; without a `folder` it is nothing but a builtin."""

    def register(program: Program) -> Program:
        each = Command(program, folder, builtin or folder is None)
        registry.update(dict.fromkeys(names, each))
        return program

    return register


class Failure(Exception):  # noqa: N818 - it is how a command ends, not a defect of ours
    """A command cannot go on: `NAME: message` on stderr, and its exit status."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Refused(Exception):  # noqa: N818 - an answer, not a defect
    """A command is not done; why is told on stderr as it is, or on stdout."""

    def __init__(self, why: str, status: int = 255, *, out: bool = False) -> None:
        super().__init__(why)
        self.status = status
        self.out = out


class UsageError(Failure):
    """A command was called in a way that it does not understand; toybox points at its help."""


# These print the name of the file in quotes; the others do not.
_QUOTING = frozenset({"rmdir", "stat", "find", "df", "mkdir", "touch"})


def explain(error: OSError, name: str) -> str:
    """Return what the command `name` prints about `error`, as toybox words it."""
    words = error.strerror or str(error)
    if error.filename is None:
        return f"{name}: {words}\n"
    file = f"'{error.filename}'" if name in _QUOTING else error.filename
    return f"{name}: {file}: {words}\n"


@dataclass(slots=True)
class Context:
    """What a running command sees of the world.

    `session` holds the streams, user, folder and environment of this very command; `shell` is the
    interpreter that runs it, which the shell's own commands change. What it complains about starts
    with `prefix`.
    """

    name: str
    session: Session
    shell: Shell
    pid: int = 0
    prefix: str = ""
    failed: int = field(default=0, init=False)

    @property
    def phone(self) -> Phone:
        """The phone that the command runs on."""
        return self.session.phone

    @property
    def uid(self) -> int:
        """The user: 0 is root, 2000 shell, from 10000 on apps."""
        return self.session.uid

    @property
    def cwd(self) -> str:
        """The current folder."""
        return self.session.cwd

    @property
    def env(self) -> dict[str, str]:
        """The exported variables."""
        return self.session.env

    @property
    def stdin(self) -> Reader:
        """Where input comes from."""
        return self.session.stdin

    @property
    def stdout(self) -> Writer:
        """Where output goes."""
        return self.session.stdout

    @property
    def stderr(self) -> Writer:
        """Where complaints go."""
        return self.session.stderr

    @property
    def files(self) -> UserFiles:
        """The file system as this command's user sees it from the current folder."""
        return UserFiles(self.phone.files, self.uid, self.cwd)

    def path(self, text: str) -> str:
        """Return the absolute path of a file that was named as `text`."""
        return self.phone.files.absolute(text, self.cwd)

    async def out(self, data: str | bytes) -> None:
        """Write to stdout."""
        await self.stdout.write(encode(data))

    async def err(self, data: str | bytes) -> None:
        """Write to stderr."""
        await self.stderr.write(encode(data))

    async def read_all(self) -> bytes:
        """Read stdin up to its end."""
        return await self.stdin.read_all()

    async def read_line(self) -> str:
        """Read one line of stdin, with its newline; "" at the end."""
        return decode(await read_line(self.stdin))

    async def read(self, name: str) -> bytes:
        """Read the whole file called `name`; `-` is stdin."""
        return await self.reader(name).read_all()

    def reader(self, name: str) -> Reader:
        """Open the file, or the device such as /dev/zero, called `name` for reading."""
        return self.stdin if name == "-" else open_reader(name, self.session)

    async def lines(self, names: list[str]) -> AsyncIterator[str]:
        """Yield the lines of all files, with their newlines, as they arrive; no name is stdin.

        What cannot be read is complained about and left out.
        """
        for name in names or ["-"]:
            try:
                async for line in lines_of(self.reader(name)):
                    yield decode(line)
            except BrokenPipeError:
                raise
            except OSError as error:
                error.filename = error.filename or name
                await self.complain(error)

    def writer(self, name: str, *, append: bool = False) -> Writer:
        """Open the file, or the device such as /dev/tty, called `name` for writing."""
        return open_writer(name, self.session, append=append)

    async def save(self, name: str, data: bytes) -> None:
        """Write the whole file, or to the device such as /dev/tty, called `name`."""
        await self.writer(name).write(data)

    async def complain(self, error: OSError | Failure | str) -> None:
        """Print what failed, and go on; the command's exit status will be 1 or the failure's."""
        self.failed = error.status if isinstance(error, Failure) else 1
        text = (
            explain(error, self.name) if isinstance(error, OSError) else f"{self.name}: {error}\n"
        )
        await self.err(self.prefix + text)

    async def each(self, names: Iterable[str], action: Callable[[str], Awaitable[None]]) -> int:
        """Do `action` for every name, complain about those that fail, and return the status."""
        for name in names:
            try:
                await action(name)
            except BrokenPipeError:
                raise
            except (OSError, Failure) as error:
                await self.complain(error)
        return self.failed

    async def run(
        self,
        words: list[str],
        *,
        stdin: Reader | None = None,
        stdout: Writer | None = None,
        env: dict[str, str] | None = None,
        uid: int | None = None,
        cwd: str | None = None,
    ) -> int:
        """Run another program, as `exec` finds it, and return its exit status."""
        session = replace(
            self.session,
            stdin=self.stdin if stdin is None else stdin,
            stdout=self.stdout if stdout is None else stdout,
            env=dict(self.env if env is None else env),
            uid=self.uid if uid is None else uid,
            cwd=self.cwd if cwd is None else cwd,
        )
        try:
            return await self.shell.run_program(words, session)
        except OSError as error:
            await self.err(f"{self.name}: exec {words[0]}: {error.strerror}\n")
            return 127 if isinstance(error, FileNotFoundError) else 126

    async def output_of(self, words: list[str]) -> bytes:
        """Run another program without input and return what it printed."""
        collected = Collected()
        await self.run(words, stdin=Bytes(b""), stdout=collected)
        return collected.data


def number(text: str) -> int:
    """Return the number that `text` spells, or fail as toybox does."""
    try:
        return int(text, 0)
    except ValueError:
        raise Failure(f"Not a number '{text}'") from None
