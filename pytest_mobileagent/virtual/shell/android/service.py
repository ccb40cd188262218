"""Services that are told what to do by `cmd`: how they take arguments and how they fail."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pytest_mobileagent.virtual.shell.commands import Context

FAILED = 255  # what -1 looks like to a shell
FRAMES = (
    "android.os.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)",
    "android.os.ShellCommand.exec(ShellCommand.java:38)",
    "android.os.Binder.shellCommand(Binder.java:1092)",
    "android.os.Binder.onTransact(Binder.java:912)",
    "android.os.Binder.execTransactInternal(Binder.java:1353)",
    "android.os.Binder.execTransact(Binder.java:1294)",
)


class JavaError(Exception):
    """An exception of the service's own, which reaches whoever called it as a stack trace."""

    def __init__(self, kind: str, message: str, *frames: str) -> None:
        super().__init__(message)
        self.kind = kind if "." in kind else f"java.lang.{kind}"
        self.frames = frames

    def trace(self) -> str:
        """Write it as Java does."""
        frames = "".join(f"\tat {frame}\n" for frame in (*self.frames, *FRAMES))
        return f"{self.kind}: {self}\n{frames}"


def illegal(message: str) -> JavaError:
    """Build the exception for a wrong argument."""
    return JavaError("IllegalArgumentException", message)


class Arguments:
    """What follows the name of a command, taken from the front."""

    def __init__(self, words: list[str], before: str = "") -> None:
        self._words = list(words)
        self._last = before

    def __bool__(self) -> bool:
        return bool(self._words)

    def next(self) -> str | None:
        """Take the next word."""
        if not self._words:
            return None
        self._last = self._words.pop(0)
        return self._last

    def required(self) -> str:
        """Take the next word, which must be there."""
        word = self.next()
        if word is None:
            raise illegal(f'Argument expected after "{self._last}"')
        return word

    def option(self) -> str | None:
        """Take the next word if it is an option."""
        if self._words and self._words[0].startswith("-") and self._words[0] != "-":
            return self.next()
        return None

    def rest(self) -> list[str]:
        """Take all that is left."""
        words, self._words = self._words, []
        return words


Handler: TypeAlias = Callable[[Context, Arguments], Awaitable[int]]


class Service:
    """A service with its commands; `cmd NAME COMMAND …` runs one."""

    def __init__(self, name: str, help: str, *, unknown_status: int = FAILED) -> None:
        self.name = name
        self.help = help
        self.unknown_status = unknown_status
        self._handlers: dict[str, Handler] = {}
        services[name] = self

    def command(self, *names: str) -> Callable[[Handler], Handler]:
        """Register a handler under these names."""

        def register(handler: Handler) -> Handler:
            self._handlers.update(dict.fromkeys(names, handler))
            return handler

        return register

    async def run(self, ctx: Context, words: list[str]) -> int:
        """Run one command."""
        if ctx.phone.init.booting:
            await ctx.err(f"cmd: Can't find service: {self.name}\n")
            return NO_SERVICE
        if not words or words[0] in ("help", "-h"):
            await ctx.out(f"{self.help}\n")
            return self.unknown_status
        handler = self._handlers.get(words[0])
        if handler is None:
            await ctx.out(f"Unknown command: {words[0]}\n")
            return self.unknown_status
        try:
            return await handler(ctx, Arguments(words[1:], words[0]))
        except JavaError as error:
            head = f"\nException occurred while executing '{words[0]}':\n"
            await ctx.err(head + error.trace())
            return FAILED


NO_SERVICE = 20
services: dict[str, Service] = {}
