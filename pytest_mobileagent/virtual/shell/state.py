"""What a shell knows and remembers: variables, arguments, options, streams, and who it is."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.shell.arithmetic import ExpressionError, evaluate
from pytest_mobileagent.virtual.shell.errors import ShellError
from pytest_mobileagent.virtual.shell.opening import Closed
from pytest_mobileagent.virtual.shell.userfiles import UserFiles

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Self

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.processes import ShellProcess
    from pytest_mobileagent.virtual.shell.session import Session
    from pytest_mobileagent.virtual.shell.streams import Reader, Writer
    from pytest_mobileagent.virtual.shell.syntax import Node

Kept: TypeAlias = tuple[str | None, bool]  # a variable's value, and whether it is exported


class Variables:
    """Variables by name; those of `environment` are exported."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._values = dict(environment)
        self._exported = set(environment)

    def copy(self) -> Variables:
        """Return the same variables for a subshell, to change on its own."""
        twin = Variables({})
        twin._values = dict(self._values)
        twin._exported = set(self._exported)
        return twin

    def get(self, name: str) -> str | None:
        """Return the value, or None if unset."""
        return self._values.get(name)

    def set(self, name: str, value: str) -> None:
        """Assign a value."""
        self._values[name] = value

    def unset(self, name: str) -> None:
        """Forget a variable."""
        self._values.pop(name, None)
        self._exported.discard(name)

    def export(self, name: str) -> None:
        """Let commands see a variable from now on."""
        self._exported.add(name)

    def kept(self, name: str) -> Kept:
        """Return what `put_back` needs to make a variable what it is now."""
        return self._values.get(name), name in self._exported

    def put_back(self, name: str, kept: Kept) -> None:
        """Make a variable what it was."""
        value, exported = kept
        if value is None:
            self._values.pop(name, None)
        else:
            self._values[name] = value
        (self._exported.add if exported else self._exported.discard)(name)

    def all(self) -> dict[str, str]:
        """Return every variable by name, sorted."""
        return dict(sorted(self._values.items()))

    def environment(self) -> dict[str, str]:
        """Return the exported variables."""
        return {name: self._values[name] for name in self._exported if name in self._values}


class ShellState:
    """The part of a shell that a subshell starts with a copy of.

    `name` is $0; `file` is where the script comes from, if errors are to tell: a path or <stdin>.
    """

    def __init__(
        self,
        session: Session,
        *,
        name: str = "/system/bin/sh",
        file: str | None = None,
        arguments: list[str] | None = None,
        pid: int = 0,
    ) -> None:
        self.session = session
        self.cwd = session.cwd
        self.name = name
        self.file = file
        self.pid = pid
        self.arguments = arguments or []
        self.variables = Variables({**session.env, "PWD": session.cwd})
        self.readers: dict[int, Reader] = {0: session.stdin}
        self.writers: dict[int, Writer] = {1: session.stdout, 2: session.stderr}
        self.functions: dict[str, Node] = {}
        self.locals: list[dict[str, Kept]] = []  # of each running function: what was before
        self.options: set[str] = set()
        self.jobs: dict[int, asyncio.Task[int]] = {}
        self.attached: set[asyncio.Task[int]] = set()  # jobs that use the session's output
        self.last_job: int | None = None
        self.line = 1
        self.status = 0
        self.substituted = 0  # the status of the last $(...)
        self.loops = 0  # how many are running around this command
        self.forgiven = 0  # above 0 where a failure is an answer, not an end under `set -e`
        self.adoptable: ShellProcess | None = None

    @property
    def phone(self) -> Phone:
        """The phone that the shell runs on."""
        return self.session.phone

    @property
    def files(self) -> UserFiles:
        """The files as this shell sees them."""
        return UserFiles(self.phone.files, self.session.uid, self.cwd)

    def twin(self, *, stdin: Reader | None = None, stdout: Writer | None = None) -> Self:
        """Return a subshell: a copy that goes its own way."""
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

    def child(self, session: Session) -> Self:
        """Return a new shell in other surroundings, as a program that runs `sh` would start it."""
        return type(self)(session, pid=self.pid)

    def surroundings(self, environment: dict[str, str] | None = None) -> Session:
        """Return what a command that is started now gets."""
        return replace(
            self.session,
            cwd=self.cwd,
            env=self.variables.environment() if environment is None else environment,
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
        self.variables.set(name, value)

    def declare_local(self, name: str) -> None:
        """Let a variable have its value of now back when the running function ends."""
        if self.locals:
            self.locals[-1].setdefault(name, self.variables.kept(name))

    def evaluate(self, expression: str) -> int:
        """Return the value of an arithmetic expression."""
        try:
            return evaluate(expression, self.get, self.assign)
        except ExpressionError as error:
            raise ShellError(str(error)) from None

    # Complaints

    def prefix(self, line: int | None = None) -> str:
        """Return what mksh puts before a message: its name, and where in a script it is."""
        if self.file is None:
            return f"{self.name}: "
        place = f"{self.file}[{self.line if line is None else line}]: "
        return place if self.file == self.name else f"{self.name}: {place}"

    async def complain(self, message: object, line: int | None = None) -> None:
        """Print a message about this shell's script."""
        await self.print_error(f"{self.prefix(line)}{message}\n")

    async def print_error(self, text: str) -> None:
        """Print to stderr as it is."""
        await self.writers.get(2, _CLOSED).write(text.encode(errors="surrogateescape"))


_CLOSED = Closed()
_SPECIAL: dict[str, Callable[[ShellState], str | None]] = {
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
