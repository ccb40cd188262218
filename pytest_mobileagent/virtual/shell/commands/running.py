"""Commands that run other commands: sh, env, xargs, timeout and similar ones."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

from pytest_mobileagent.virtual.shell.commands import (
    Command,
    Context,
    Failure,
    UsageError,
    command,
    decode,
    parse,
    registry,
)
from pytest_mobileagent.virtual.shell.execution import Shell
from pytest_mobileagent.virtual.shell.limits import LINES, out_of_memory
from pytest_mobileagent.virtual.shell.script import converse, run
from pytest_mobileagent.virtual.shell.session import Bytes

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_TIMED_OUT = 124


@command("sh")
async def sh(ctx: Context, args: list[str]) -> int:
    """Run a shell: a script given by -c, a script in a file, or the commands on stdin."""
    words, switches = list(args), ""
    while words and words[0].startswith(("-", "+")) and len(words[0]) > 1:
        switches += words.pop(0)[1:]
    shell = Shell(ctx, ctx.pid)
    shell.attached, shell.started = ctx.shell.attached, ctx.shell.started
    shell.options |= set(switches) & set("efu")
    if "c" in switches:
        if not words:
            raise Failure("-c: requires argument")
        script, *words = words
        shell.name, shell.arguments = (words[0], words[1:]) if words else (shell.name, [])
        return await run(shell, script)
    if not words or "s" in switches:
        shell.arguments = words
        return await converse(shell)
    shell.name = shell.file = words[0]
    shell.arguments = words[1:]
    try:
        text = ctx.files.read(words[0])
    except OSError as error:
        msg = f"can't open {words[0]}: {error.strerror}"
        ctx.name = "/system/bin/sh"
        raise Failure(msg, 127) from None
    return await run(shell, decode(text))


@command("env")
async def env(ctx: Context, args: list[str]) -> int:
    """Print the environment, or run a command in a modified one."""
    options = parse(args, "0iu:", stop=True)
    environment = {} if "i" in options else dict(ctx.env)
    for name in options.all("u"):
        environment.pop(name, None)
    words = options.rest
    while words and "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    if words:
        return await ctx.run(words, replace(ctx, env=environment))
    for name, value in environment.items():
        await ctx.out(f"{name}={value}\n")
    return 0


@command("xargs")
async def xargs(ctx: Context, args: list[str]) -> int:
    """Run a command with words read from stdin."""
    options = parse(args, "0I:n:r", stop=True)
    text = decode(await ctx.read_all())
    if text.count("\n") > LINES or len(text) > 8 * LINES:
        raise out_of_memory()
    template = options.rest or ["echo"]
    if mark := options.get("I"):
        batches = [[w.replace(mark, line) for w in template] for line in text.splitlines()]
    else:
        items = text.removesuffix("\0").split("\0") if "0" in options else text.split()
        size = options.number("n", len(items)) or 1
        starts = range(0, len(items), size) if "r" in options or items else [0]
        batches = [template + items[at : at + size] for at in starts]
    status = 0
    for batch in batches:
        result = await ctx.run(batch, replace(ctx, stdin=Bytes(b"")))
        if result in {126, 127}:
            return result
        status = 123 if result else status
    return status


@command("timeout")
async def timeout(ctx: Context, args: list[str]) -> int:
    """Run a command with a time limit."""
    options = parse(args, "k:s:v", {"foreground": "v", "signal": "s"}, least=2, stop=True)
    seconds = duration(options.rest[0])
    try:
        async with asyncio.timeout(seconds or None):
            return await ctx.run(options.rest[1:])
    except TimeoutError:
        return _TIMED_OUT


@command("nohup", "setsid")
async def run_undisturbed(ctx: Context, args: list[str]) -> int:
    """Run a command that survives the end of its terminal, as every job here does."""
    return await ctx.run(parse(args, "cdw", least=1, stop=True).rest)


@command("toybox")
async def toybox(ctx: Context, args: list[str]) -> int:
    """Run the command named by the first word, or list all commands."""
    own = sorted(name for name, each in registry.items() if _is_toy(each))
    if not args:
        await ctx.out(" ".join(own) + "\n")
        return 0
    if args[0] not in own:
        raise UsageError(f"Unknown command {args[0]}", 127)
    return await ctx.run(args)


def _is_toy(each: Command) -> bool:
    return each.folder == "/system/bin" and each.program.__module__.startswith(__package__)


@command("sleep")
async def sleep(_ctx: Context, args: list[str]) -> None:
    """Wait."""
    options = parse(args, "", least=1)
    await asyncio.sleep(sum(duration(word) for word in options.rest))


def duration(text: str) -> float:
    """Return the number of seconds that `text` spells: a number with an optional unit."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smhd]?)", text)
    if match is None:
        raise Failure(f"Not a number '{text}'")
    return float(match[1]) * _UNITS[match[2] or "s"]
