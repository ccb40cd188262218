"""What a shell is to the parts of the language that run in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.errors import ShellError, ShellSyntaxError, Unwinding
from pytest_mobileagent.virtual.shell.parser import lines
from pytest_mobileagent.virtual.shell.state import ShellState

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from pytest_mobileagent.virtual.shell.session import Session
    from pytest_mobileagent.virtual.shell.syntax import Node, Script

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
        raise NotImplementedError

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
        raise NotImplementedError

    async def command(self, words: list[str]) -> int:
        """Run a command that is not a function."""
        raise NotImplementedError

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
        raise NotImplementedError

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
        last_words = self.traps.pop("EXIT", None)
        if last_words is None:
            return self.status
        status = self.status
        return await self.complete(self.source(last_words)) or status
