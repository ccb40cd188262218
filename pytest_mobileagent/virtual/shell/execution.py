"""One shell at work: a way to run every kind of thing that a script is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.shell import compound, jobs, simple
from pytest_mobileagent.virtual.shell.commands import Context, decode, registry
from pytest_mobileagent.virtual.shell.errors import (
    ExitShell,
    ShellError,
    ShellSyntaxError,
    Unwinding,
)
from pytest_mobileagent.virtual.shell.launch import guarded, run_program
from pytest_mobileagent.virtual.shell.parser import lines
from pytest_mobileagent.virtual.shell.state import ShellState
from pytest_mobileagent.virtual.shell.streams import Collected
from pytest_mobileagent.virtual.shell.syntax import (
    AndOr,
    Background,
    Case,
    For,
    Function,
    If,
    Let,
    Loop,
    Node,
    Pipeline,
    Redirected,
    Script,
    Simple,
    Subshell,
    Test,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from pytest_mobileagent.virtual.shell.session import Session

_CRASHED = 139


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
        self.status = await _EXECUTORS[type(node)](self, node)
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

    async def command(self, words: list[str]) -> int:
        """Run a command that is not a function."""
        command = registry.get(words[0])
        if command is None or not command.builtin:
            return await self.program(words)
        ctx = Context(words[0], self.surroundings(), self, self.pid, self.prefix())
        return await guarded(command.program, ctx, words[1:])

    async def program(self, words: list[str]) -> int:
        """Run a program with this shell's streams; mksh's words and status if there is none."""
        try:
            return await self.run_program(words, self.surroundings())
        except FileNotFoundError:
            await self.complain(f"{words[0]}: inaccessible or not found")
            return 127
        except OSError as error:
            await self.complain(f"{words[0]}: can't execute: {error.strerror}")
            return 126

    async def run_program(self, words: list[str], session: Session) -> int:
        """Run a program that is not part of the shell; OSError if there is none."""
        return await run_program(self, words, session)

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
    return isinstance(node, Simple | Redirected | Subshell | Let | Test)


_EXECUTORS: dict[type, Callable[[Shell, Any], Awaitable[int]]] = {
    AndOr: compound.and_or,
    Background: jobs.background,
    Case: compound.case,
    For: compound.for_,
    Function: compound.function,
    If: compound.if_,
    Let: compound.let,
    Loop: compound.loop,
    Pipeline: jobs.pipeline,
    Redirected: simple.redirected,
    Script: compound.script,
    Simple: simple.simple,
    Subshell: compound.subshell,
    Test: compound.test,
}
