"""The shell's own commands that change variables, arguments and options."""

from __future__ import annotations

import re
import shlex

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_OPTIONS = {"errexit": "e", "noglob": "f", "noclobber": "C", "nounset": "u", "xtrace": "x"}
_LETTERS = "aCefmnuvx"


@command(":", folder=None)
@command("true", builtin=True)
async def succeed(_ctx: Context, _args: list[str]) -> int:
    """Do nothing, successfully."""
    return 0


@command("false", builtin=True)
async def fail(_ctx: Context, _args: list[str]) -> int:
    """Do nothing, unsuccessfully."""
    return 1


@command("cd", "chdir", folder=None)
async def cd(ctx: Context, args: list[str]) -> int:
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
    return 0


@command("pwd", builtin=True)
async def pwd(ctx: Context, args: list[str]) -> int:
    """Print the current folder."""
    await ctx.out(f"{ctx.files.resolve('.') if '-P' in args else ctx.cwd}\n")
    return 0


@command("export", folder=None)
async def export(ctx: Context, args: list[str]) -> int:
    """Let commands see variables, or list those that they see."""
    variables = ctx.shell.variables
    words = [word for word in args if word != "-p"]
    if not words:
        for name, value in sorted(variables.environment().items()):
            await ctx.out(f"export {name}={shlex.quote(value)}\n")
    for word in words:
        variables.export(_assigned(ctx, word))
    return 0


@command("local", "typeset", folder=None)
async def local(ctx: Context, args: list[str]) -> int:
    """Declare variables, which in a function get their old value back at its end."""
    for word in args:
        ctx.shell.declare_local(word.partition("=")[0])
        _assigned(ctx, word)
    return 0


@command("unset", folder=None)
async def unset(ctx: Context, args: list[str]) -> int:
    """Forget variables, or with -f functions."""
    for name in args:
        if name in {"-v", "-f"}:
            continue
        if "-f" in args:
            ctx.shell.functions.pop(name, None)
        else:
            ctx.shell.variables.unset(name)
    return 0


@command("set", folder=None)
async def set_(ctx: Context, args: list[str]) -> int:
    """Set options and the positional parameters, or list the variables."""
    shell, words = ctx.shell, list(args)
    if not words:
        for name, value in shell.variables.all().items():
            await ctx.out(f"{name}={shlex.quote(value) if value else ''}\n")
        return 0
    while words and words[0][:1] in {"-", "+"} and len(words[0]) > 1:
        word = words.pop(0)
        if word == "--":
            shell.arguments = words
            return 0
        letters = word[1:]
        if letters == "o":
            name = words.pop(0) if words else ""
            letters = _OPTIONS.get(name, name)
            if letters not in {*_OPTIONS.values(), "pipefail"}:
                raise Failure(f"{name}: bad option")
            _switch(shell.options, letters, on=word[0] == "-")
            continue
        for letter in letters:
            if letter not in _LETTERS:
                raise Failure(f"-{letter}: unknown option")
            _switch(shell.options, letter, on=word[0] == "-")
    if words:
        shell.arguments = words
    return 0


@command("shift", folder=None)
async def shift(ctx: Context, args: list[str]) -> int:
    """Drop the first positional parameters."""
    count = ctx.shell.evaluate(args[0]) if args else 1
    if not 0 <= count <= len(ctx.shell.arguments):
        raise Failure("nothing to shift")
    ctx.shell.arguments = ctx.shell.arguments[count:]
    return 0


def _assigned(ctx: Context, word: str) -> str:
    """Assign what NAME=value says, if it says a value, and return the name."""
    name, equals, value = word.partition("=")
    if not _NAME.fullmatch(name):
        raise Failure(f"{name}: is not an identifier")
    if equals:
        ctx.shell.assign(name, value)
    return name


def _switch(options: set[str], option: str, *, on: bool) -> None:
    (options.add if on else options.discard)(option)
