"""A service as the shell sees it: its dump, its commands, their arguments and errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from importlib import resources
from inspect import isawaitable
from string import Formatter
from typing import Any, TypeAlias, TypeVar

from pytest_mobileagent.virtual.shell.commands import Answer, Context, Refused, command

__all__ = [
    "FAILED", "Answer", "Arguments", "Context", "JavaError", "Refused", "Service", "fill",
    "help_text", "illegal", "no_service", "unknown_option",
]  # fmt: skip
FAILED = 255  # how a shell sees -1
FRAMES = (
    "android.os.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)",
    "android.os.ShellCommand.exec(ShellCommand.java:38)",
    "android.os.Binder.shellCommand(Binder.java:1092)",
    "android.os.Binder.onTransact(Binder.java:912)",
    "android.os.Binder.execTransactInternal(Binder.java:1353)",
    "android.os.Binder.execTransact(Binder.java:1294)",
)


class _Java(Formatter):
    """Formats values as Java would: true, false and null."""

    def format_field(self, value: Any, spec: str) -> Any:
        """Format a value."""
        return super().format_field(JAVA.get(repr(value), value), spec)


JAVA = {"True": "true", "False": "false", "None": "null"}
_JAVA = _Java()


def fill(name: str, /, **values: Any) -> str:
    """Return dumpsys/NAME.txt with the values filled in."""
    return _JAVA.vformat(_read("dumpsys", name), (), values)


def help_text(name: str) -> str:
    """Return the help in help/NAME.txt without its last newline; most files have none."""
    return _read("help", name).removesuffix("\n")


def _read(folder: str, name: str) -> str:
    file = resources.files(__package__).joinpath(folder, f"{name}.txt")
    return file.read_text() if file.is_file() else ""


class JavaError(Exception):
    """An exception thrown by the service, printed to the caller as a stack trace."""

    def __init__(self, kind: str, message: str, *frames: str) -> None:
        super().__init__(message)
        self.kind = kind if "." in kind else f"java.lang.{kind}"
        self.frames = frames

    def trace(self) -> str:
        """Format the stack trace as Java does."""
        frames = "".join(f"\n\tat {frame}" for frame in (*self.frames, *FRAMES))
        return f"{self.kind}: {self}{frames}"


def illegal(message: str) -> JavaError:
    """Return the exception for an illegal argument."""
    return JavaError("IllegalArgumentException", message)


def unknown_option(option: str) -> Exception:
    """Return the exception with which most services reject an unknown option."""
    return illegal(f"Unknown option: {option}")


def no_service(name: str) -> Refused:
    """Return the error of `cmd` for a service that does not exist."""
    return Refused(f"cmd: Can't find service: {name}", 20)


class Arguments:
    """The words after the name of a command, taken from the front; `last` is the last one taken."""

    def __init__(self, words: list[str], before: str = "") -> None:
        self._words = list(words)
        self.last = before

    def __bool__(self) -> bool:
        return bool(self._words)

    def next(self) -> str | None:
        """Return the next word, or None if there are no more."""
        if not self._words:
            return None
        self.last = self._words.pop(0)
        return self.last

    def required(self) -> str:
        """Return the next word, which must exist."""
        word = self.next()
        if word is None:
            raise illegal(f'Argument expected after "{self.last}"')
        return word

    def option(self) -> str | None:
        """Return the next word if it is an option."""
        if self._words and self._words[0].startswith("-") and self._words[0] != "-":
            return self.next()
        return None

    def options(
        self,
        values: Collection[str] = ("--user",),
        switches: Collection[str] | None = (),
        unknown: Callable[[str], Exception] = unknown_option,
    ) -> dict[str, str]:
        """Take the next options; with `switches` None, any option without a value is accepted."""
        given: dict[str, str] = {}
        while option := self.option():
            if option in values:
                given[option] = self.required()
            elif switches is None or option in switches:
                given[option] = ""
            else:
                raise unknown(option)
        return given

    def rest(self) -> list[str]:
        """Return all remaining words."""
        words, self._words = self._words, []
        return words


Handler: TypeAlias = Callable[[Context, Arguments], Answer | Awaitable[Answer]]
Dump: TypeAlias = Callable[[Context, list[str]], str]
H = TypeVar("H", bound=Handler)


class Service:
    """A service: `dumpsys NAME` and `cmd NAME COMMAND …`, and optionally a command `script`."""

    def __init__(
        self, name: str, *, script: str = "", interface: str = "", unknown_status: int = FAILED
    ) -> None:
        self.interface = interface
        self.calls: dict[str, Handler] = {}  # by the numbers that `service call` takes
        self.tell: Dump = lambda ctx, _: fill(name, phone=ctx.phone)
        self._name = name
        self._unknown_status = unknown_status
        self._handlers: dict[str, Handler] = {}
        self._otherwise: Handler = self._unknown
        services[name] = self
        if script:
            command(script)(self.run)

    def dump(self, tell: Dump) -> Dump:
        """Register the function that returns the output of `dumpsys`."""
        self.tell = tell
        return tell

    def command(self, *names: str) -> Callable[[H], H]:
        """Register a handler under these names."""

        def register(handler: H) -> H:
            self._handlers.update(dict.fromkeys(names, handler))
            return handler

        return register

    def otherwise(self, handler: H) -> H:
        """Register the handler of all other commands, which are unknown by default."""
        self._otherwise = handler
        return handler

    def call(self, number: str) -> Callable[[H], H]:
        """Register a handler under the number of a transaction."""

        def register(handler: H) -> H:
            self.calls[number] = handler
            return handler

        return register

    def _unknown(self, _: Context, args: Arguments) -> Answer:
        raise Refused(f"Unknown command: {args.last}", self._unknown_status, out=True)

    async def run(self, ctx: Context, words: list[str]) -> Answer:
        """Run a command."""
        if ctx.phone.init.booting:
            raise no_service(self._name)
        if not self._handlers and self._otherwise == self._unknown:
            raise Refused("No shell command implementation.", 0)
        if not words or words[0] in ("help", "-h"):
            raise Refused(help_text(self._name), self._unknown_status, out=True)
        return await answer(ctx, self._handlers.get(words[0], self._otherwise), words)


async def answer(ctx: Context, handler: Handler, words: list[str]) -> Answer:
    """Return a handler's answer to the command that `words` start with."""
    try:
        said = handler(ctx, Arguments(words[1:], words[0]))
        return await said if isawaitable(said) else said
    except JavaError as error:
        head = f"\nException occurred while executing '{words[0]}':"
        raise Refused(f"{head}\n{error.trace()}") from error


services: dict[str, Service] = {}
