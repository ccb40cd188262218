"""content: reads and writes what content providers keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.app.provider import Ask, ProviderError
from pytest_mobileagent.virtual.content.uri import parse_uri
from pytest_mobileagent.virtual.shell.android.service import help_text
from pytest_mobileagent.virtual.shell.commands import command

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.app.provider import Rows
    from pytest_mobileagent.virtual.shell.commands import Context

FRAMES = (
    "com.android.commands.content.Content$Command.execute(Content.java:515)",
    "com.android.commands.content.Content.main(Content.java:736)",
    "com.android.internal.os.RuntimeInit.nativeFinishInit(Native Method)",
    "com.android.internal.os.RuntimeInit.main(RuntimeInit.java:339)",
)
OPTIONS = {  # besides --uri and --user
    "query": ("--projection", "--where", "--sort", "--extra"),
    "insert": ("--bind", "--extra"),
    "update": ("--where", "--bind", "--extra"),
    "delete": ("--where", "--extra"),
    "call": ("--method", "--arg", "--extra"),
    "read": (),
    "write": (),
    "gettype": (),
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


class BadCall(Exception):  # noqa: N818 - not a failure of ours
    """What is wrong with the words of a call."""


@dataclass(slots=True)
class Words:
    """What a call says."""

    verb: str
    options: dict[str, str] = field(default_factory=dict)
    bound: dict[str, Any] = field(default_factory=dict)
    extras: dict[str, Any] = field(default_factory=dict)

    @property
    def uri(self) -> str:
        """The URI."""
        return self.options["--uri"]

    @property
    def ask(self) -> Ask:
        """Which columns and rows are meant."""
        names = self.options.get("--projection", "")
        projection = tuple(name.strip() for name in names.split(":")) if names else ()
        return Ask(projection, self.options.get("--where", ""), (), self.options.get("--sort", ""))


@command("content")
async def content(ctx: Context, args: list[str]) -> int:
    """Run one operation; the exit status is 0 even if it fails, as on Android."""
    try:
        words = _parse(args)
    except BadCall as problem:
        await ctx.out(f"{help_text('content')}\n[ERROR] {problem}\n")
        return 0
    try:
        await _do(ctx, words)
    except ProviderError as error:
        authority = parse_uri(words.uri).authority
        frames = "".join(f"\tat {frame}\n" for frame in FRAMES)
        await ctx.err(
            f"Error while accessing provider:{authority}\n{error.kind}: {error}\n{frames}"
        )
    return 0


def _parse(args: list[str]) -> Words:
    verb = args[0] if args else "null"
    if verb not in OPTIONS:
        raise BadCall(f"Unsupported operation: {verb}")
    words, rest = Words(verb), list(args[1:])
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
    _complete(words)
    return words


def _complete(words: Words) -> None:
    """Check that nothing is missing."""
    if "--uri" not in words.options:
        raise BadCall("Content provider URI not specified. Did you specify --uri argument?")
    if words.verb in ("insert", "update") and not words.bound:
        raise BadCall("Bindings not specified. Did you specify --bind argument(s)?")
    if words.verb == "call" and "--method" not in words.options:
        raise BadCall("Content provider method not specified.")
    user = words.options.get("--user", "0")
    if not user.isdecimal() and user not in ("current", "cur"):
        raise BadCall(f'For input string: "{user}"')


def _binding(text: str) -> tuple[str, Any]:
    """Read column:type:value, where a backslash makes a colon a part of the column's name."""
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


async def _do(ctx: Context, words: Words) -> None:
    provider, uri = ctx.phone.resolver.find(words.uri)
    match words.verb:
        case "query":
            await _show(ctx, provider.query(uri, words.ask))
        case "insert":
            provider.insert(uri, words.bound)
        case "update":
            provider.update(uri, words.bound, words.ask)
        case "delete":
            provider.delete(uri, words.ask)
        case "call":
            bundle = provider.call(
                words.options["--method"], words.options.get("--arg"), words.extras
            )
            await ctx.out(f"Result: {_bundle(bundle)}\n")
        case "gettype":
            await ctx.out(f"Result: {provider.type_of(uri) or 'null'}\n")
        case _:
            path = provider.path_of(uri)
            data = await ctx.read_all() if words.verb == "write" else b""
            try:
                if words.verb == "write":
                    ctx.phone.files.write(path, data)
                else:
                    await ctx.out(ctx.phone.files.read(path))
            except OSError:
                problem = f"{path}: open failed: ENOENT (No such file or directory)"
                raise ProviderError("java.io.FileNotFoundException", problem) from None
    if words.verb not in ("query", "gettype", "read"):
        ctx.phone.changed()


async def _show(ctx: Context, rows: Rows | None) -> None:
    if rows is None or not rows.values:
        await ctx.out("No result found.\n")
        return
    lines = (
        ", ".join(f"{name}={_text(value)}" for name, value in zip(rows.columns, row, strict=True))
        for row in rows.values
    )
    await ctx.out("".join(f"Row: {number} {line}\n" for number, line in enumerate(lines)))


def _text(value: object) -> str:
    """Write a value as the command does."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "BLOB"
    if isinstance(value, float):  # as SQLite does when it is asked for a text
        return f"{value:.15g}" if value != int(value) else f"{value:.1f}"
    return str(value)


def _bundle(values: dict[str, Any] | None) -> str:
    if values is None:
        return "null"
    inside = ", ".join(
        f"{key}={'null' if value is None else value}" for key, value in values.items()
    )
    return f"Bundle[{{{inside}}}]"
