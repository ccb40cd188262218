"""The shell's own commands that decide what runs next."""

from __future__ import annotations

import asyncio

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, registry
from pytest_mobileagent.virtual.shell.errors import ExitShell, LeaveFunction, LeaveLoop
from pytest_mobileagent.virtual.shell.launch import call, call_program, which

_RESERVED = {
    *("if", "then", "elif", "else", "fi", "while", "until", "for", "in", "do", "done"),
    *("case", "esac", "function", "{", "}", "!", "[["),
}


@command("exit", folder=None)
async def exit_(ctx: Context, args: list[str]) -> int:
    """Leave the shell."""
    raise ExitShell(_status(ctx, args))


@command("return", folder=None)
async def return_(ctx: Context, args: list[str]) -> int:
    """Leave the function."""
    raise LeaveFunction(_status(ctx, args))


@command("break", "continue", folder=None)
async def leave_loop(ctx: Context, args: list[str]) -> int:
    """Leave a loop, or begin it again."""
    levels = ctx.shell.evaluate(args[0]) if args else 1
    if levels < 1:
        raise Failure(f"{args[0]}: bad option")
    if not ctx.shell.loops:
        return 0
    raise LeaveLoop(min(levels, ctx.shell.loops), again=ctx.name == "continue")


@command("eval", folder=None)
async def eval_(ctx: Context, args: list[str]) -> int:
    """Run the words as a script."""
    return await ctx.shell.source(" ".join(args))


@command(".", "source", folder=None)
async def source(ctx: Context, args: list[str]) -> int:
    """Run a file's script in this shell."""
    if not args:
        raise Failure("missing argument")
    shell, arguments = ctx.shell, ctx.shell.arguments
    try:
        path = (
            args[0] if "/" in args[0] or ctx.files.exists(args[0]) else which(args[0], ctx.session)
        )
        text = ctx.files.read(path).decode(errors="surrogateescape")
    except OSError as error:
        raise Failure(f"{args[0]}: {error.strerror}") from None
    if args[1:]:
        shell.arguments = args[1:]
    try:
        return await shell.source(text)
    except LeaveFunction as leaving:
        return leaving.status
    finally:
        shell.arguments = arguments


@command("exec", folder=None)
async def exec_(ctx: Context, args: list[str]) -> int:
    """Become another program."""
    if not args:
        return 0
    raise ExitShell(await call_program(ctx.shell, args))


@command("command", "builtin", folder=None)
async def command_(ctx: Context, args: list[str]) -> int:
    """Run a command but no function, or with -v say what a name stands for."""
    words = [word for word in args if word not in {"-p", "--"}]
    if words and words[0] in {"-v", "-V"}:
        return await _describe(ctx, words[1:], verbose=words[0] == "-V")
    return await call(ctx.shell, words) if words else 0


@command("type", "whence", folder=None)
async def type_(ctx: Context, args: list[str]) -> int:
    """Say what names stand for."""
    return await _describe(ctx, args, verbose=ctx.name == "type" or "-v" in args)


@command("wait", folder=None)
async def wait(ctx: Context, args: list[str]) -> int:
    """Wait for jobs; the status is that of the last one that was asked for."""
    jobs = ctx.shell.jobs
    pids = [ctx.shell.job_id(word) for word in args] or list(jobs)
    status = 0
    for pid in pids:
        job = jobs.pop(pid, None)
        if job:
            await asyncio.wait({job})
        status = job.result() if job else 127
    return status if args else 0


async def _describe(ctx: Context, names: list[str], *, verbose: bool) -> int:
    status = 0
    for name in names:
        found = _found(ctx, name)
        if found is None:
            status = 1
            if verbose:
                await ctx.out(f"{name} not found\n")
            continue
        kind, text = found
        await ctx.out(f"{name} is {kind}\n" if verbose else f"{text}\n")
    return status


def _found(ctx: Context, name: str) -> tuple[str, str] | None:
    """Return what a name stands for, in words, and as `command -v` prints it."""
    if name in _RESERVED:
        return "a reserved word", name
    if name in ctx.shell.functions:
        return "a function", name
    if name in registry and registry[name].builtin:
        return "a shell builtin", name
    try:
        path = which(name, ctx.session)
        ctx.files.stat(path)
    except OSError:
        return None
    return path, path


def _status(ctx: Context, args: list[str]) -> int:
    return ctx.shell.evaluate(args[0]) if args else ctx.shell.status
