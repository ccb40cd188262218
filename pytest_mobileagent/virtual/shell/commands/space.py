"""Commands about storage: df, du and sync."""

from __future__ import annotations

import posixpath
from collections import defaultdict

from pytest_mobileagent.virtual.kernel.files import SYSTEM
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.commands.listing import blocks, human_size
from pytest_mobileagent.virtual.shell.options import parse


@command("df")
async def df(ctx: Context, args: list[str]) -> int:
    """Print how much of the storage is used."""
    options = parse(args, "aHhikPt:")
    space = ctx.phone.files.space
    total, used = space.size // 1024, -(-space.taken // 1024)
    system = SYSTEM // 1024
    mounts = {
        "/": ("/dev/block/dm-5", system, system),
        "/data": ("/dev/block/dm-46", total, used),
        "/storage/emulated": ("/dev/fuse", total, used),
    }
    chosen: list[str] = []

    async def choose(name: str) -> None:
        ctx.files.stat(name)
        path = ctx.files.resolve(name)
        chosen.append(max((m for m in mounts if posixpath.commonpath([m, path]) == m), key=len))

    await ctx.each(options.rest, choose)
    head = (
        "  1K-blocks     Used Available Use%"
        if "h" not in options
        else "      Size  Used Avail Use%"
    )
    if chosen or not options.rest:
        await ctx.out(f"{'Filesystem':<16}{head} Mounted on\n")
    for mount in chosen or mounts:
        device, size_, taken = mounts[mount]
        free = size_ - taken
        share = -(-100 * taken // size_) if size_ else 0
        if "h" in options:
            texts = [human_size(count * 1024) for count in (size_, taken, free)]
            cells = f"{texts[0]:>10} {texts[1]:>5} {texts[2]:>5}"
        else:
            cells = f"{size_:>11} {taken:>8} {free:>9}"
        await ctx.out(f"{device:<16}{cells} {share:>3}% {mount}\n")
    return ctx.failed


@command("du")
async def du(ctx: Context, args: list[str]) -> int:
    """Print how much storage folders use."""
    options = parse(args, "abhkms")

    unit = 2**20 if "m" in options else 1024
    if "b" in options:
        unit = 1
    for top in options.rest or ["."]:
        taken: defaultdict[str, int] = defaultdict(int)
        for path, node, depth in await ctx.walk(top, bottom_up=True):
            taken[path] += len(node.data) if "b" in options else blocks(node) * 512
            if depth:
                taken[posixpath.dirname(path)] += taken[path]
            if not depth or ("s" not in options and (node.kind == "dir" or "a" in options)):
                size_ = human_size(taken[path]) if "h" in options else -(-taken[path] // unit)
                await ctx.out(f"{size_}\t{path}\n")
    return ctx.failed


@command("sync")
async def sync(_ctx: Context, _args: list[str]) -> int:
    """Write everything to the storage, which is always up to date."""
    return 0
