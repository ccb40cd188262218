"""Commands that show bytes in other ways: checksums, base64, dumps, comparison."""

from __future__ import annotations

import base64 as codec
import binascii
import hashlib
import re
import zlib

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode
from pytest_mobileagent.virtual.shell.options import parse

_HASHES = {f"{name}sum": name for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")}


@command(*_HASHES)
async def checksum(ctx: Context, args: list[str]) -> int:
    """Print or check hashes of files."""
    options = parse(args, "bcsu", {"brief": "b", "check": "c", "status": "s"})

    def digest(data: bytes) -> str:
        return hashlib.new(_HASHES[ctx.name], data, usedforsecurity=False).hexdigest()

    async def show(name: str) -> None:
        value = digest(await ctx.read(name))
        await ctx.out(f"{value}\n" if "b" in options else f"{value}  {name}\n")

    async def check(name: str) -> None:
        for line in decode(await ctx.read(name)).splitlines():
            value, _, file = line.partition(" ")
            good = digest(await ctx.read(file.strip(" *"))) == value
            ctx.failed = ctx.failed if good else 1
            if "s" not in options:
                await ctx.out(f"{file.strip(' *')}: {'OK' if good else 'FAILED'}\n")

    return await ctx.each(options.rest or ["-"], check if "c" in options else show)


@command("crc32")
async def crc32(ctx: Context, args: list[str]) -> int:
    """Print the CRC of files."""
    names = parse(args, "").rest

    async def show(name: str) -> None:
        label = f" {name}" if len(names) > 1 else ""
        await ctx.out(f"{zlib.crc32(await ctx.read(name)):08x}{label}\n")

    return await ctx.each(names or ["-"], show)


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


@command("xxd")
async def xxd(ctx: Context, args: list[str]) -> int:
    """Show bytes as hexadecimal numbers, or make bytes of them."""
    options = parse(args, "c:g:il:o:prs:u", most=1)
    data = await ctx.read(options.rest[0] if options.rest else "-")
    if "r" in options:
        await ctx.out(_from_hex(decode(data), plain="p" in options))
        return 0
    data = data[options.number("s", 0) :]
    data = data[: options.number("l", len(data))]
    if "p" in options:
        width = options.number("c", 30)
        lines = [data[at : at + width].hex() for at in range(0, len(data), width)]
        await ctx.out("".join(f"{line}\n" for line in lines))
        return 0
    width, group = options.number("c", 16), options.number("g", 2) or 16
    columns = width * 2 + -(-width // group)
    for at in range(0, len(data), width):
        row = data[at : at + width]
        numbers = " ".join(row[place : place + group].hex() for place in range(0, len(row), group))
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        await ctx.out(f"{at + options.number('s', 0):08x}: {numbers:<{columns}} {text}\n")
    return 0


def _from_hex(text: str, *, plain: bool) -> bytes:
    if not plain:
        rows = (line.partition(":")[2].partition("  ")[0] for line in text.splitlines())
        text = "".join(rows)
    digits = re.sub(r"[^0-9A-Fa-f]", "", text)
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


@command("od")
async def od(ctx: Context, args: list[str]) -> int:
    """Show bytes as numbers."""
    options = parse(args, "A:bcdj:N:ost:vxw:")
    data = b"".join([await ctx.read(name) for name in options.rest or ["-"]])
    data = data[options.number("j", 0) :]
    data = data[: options.number("N", len(data))]
    kind = options.get("t", "c" if "c" in options else "x2" if "x" in options else "o2")
    form = {"x1": "%02x", "o1": "%03o", "u1": "%3u", "d1": "%4d", "x2": "%04x", "o2": "%06o"}
    width = 2 if kind[1:] == "2" else 1
    for at in range(0, len(data), 16):
        row = data[at : at + 16]
        units = [row[place : place + width] for place in range(0, len(row), width)]
        if kind[0] == "c":
            cells = [_as_character(unit[0]) for unit in units]
        elif kind in form:
            cells = [form[kind] % int.from_bytes(unit, "little") for unit in units]
        else:
            raise Failure(f"bad -t {kind}")
        await ctx.out(_address(at, options.get("A", "o")) + "".join(f" {c}" for c in cells) + "\n")
    await ctx.out(_address(len(data), options.get("A", "o")) + "\n")
    return 0


def _as_character(byte: int) -> str:
    named = {0: "\\0", 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}
    return f"{named.get(byte) or (chr(byte) if 32 <= byte < 127 else f'{byte:03o}'):>3}"


def _address(at: int, base: str) -> str:
    return {"o": f"{at:07o}", "x": f"{at:06x}", "d": f"{at:07d}", "n": ""}[base]


@command("cmp")
async def cmp(ctx: Context, args: list[str]) -> int:
    """Say where two files differ first."""
    options = parse(args, "ls", least=1, most=2)
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
    if "s" not in options and "l" not in options:
        if at == shared:
            await ctx.err(f"cmp: EOF on {names[len(left) > len(right)]}\n")
        else:
            line = left[:at].count(b"\n") + 1
            await ctx.out(f"{names[0]} {names[1]} differ: char {at + 1}, line {line}\n")
    for place in range(at, shared) if "l" in options else ():
        if left[place] != right[place]:
            await ctx.out(f"{place + 1} {left[place]:o} {right[place]:o}\n")
    return 1


@command("strings")
async def strings(ctx: Context, args: list[str]) -> int:
    """Print what looks like text."""
    options = parse(args, "afn:ot:")
    least = options.number("n", 4)
    for name in options.rest or ["-"]:
        for found in re.finditer(rb"[\t -~]{%d,}" % least, await ctx.read(name)):
            await ctx.out(found[0] + b"\n")
    return 0
