"""Commands that show bytes in other ways: checksums, base64, dumps, comparison."""

from __future__ import annotations

import base64 as codec
import binascii
import hashlib
import re

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse

_HASHES = {f"{name}sum": name for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")}


@command(*_HASHES)
async def checksum(ctx: Context, args: list[str]) -> int:
    """Print or check hashes of files."""
    options = parse(args, "b", {"brief": "b"})

    async def show(name: str) -> None:
        data = await ctx.read(name)
        value = hashlib.new(_HASHES[ctx.name], data, usedforsecurity=False).hexdigest()
        await ctx.out(f"{value}\n" if "b" in options else f"{value}  {name}\n")

    return await ctx.each(options.rest or ["-"], show)


@command("base64")
async def base64(ctx: Context, args: list[str]) -> int:
    """Encode or decode."""
    options = parse(args, "diw:", {"decode": "d"}, most=1)
    data = await ctx.read(options.rest[0] if options.rest else "-")
    if "d" in options:
        try:
            await ctx.out(codec.b64decode(re.sub(rb"[^A-Za-z0-9+/=]", b"", data)))
        except binascii.Error:
            raise Failure("bad input") from None
        return 0
    text = codec.b64encode(data).decode()
    width = options.number("w", 76) or len(text) or 1
    lines = [text[at : at + width] for at in range(0, len(text), width)]
    await ctx.out("\n".join(lines) + ("\n" if options.number("w", 76) else ""))
    return 0


@command("cmp")
async def cmp(ctx: Context, args: list[str]) -> int:
    """Say where two files differ first."""
    options = parse(args, "s", least=1, most=2)
    names = [*options.rest, "-"][:2]
    contents = []
    for name in names:
        try:
            contents.append(await ctx.read(name))
        except OSError as error:
            raise Failure(f"{name}: {error.strerror}", 2) from None
    left, right = contents
    if left == right:
        return 0
    shared = min(len(left), len(right))
    at = next((at for at in range(shared) if left[at] != right[at]), shared)
    if "s" not in options:
        if at == shared:
            await ctx.err(f"cmp: EOF on {names[len(left) > len(right)]}\n")
        else:
            line = left[:at].count(b"\n") + 1
            await ctx.out(f"{names[0]} {names[1]} differ: char {at + 1}, line {line}\n")
    return 1
