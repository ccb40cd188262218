"""The shell's builtin commands."""

from __future__ import annotations

import asyncio
import re
import shlex

from pytest_mobileagent.virtual.shell import expand
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode, registry
from pytest_mobileagent.virtual.shell.condition import Condition, ConditionError, Operand
from pytest_mobileagent.virtual.shell.errors import ExitShell, LeaveFunction, LeaveLoop, ShellError
from pytest_mobileagent.virtual.shell.launch import call, call_program, which
from pytest_mobileagent.virtual.shell.script import source as run_source

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OPTIONS = {"errexit": "e", "noglob": "f", "nounset": "u"}


@command(":", folder=None)
@command("true", builtin=True)
async def succeed(_ctx: Context, _args: list[str]) -> None:
    """Do nothing, successfully."""


@command("false", builtin=True)
async def fail(_ctx: Context, _args: list[str]) -> int:
    """Do nothing, unsuccessfully."""
    return 1


@command("test", "[", builtin=True)
async def test(ctx: Context, args: list[str]) -> int:
    """Succeed if the condition holds."""
    words = list(args)
    if ctx.name == "[" and (not words or words.pop() != "]"):
        raise Failure("missing ]", 2)
    try:
        return int(not Condition([Operand(word) for word in words], ctx.shell, ctx.files).holds())
    except (ConditionError, ShellError) as error:
        raise Failure(str(error), 2) from None


@command("cd", folder=None)
async def cd(ctx: Context, args: list[str]) -> None:
    """Change the current folder."""
    shell = ctx.shell
    words = [word for word in args if word not in {"-P", "-L", "--"}]
    goal = words[0] if words else shell.get("HOME", "/")
    if goal == "-":
        goal = shell.get("OLDPWD")
        await ctx.out(f"{goal}\n")
    path = ctx.path(goal)
    try:
        if ctx.files.stat(goal).kind != "dir":
            raise NotADirectoryError(20, "Not a directory")
        if not ctx.files.may(goal, "x"):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise Failure(f"{goal}: {error.strerror}", 2) from None
    shell.assign("OLDPWD", shell.cwd)
    shell.cwd = path
    shell.assign("PWD", path)


@command("pwd", builtin=True)
async def pwd(ctx: Context, args: list[str]) -> str:
    """Print the current folder."""
    return f"{ctx.files.resolve('.') if '-P' in args else ctx.cwd}\n"


@command("export", folder=None)
async def export(ctx: Context, args: list[str]) -> None:
    """Export variables to commands, or list the exported ones."""
    variables = ctx.shell.variables
    words = [word for word in args if word != "-p"]
    if not words:
        for name, value in sorted(variables.environment().items()):
            await ctx.out(f"export {name}={shlex.quote(value)}\n")
    for word in words:
        variables.exported.add(_assigned(ctx, word))


@command("local", "typeset", folder=None)
async def local(ctx: Context, args: list[str]) -> None:
    """Declare variables; those in a function get their old values back at its end."""
    shell = ctx.shell
    for word in args:
        name = word.partition("=")[0]
        if shell.locals:
            shell.locals[-1].setdefault(name, shell.variables.kept(name))
        _assigned(ctx, word)


@command("unset", folder=None)
async def unset(ctx: Context, args: list[str]) -> None:
    """Unset variables."""
    for name in args:
        ctx.shell.variables.put_back(name, (None, False))


@command("set", folder=None)
async def set_(ctx: Context, args: list[str]) -> None:
    """Set options and the positional parameters, or list the variables."""
    shell, words = ctx.shell, list(args)
    if not words:
        for name, value in sorted(shell.variables.items()):
            await ctx.out(f"{name}={shlex.quote(value) if value else ''}\n")
        return
    while words and words[0][:1] in {"-", "+"} and len(words[0]) > 1:
        word = words.pop(0)
        if word == "--":
            shell.arguments = words
            return
        name = words.pop(0) if word[1:] == "o" and words else ""
        for letter in _OPTIONS.get(name, name) or word[1:]:
            if letter not in _OPTIONS.values():
                raise Failure(f"-{letter}: unknown option")
            (shell.options.add if word[0] == "-" else shell.options.discard)(letter)
    if words:
        shell.arguments = words


