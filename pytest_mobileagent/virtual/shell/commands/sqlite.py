"""sqlite3: SQL on the database files of the phone."""

from __future__ import annotations

import sqlite3 as engine

from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.sqlite.database import Database
from pytest_mobileagent.virtual.shell.sqlite.dot import QuitError
from pytest_mobileagent.virtual.shell.sqlite.formats import Style, modes
from pytest_mobileagent.virtual.shell.sqlite.shell import SqliteShell

_VALUED = {"separator", "newline", "nullvalue", "cmd", "init", "mmap", "lookaside", "maxsize"}
_IGNORED = {"batch", "interactive", "echo", "noheader", "stats", "nofollow"}


class _BadOptionError(Exception):
    pass


@command("sqlite3")
async def sqlite3(ctx: Context, args: list[str]) -> int:
    """Run SQL and dot commands on a database."""
    style = Style()
    try:
        switches, values, words = _split(args)
        _apply(style, switches, values)
    except _BadOptionError as error:
        await ctx.err(f"sqlite3: Error: {error}\nUse -help for a list of options.\n")
        return 1
    if "version" in switches:
        await ctx.out(f"{engine.sqlite_version}\n")
        return 0
    name = words[0] if words else ":memory:"
    if not _can_open(ctx, name):
        await ctx.err(f'Error: unable to open database "{name}": unable to open database file\n')
        return 1
    database = Database(ctx.files, name, readonly="readonly" in switches)
    shell = SqliteShell(ctx, database, style)
    shell.bail = "bail" in switches
    try:
        return await _converse(
            ctx, shell, [*(v for n, v in values if n == "cmd"), *words[1:]], words
        )
    except QuitError:
        return 0
    finally:
        database.close()


async def _converse(
    ctx: Context, shell: SqliteShell, arguments: list[str], words: list[str]
) -> int:
    for text in arguments:
        if status := await shell.argument(text):
            return status
    return 0 if words[1:] else await shell.lines(ctx.read_line)


def _split(args: list[str]) -> tuple[list[str], list[tuple[str, str]], list[str]]:
    """Return the switches, the options with a value, and the other words."""
    switches: list[str] = []
    values: list[tuple[str, str]] = []
    words: list[str] = []
    rest = list(args)
    while rest:
        word = rest.pop(0)
        name = word.lstrip("-")
        if not word.startswith("-") or not name:
            words.append(word)
        elif name in _VALUED:
            if not rest:
                msg = f"missing argument to {word}"
                raise _BadOptionError(msg)
            values.append((name, rest.pop(0)))
        elif name in {*modes(), *_IGNORED, "header", "bail", "readonly", "version"}:
            switches.append(name)
        else:
            msg = f"unknown option: {word}"
            raise _BadOptionError(msg)
    return switches, values, words


def _apply(style: Style, switches: list[str], values: list[tuple[str, str]]) -> None:
    for switch in switches:
        if switch in modes():
            style.become(switch)
            if switch == "csv":
                style.row = "\n"
        elif switch in {"header", "noheader"}:
            style.header = switch == "header"
    for name, value in values:
        if name == "separator":
            style.column = value
        elif name == "newline":
            style.row = value
        elif name == "nullvalue":
            style.null = value


def _can_open(ctx: Context, name: str) -> bool:
    if name == ":memory:":
        return True
    if ctx.files.exists(name):
        return ctx.files.is_file(name) and ctx.files.may(name, "r")
    folder = ctx.path(name).rpartition("/")[0] or "/"
    return ctx.files.is_dir(folder) and ctx.files.may(folder, "w")
