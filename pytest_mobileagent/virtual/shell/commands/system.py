"""Commands that tell about the machine: uname, hostname, free, which and their kin."""

from __future__ import annotations

from pytest_mobileagent.virtual.kernel.procfs import KERNEL, PROCESSORS
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.launch import which as find
from pytest_mobileagent.virtual.shell.options import parse

_KERNEL = {
    "s": "Linux",
    "n": "localhost",
    "r": KERNEL.release,
    "v": KERNEL.build,
    "m": "x86_64",
    "o": "Toybox",
}


@command("uname")
async def uname(ctx: Context, args: list[str]) -> int:
    """Print what kind of system this is."""
    options = parse(args, "aomnrsv", most=0)
    letters = "snrvmo" if "a" in options else "".join(each for each in "snrvmo" if each in options)
    await ctx.out(" ".join(_KERNEL[letter] for letter in letters or "s") + "\n")
    return 0


@command("hostname")
async def hostname(ctx: Context, args: list[str]) -> int:
    """Print the host's name."""
    parse(args, "bdsf", most=0)
    await ctx.out(f"{_KERNEL['n']}\n")
    return 0


@command("nproc")
async def nproc(ctx: Context, args: list[str]) -> int:
    """Print the number of processors."""
    parse(args, "", {"all": "a"}, most=0)
    await ctx.out(f"{PROCESSORS}\n")
    return 0


@command("which")
async def which(ctx: Context, args: list[str]) -> int:
    """Print where programs are."""
    options = parse(args, "a", least=1)
    status = 0
    for name in options.rest:
        try:
            await ctx.out(f"{find(name, ctx.session)}\n")
        except OSError:
            status = 1
    return status


@command("tty")
async def tty(ctx: Context, args: list[str]) -> int:
    """Print the terminal's name."""
    options = parse(args, "s", most=0)
    if "s" not in options:
        await ctx.out("/dev/pts/0\n" if ctx.session.tty else "not a tty\n")
    return int(not ctx.session.tty)
