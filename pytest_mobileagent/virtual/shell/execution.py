"""A running shell: its variables and state, and the execution of the parts of a script."""

from __future__ import annotations

import copy
import random
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from pytest_mobileagent.patterns import PatternError
from pytest_mobileagent.virtual.kernel.access import UserFiles
from pytest_mobileagent.virtual.shell.arithmetic import evaluate
from pytest_mobileagent.virtual.shell.errors import (
    ExitShell,
    ShellError,
    ShellSyntaxError,
    Unwinding,
)
from pytest_mobileagent.virtual.shell.limits import VALUE, breathe
from pytest_mobileagent.virtual.shell.session import Closed, Collected, decode

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Coroutine

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.processes import ShellProcess
    from pytest_mobileagent.virtual.shell.session import Reader, Session, Writer

_CRASHED = 139
_SMALL = 1 << 12  # characters of a value whose memory is not counted
_CLOSED = Closed()


class Node(ABC):
    """A part of a script that a shell can execute."""

    fatal: ClassVar[bool] = False  # whether its failure ends a script under `set -e`

    @abstractmethod
    async def execute(self, shell: Shell) -> int:
        """Execute this part of a script, and return its exit status."""


class Shell:
    """A shell, or a subshell, which starts with a copy of its parent's state."""

    def __init__(self, session: Session, pid: int) -> None:
        self.session = session
        self.cwd = session.cwd
        self.name = "/system/bin/sh"  # $0
        self.file: str | None = None  # the script's path or <stdin>, if messages should include it
        self.pid = pid
        self.arguments: list[str] = []
        self.variables = Variables({**session.env, "PWD": session.cwd})
        self.readers: dict[int, Reader] = {0: session.stdin}
        self.writers: dict[int, Writer] = {1: session.stdout, 2: session.stderr}
        self.functions: dict[str, Node] = {}
        self.locals: list[dict[str, Kept]] = []  # the old variables, for each running function
        self.options: set[str] = set()
        self.jobs: dict[int, asyncio.Task[int]] = {}
        self.attached: set[asyncio.Task[int]] = set()  # jobs that use the session's output
        self.started: set[ShellProcess] = set()  # all jobs of the session
        self.last_job: int | None = None
        self.line = 1
        self.status = 0
        self.substituted = 0  # the status of the last $(...)
        self.loops = 0  # the number of loops around the current command
        self.forgiven = 0  # above 0 while failures do not end the script under `set -e`
        self.adoptable: ShellProcess | None = None

    @property
    def phone(self) -> Phone:
        """The phone that the shell runs on."""
        return self.session.phone

    @property
    def files(self) -> UserFiles:
        """The files as this shell sees them."""
        return UserFiles(self.phone.files, self.session.uid, self.cwd)

    def twin(self, *, stdin: Reader | None = None, stdout: Writer | None = None) -> Shell:
        """Return a subshell: an independent copy."""
        twin = copy.copy(self)
        twin.arguments = list(self.arguments)
        twin.variables = self.variables.copy()
        twin.readers = self.readers if stdin is None else {**self.readers, 0: stdin}
        twin.writers = self.writers if stdout is None else {**self.writers, 1: stdout}
        twin.functions = dict(self.functions)
        twin.locals = [dict(scope) for scope in self.locals]
        twin.options = set(self.options)
        twin.jobs = {}
        return twin

    def surroundings(self) -> Session:
        """Return the session for a command that is started now."""
        return replace(
            self.session,
            cwd=self.cwd,
            env=self.variables.environment(),
            stdin=self.readers.get(0, _CLOSED),
            stdout=self.writers.get(1, _CLOSED),
            stderr=self.writers.get(2, _CLOSED),
        )

    def adopt(self, words: list[str]) -> ShellProcess | None:
        """Return the process of a background job, which its first command takes over."""
        process, self.adoptable = self.adoptable, None
        if process:
            process.words = words
        return process

    # Execution

    async def execute(self, node: Node) -> int:
        """Execute a part of a script and return its exit status, which also becomes `$?`."""
        await breathe()
        self.status = await node.execute(self)
        if self.status and node.fatal and "e" in self.options and not self.forgiven:
            raise ExitShell(self.status)
        return self.status

    async def succeeds(self, node: Node) -> bool:
        """Execute a condition, whose failure does not end the script under `set -e`."""
        self.forgiven += 1
        try:
            return await self.execute(node) == 0
        finally:
            self.forgiven -= 1

    async def capture(self, script: Node) -> str:
        """Execute `script` in a subshell and return its output, as `$(...)` does."""
        output = Collected(VALUE)
        twin = self.twin(stdout=output)
        self.status = self.substituted = await twin.complete(twin.execute(script))
        if output.full:
            raise ShellError("out of memory")
        return decode(output.data.replace(b"\0", b"")).rstrip("\n")

    async def complete(self, work: Coroutine[None, None, int]) -> int:
        """Await all of this shell's work; an error that stops it is printed and sets its status."""
        try:
            self.status = await work
        except Unwinding as leaving:
            self.status = leaving.status
        except PatternError as error:
            await self.complain(error)
            self.status = 1
        except ShellError as error:
            line = error.line if isinstance(error, ShellSyntaxError) else None
            await self.complain(error, line)
            self.status = error.status
        except RecursionError:  # where mksh runs out of stack
            await self.print_error("Segmentation fault\n")
            return _CRASHED
        return self.status

    # Variables

    def lookup(self, name: str) -> str | None:
        """Return the value of a parameter, or None if it is not set."""
        if name.isdecimal():
            return next(iter([self.name, *self.arguments][int(name) :]), None)
        special = _SPECIAL.get(name)
        return special(self) if special else self.variables.get(name)

    def get(self, name: str, default: str = "") -> str:
        """Return the value of a variable, or `default` if it is not set."""
        value = self.lookup(name)
        return default if value is None else value

    def assign(self, name: str, value: str) -> None:
        """Set a variable."""
        if len(value) > _SMALL and self.variables.size() + len(value) > VALUE:
            raise ShellError(f"{name}: out of memory")
        self.variables[name] = value

    def evaluate(self, expression: str) -> int:
        """Return the value of an arithmetic expression."""
        return evaluate(expression, self.get, self.assign)

    # Error messages

    def prefix(self, line: int | None = None) -> str:
        """Return mksh's prefix of messages: its name, and the position in a script."""
        if self.file is None:
            return f"{self.name}: "
        place = f"{self.file}[{self.line if line is None else line}]: "
        return place if self.file == self.name else f"{self.name}: {place}"

    async def complain(self, message: object, line: int | None = None) -> None:
        """Print a message about this shell's script."""
        await self.print_error(f"{self.prefix(line)}{message}\n")

    async def print_error(self, text: str) -> None:
        """Print text to stderr unchanged."""
        await self.writers.get(2, _CLOSED).write(text.encode(errors="surrogateescape"))


