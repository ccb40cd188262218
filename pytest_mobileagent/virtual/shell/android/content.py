"""content: reads and writes data of content providers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app.provider import Ask, ProviderError, parse_uri
from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import Refused, command

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.app.provider import Rows
    from pytest_mobileagent.virtual.shell.commands import Context

FRAMES = """
\tat com.android.commands.content.Content$Command.execute(Content.java:515)
\tat com.android.commands.content.Content.main(Content.java:736)
\tat com.android.internal.os.RuntimeInit.nativeFinishInit(Native Method)
\tat com.android.internal.os.RuntimeInit.main(RuntimeInit.java:339)"""
OPTIONS = {  # besides --uri and --user
    "query": ("--projection", "--where", "--sort", "--extra"),
    "insert": ("--bind", "--extra"),
    "update": ("--where", "--bind", "--extra"),
    "delete": ("--where", "--extra"),
    "call": ("--method", "--arg", "--extra"),
}
TYPES: dict[str, Callable[[str], Any]] = {
    "s": str,
    "b": lambda text: int(text.lower() == "true"),
    "i": int,
    "l": int,
    "f": float,
    "d": float,
    "n": lambda _: None,
}


class BadCall(Refused):
    """An error in the arguments of a call, printed after the help; the exit status is still 0."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{help_text('content')}\n\n[ERROR] {problem}", 0, out=True)


@dataclass(slots=True)
class Words:
    """The parsed arguments of a call."""

    options: dict[str, str] = field(default_factory=dict)
    bound: dict[str, Any] = field(default_factory=dict)
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def ask(self) -> Ask:
        """The query: which columns and rows are selected."""
        names = self.options.get("--projection", "")
        projection = tuple(name.strip() for name in names.split(":")) if names else ()
        return Ask(projection, self.options.get("--where", ""), (), self.options.get("--sort", ""))


@command("content")
async def content(ctx: Context, args: list[str]) -> None:
    """Run an operation; the exit status is 0 even if it fails, as on Android."""
    verb = args[0] if args else "null"
    if verb not in OPTIONS:
        raise BadCall(f"Unsupported operation: {verb}")
    words = _parse(verb, args[1:])
    uri = words.options["--uri"]
    try:
        await ctx.out(_do(ctx, verb, uri, words))
    except ProviderError as error:
        head = f"Error while accessing provider:{parse_uri(uri).authority}"
        raise Refused(f"{head}\n{error.kind}: {error}{FRAMES}", 0) from error


def _parse(verb: str, rest: list[str]) -> Words:
    words = Words()
    while rest:
        name = rest.pop(0)
        if name not in ("--uri", "--user", *OPTIONS[verb]):
            raise BadCall(f"Unsupported argument: {name}")
        if name in ("--bind", "--extra"):
            kept = words.bound if name == "--bind" else words.extras
            kept.update([_binding(rest.pop(0) if rest else "null")])
            continue
        if not rest or rest[0].startswith("--"):
            raise BadCall(f"No value for argument: {name}")
        words.options[name] = rest.pop(0)
    if "--uri" not in words.options:
        raise BadCall("Content provider URI not specified. Did you specify --uri argument?")
    if verb in ("insert", "update") and not words.bound:
        raise BadCall("Bindings not specified. Did you specify --bind argument(s)?")
    if verb == "call" and "--method" not in words.options:
        raise BadCall("Content provider method not specified.")
    return words


def _binding(text: str) -> tuple[str, Any]:
    """Parse column:type:value; a backslash before a colon makes it part of the column's name."""
    parts = text.replace("\\:", "\0").split(":", 2)
    if len(parts) < 3:
        raise BadCall(f"Binding not well formed: {text}")
    column, kind, value = parts
    read = TYPES.get(kind if kind == "s" else kind.lower())
    if read is None:
        raise BadCall(f"Unsupported type: {kind}")
    try:
        return column.replace("\0", ":"), read(value.replace("\0", "\\:" if kind == "s" else ":"))
    except ValueError:
        raise BadCall(f'For input string: "{value}"') from None


def _do(ctx: Context, verb: str, uri_text: str, words: Words) -> str:
    provider, uri = ctx.phone.resolver.find(uri_text)
    if verb == "query":
        return _rows(provider.query(uri, words.ask))
    told = ""
    if verb == "insert":
        provider.insert(uri, words.bound)
    elif verb == "update":
        provider.update(uri, words.bound, words.ask)
    elif verb == "delete":
        provider.delete(uri, words.ask)
    else:
        method, arg = words.options["--method"], words.options.get("--arg")
        told = f"Result: {_bundle(provider.call(method, arg, words.extras))}\n"
    ctx.phone.changed()
    return told


def _rows(rows: Rows | None) -> str:
    if rows is None or not rows.values:
        return "No result found.\n"
    lines = (
        ", ".join(f"{name}={_text(value)}" for name, value in zip(rows.columns, row, strict=True))
        for row in rows.values
    )
    return "".join(f"Row: {number} {line}\n" for number, line in enumerate(lines))


def _text(value: object) -> str:
    """Format a value as the command does."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "BLOB"
    if isinstance(value, float):  # as SQLite converts it to text
        return f"{value:.15g}" if value != int(value) else f"{value:.1f}"
    return str(value)


def _bundle(values: dict[str, Any] | None) -> str:
    if values is None:
        return "null"
    pairs = (f"{key}={'null' if value is None else value}" for key, value in values.items())
    return f"Bundle[{{{', '.join(pairs)}}}]"
