"""getenforce, setenforce, chcon and restorecon, with a policy that allows root everything."""

from __future__ import annotations

import posixpath

from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse

STATES = {"0": "Permissive", "1": "Enforcing"}
FILE = "/sys/fs/selinux/enforce"


@command("getenforce")
async def getenforce(ctx: Context, args: list[str]) -> int:
    """Print whether the policy is enforced."""
    parse(args, "", most=0)
    files = ctx.phone.files
    state = files.read(FILE).decode() if files.is_file(FILE) else "1"
    await ctx.out(f"{STATES[state]}\n")
    return 0


@command("setenforce")
async def setenforce(ctx: Context, args: list[str]) -> int:
    """Enforce the policy or not, which only root may do."""
    word = parse(args, "", least=1, most=1).rest[0]
    states = {name.lower(): state for state, name in STATES.items()}
    state = states.get(word, word)
    if state not in STATES:
        raise Failure(f"Invalid state: {word}")
    if ctx.uid != ROOT:
        raise Failure(f"Couldn't set enforcing status to '{word}': Permission denied")
    ctx.phone.files.mkdir(posixpath.dirname(FILE), parents=True)
    ctx.phone.files.write(FILE, state.encode())
    return 0


@command("restorecon")
async def restorecon(ctx: Context, args: list[str]) -> int:
    """Restore the labels of files, which never differ from the default."""

    async def restore(name: str) -> None:
        if ctx.files.find(name) is None:
            raise Failure(f"restorecon failed: {name}: No such file or directory")

    return await ctx.each(parse(args, "DFnRrv", least=1).rest, restore)


@command("chcon")
async def chcon(ctx: Context, args: list[str]) -> int:
    """Label files, which only root may do."""
    options = parse(args, "hRv", least=2)
    label, *names = options.rest

    async def change(name: str) -> None:
        missing = ctx.files.find(name) is None
        if missing or ctx.uid != ROOT:
            why = "No such file or directory" if missing else "Permission denied"
            raise Failure(f"'{name}' to {label}: {why}")
        if "v" in options:
            await ctx.out(f"chcon '{name}' to {label}\n")

    return await ctx.each(names, change)