@command("read", folder=None)
async def read(ctx: Context, args: list[str]) -> int:
    """Read a line into variables; the last one receives the rest."""
    raw = "-r" in args
    line = await ctx.read_line()
    while not raw and line.endswith("\\\n"):
        line = line[:-2] + await ctx.read_line()
    text = line.removesuffix("\n")
    names = [word for word in args if word != "-r"] or ["REPLY"]
    separators = ctx.shell.get("IFS", " \t\n")
    rest = text.strip("".join(set(" \t\n") & set(separators)))
    for name in names[:-1]:
        value, *more = expand.separator(separators).split(rest, maxsplit=1)
        rest = "".join(more)
        ctx.shell.assign(name, value)
    ctx.shell.assign(names[-1], rest if raw else re.sub(r"\\(.)", r"\1", rest))
    return 0 if line.endswith("\n") else 1


@command("shift", folder=None)
async def shift(ctx: Context, args: list[str]) -> None:
    """Drop the first positional parameters."""
    count = ctx.shell.evaluate(args[0]) if args else 1
    if not 0 <= count <= len(ctx.shell.arguments):
        raise Failure("nothing to shift")
    ctx.shell.arguments = ctx.shell.arguments[count:]


def _assigned(ctx: Context, word: str) -> str:
    """Assign the value in NAME=value, if there is one, and return the name."""
    name, equals, value = word.partition("=")
    if not _NAME.fullmatch(name):
        raise Failure(f"{name}: is not an identifier")
    if equals:
        ctx.shell.assign(name, value)
    return name


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
    """Leave a loop, or continue with its next iteration."""
    levels = ctx.shell.evaluate(args[0]) if args else 1
    if levels < 1:
        raise Failure(f"{args[0]}: bad option")
    if not ctx.shell.loops:
        return 0
    raise LeaveLoop(min(levels, ctx.shell.loops), again=ctx.name == "continue")


@command("eval", folder=None)
async def eval_(ctx: Context, args: list[str]) -> int:
    """Run the words as a script."""
    return await run_source(ctx.shell, " ".join(args))


@command(".", "source", folder=None)
async def source(ctx: Context, args: list[str]) -> int:
    """Run the script in a file in this shell."""
    if not args:
        raise Failure("missing argument")
    try:
        return await run_source(ctx.shell, decode(ctx.files.read(args[0])))
    except OSError as error:
        raise Failure(f"{args[0]}: {error.strerror}") from None
    except LeaveFunction as leaving:
        return leaving.status


@command("exec", folder=None)
async def exec_(ctx: Context, args: list[str]) -> int:
    """Replace the shell by another program."""
    if not args:
        return 0
    raise ExitShell(await call_program(ctx.shell, args))


@command("command", folder=None)
async def command_(ctx: Context, args: list[str]) -> int:
    """Run a command that is not a function, or with -v print what a name refers to."""
    if args[:1] != ["-v"]:
        return await call(ctx.shell, args) if args else 0
    status = 0
    for name in args[1:]:
        is_own = name in ctx.shell.functions or (name in registry and registry[name].builtin)
        try:
            await ctx.out(f"{name if is_own else which(name, ctx)}\n")
        except OSError:
            status = 1
    return status


@command("wait", folder=None)
async def wait(ctx: Context, args: list[str]) -> int:
    """Wait for jobs; the status is that of the last requested one."""
    jobs = ctx.shell.jobs
    pids = [ctx.shell.evaluate(word) for word in args] or list(jobs)
    status = 0
    for pid in pids:
        if job := jobs.pop(pid, None):
            await asyncio.wait({job})
        status = job.result() if job else 127
    return status if args else 0


def _status(ctx: Context, args: list[str]) -> int:
    return ctx.shell.evaluate(args[0]) if args else ctx.shell.status
