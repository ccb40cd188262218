"""One shell at work: a way to run every kind of thing that a script is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.shell import compound, jobs, simple
from pytest_mobileagent.virtual.shell.commands import Context, decode, registry
from pytest_mobileagent.virtual.shell.errors import (
    ExitShell,
)
from pytest_mobileagent.virtual.shell.launch import guarded, run_program
from pytest_mobileagent.virtual.shell.shell import Shell
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
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.shell.session import Session


class Interpreter(Shell):
    """A shell with all of the language."""

    async def execute(self, node: Node) -> int:
        """Execute a part of a script and return its exit status, which is also `$?` then."""
        self.status = await _EXECUTORS[type(node)](self, node)
        if self.status and "e" in self.options and not self.forgiven and _can_be_fatal(node):
            raise ExitShell(self.status)
        return self.status

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

    async def run_program(self, words: list[str], session: Session) -> int:
        """Run a program that is not part of the shell; OSError if there is none."""
        return await run_program(self, words, session)


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