_SPECIAL: dict[str, Callable[[Shell], str | None]] = {
    "@": lambda shell: " ".join(shell.arguments) if shell.arguments else None,
    "*": lambda shell: " ".join(shell.arguments) if shell.arguments else None,
    "#": lambda shell: str(len(shell.arguments)),
    "?": lambda shell: str(shell.status),
    "$": lambda shell: str(shell.pid),
    "!": lambda shell: None if shell.last_job is None else str(shell.last_job),
    "-": lambda shell: "".join(sorted(shell.options)),
    "LINENO": lambda shell: str(shell.line),
    "RANDOM": lambda _: str(random.randrange(32768)),
}


Kept: TypeAlias = tuple[str | None, bool]  # a variable's value, and whether it is exported


class Variables(dict[str, str]):
    """Variables by name; `exported` names those that programs see."""

    def __init__(self, environment: dict[str, str]) -> None:
        super().__init__(environment)
        self.exported = set(environment)

    def copy(self) -> Variables:
        """Return an independent copy for a subshell."""
        twin = Variables(self)
        twin.exported = set(self.exported)
        return twin

    def size(self) -> int:
        """Return the total number of characters of all values."""
        return sum(map(len, self.values()))

    def kept(self, name: str) -> Kept:
        """Return a variable's state, for `put_back`."""
        return self.get(name), name in self.exported

    def put_back(self, name: str, kept: Kept) -> None:
        """Restore a variable's earlier state."""
        value, exported = kept
        if value is None:
            self.pop(name, None)
        else:
            self[name] = value
        (self.exported.add if exported else self.exported.discard)(name)

    def environment(self) -> dict[str, str]:
        """Return the exported variables."""
        return {name: self[name] for name in self.exported if name in self}
