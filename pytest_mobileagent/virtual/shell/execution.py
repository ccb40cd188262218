"""One shell at work: a way to run every kind of thing that a script is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pytest_mobileagent.virtual.shell.errors import (
    ExitShell,
    ShellError,
    ShellSyntaxError,
    Unwinding,
)
from pytest_mobileagent.virtual.shell.parser import lines
from pytest_mobileagent.virtual.shell.state import ShellState
from pytest_mobileagent.virtual.shell.streams import Collected, decode
from pytest_mobileagent.virtual.shell.syntax import (
    Node,
    Pipeline,
    Redirected,
    Script,
    Simple,
    Subshell,
    Test,
)

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from pytest_mobileagent.virtual.shell.session import Session

Executor: TypeAlias = Callable[..., Awaitable[int]]  # takes the shell, and what to execute
E = TypeVar("E", bound=Executor)

_CRASHED = 139
_executors: dict[type, Executor] = {}


@dataclass(frozen=True, slots=True)
class Launch:
    """A program that is to run as a process of its own, in these surroundings."""

    words: list[str]
    session: Session


def executes(kind: type) -> Callable[[E], E]:
    """Register the function that executes one kind of thing that a script is made of."""

    def register(executor: E) -> E:
        _executors[kind] = executor
        return executor

    return register


class Shell(ShellState):
    """A shell, or a subshell."""

    async def run(self, text: str) -> int:
        """Run a whole script as all that this shell does, up to its end or `exit`."""
        return await self.complete(self.source(text))

    async def source(self, text: str) -> int:
        """Run a script as a part of what this shell does."""
        status = 0
        for script in lines(text):
            status = await self.execute(script)
        return status

    async def execute(self, node: Node) -> int:
        """Execute a part of a script and return its exit status, which is also `$?` then."""
        self.status = await _executors[type(node)](self, node)
        if self.status and "e" in self.options and not self.forgiven and _can_be_fatal(node):
            raise ExitShell(self.status)
        return self.status

    async def succeeds(self, node: Node) -> bool:
        """Execute something whose failure is an answer, not an end under `set -e`."""
        self.forgiven += 1
        try:
            return await self.execute(node) == 0
        finally:
            self.forgiven -= 1

    async def contained(self, node: Node) -> int:
        """Execute `node` as all that this shell does."""
        return await self.complete(self.execute(node))

    async def capture(self, script: Script) -> str:
        """Run `script` in a subshell and return what it prints, as `$(...)` does."""
        output = Collected()
        self.status = self.substituted = await self.twin(stdout=output).contained(script)
        return decode(output.data.replace(b"\0", b"")).rstrip("\n")

    async def run_program(self, words: list[str], session: Session) -> int:
        """Run a program that is not part of the shell; OSError if there is none."""
        return await _executors[Launch](self, Launch(words, session))

    async def complete(self, work: Coroutine[None, None, int]) -> int:
        """Await all that this shell does: what stops it is printed, and becomes its status."""
        try:
            self.status = await work
        except Unwinding as leaving:
            self.status = leaving.status
        except ShellError as error:
            line = error.line if isinstance(error, ShellSyntaxError) else None
            await self.complain(error, line)
            self.status = error.status
        except RecursionError:  # where mksh runs out of stack
            await self.print_error("Segmentation fault\n")
            return _CRASHED
        return self.status


def _can_be_fatal(node: Node) -> bool:
    """Whether the failure of such a command ends a script under `set -e`."""
    if isinstance(node, Pipeline):
        return not node.negated
    return isinstance(node, Simple | Redirected | Subshell | Test)
