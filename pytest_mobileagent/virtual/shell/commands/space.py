"""Commands about storage: df, du, dd, mount and sync."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.nodes import blocks, human_size
from pytest_mobileagent.virtual.shell.options import Options, parse, size

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.streams import Reader

_BLOCK = 65536
_SYSTEM = 921_600  # KiB, and always full


@command("df")
async def df(ctx: Context, args: list[str]) -> int:
    """Show how much of the storage is taken."""
    options = parse(args, "aHhikPt:")
    files = ctx.phone.files
    total, used = -(-files.capacity // 1024), -(-files.used // 1024)
    mounts = {
        "/": ("/dev/block/dm-5", _SYSTEM, _SYSTEM),
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
    """Show how much storage folders take."""
    options = parse(args, "abcd:hHkKLlmsx", {"max-depth": "d"})
    total = 0

    async def show(name: str) -> None:
        nonlocal total
        total += await _measure(ctx, name, 0, options)

    await ctx.each(options.rest or ["."], show)
    if "c" in options:
        await ctx.out(f"{_amount(total, options)}\ttotal\n")
    return ctx.failed


async def _measure(ctx: Context, name: str, depth: int, options: Options) -> int:
    """Print what a folder takes, after the folders below it, and return that in bytes."""
    node = ctx.files.stat(name, follow=depth == 0 and "H" in options)
    taken = len(node.data) if "b" in options else blocks(node) * 512
    if node.kind == "dir":
        for each in ctx.files.listdir(name):
            taken += await _measure(ctx, posixpath.join(name, each), depth + 1, options)
    deepest = 0 if "s" in options else options.number("d", 1 << 30)
    if (node.kind == "dir" or "a" in options or depth == 0) and depth <= deepest:
        await ctx.out(f"{_amount(taken, options)}\t{name}\n")
    return taken


def _amount(count: int, options: Options) -> str:
    if "h" in options:
        return human_size(count)
    if "b" in options:
        return str(count)
    return str(-(-count // 2**20) if "m" in options else -(-count // 1024))


@command("dd")
async def dd(ctx: Context, args: list[str]) -> int:
    """Copy blocks."""
    settings = dict(word.partition("=")[::2] for word in args)
    if unknown := set(settings) - {"if", "of", "bs", "count", "skip", "seek", "conv", "status"}:
        raise Failure(f"bad arg {min(unknown)}")
    block = size(settings.get("bs", "512"))
    source = ctx.reader(settings.get("if", "-"))
    if "skip" in settings:
        await _take(source, size(settings["skip"]) * block)
    data = await _take(source, size(settings["count"]) * block if "count" in settings else None)
    if "of" in settings:
        await _place(ctx, settings, block, data)
    else:
        await ctx.out(data)
    if settings.get("status") != "none":
        full, partial = len(data) // block, int(bool(len(data) % block))
        records = f"{full}+{partial} records"
        await ctx.err(
            f"{records} in\n{records} out\n{len(data)} bytes ({human_size(len(data))}B) copied\n"
        )
    return 0


async def _take(source: Reader, count: int | None) -> bytes:
    if count is None:
        return await source.read_all()
    data = bytearray()
    while len(data) < count and (chunk := await source.read(min(_BLOCK, count - len(data)))):
        data += chunk
    return bytes(data)


async def _place(ctx: Context, settings: dict[str, str], block: int, data: bytes) -> None:
    name, at = settings["of"], size(settings.get("seek", "0")) * block
    keep = ctx.files.is_file(name) and ("seek" in settings or "notrunc" in settings.get("conv", ""))
    old = ctx.files.read(name) if keep else b""
    rest = old[at + len(data) :] if "notrunc" in settings.get("conv", "") else b""
    await ctx.save(name, old[:at].ljust(at, b"\0") + data + rest if at or rest else data)


@command("sync", "fsync")
async def sync(_ctx: Context, _args: list[str]) -> int:
    """Make sure that everything is written, as it always is."""
    return 0


@command("mount")
async def mount(ctx: Context, args: list[str]) -> int:
    """List what is mounted; to mount anything is not allowed."""
    options = parse(args, "aflnOo:rtvw:")
    if options.rest or "a" in options:
        device, mount_point = [*options.rest, "", ""][:2]
        raise Failure(f"'{device}'->'{mount_point}': Operation not permitted")
    await ctx.out(
        "/dev/block/dm-5 on / type ext4 (ro,seclabel,nodev,noatime)\n"
        "/dev/block/dm-46 on /data type ext4 (rw,seclabel,nosuid,nodev,noatime)\n"
        "/dev/fuse on /storage/emulated type fuse (rw,nosuid,nodev,noexec,noatime)\n"
    )
    return 0
