"""tr: replaces, deletes and squeezes characters."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.commands import Context, command, encode
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.regex import CLASSES


@command("tr")
async def tr(ctx: Context, args: list[str]) -> int:
    """Replace, delete or squeeze characters."""
    options = parse(args, "cCdst", least=1, most=2)
    first = _characters(options.rest[0])
    if "c" in options or "C" in options:
        first = bytes(byte for byte in range(256) if byte not in first)
    second = _characters(options.rest[1]) if options.rest[1:] else b""
    squeezed = (second or first) if "s" in options else b""
    table = bytes.maketrans(*_pairs(first, second)) if second and "d" not in options else None
    gone = first if "d" in options else b""
    last = b""
    while data := await ctx.stdin.read():
        data = data.translate(table, gone)
        if squeezed:
            data = re.sub(
                rb"([" + b"".join(re.escape(bytes([b])) for b in set(squeezed)) + rb"])\1+",
                rb"\1",
                last + data,
                flags=re.DOTALL,
            )[len(last) :]
            last = data[-1:] if data[-1:] in squeezed else b""
        await ctx.out(data)
    return 0


def _pairs(first: bytes, second: bytes) -> tuple[bytes, bytes]:
    return first, second[: len(first)].ljust(len(first), second[-1:])


_ESCAPES = dict(zip("ntrabfv\\", "\n\t\r\a\b\f\v\\", strict=True))


def _characters(text: str) -> bytes:
    """Return the bytes that a set such as a-z or [:space:] stands for."""
    text = re.sub(r"\[:(\w+):\]", lambda match: CLASSES.get(match[1], match[0]), text)
    plain = re.sub(
        r"\\([0-7]{1,3}|.)",
        lambda m: chr(int(m[1], 8)) if m[1].isdecimal() else _ESCAPES.get(m[1], m[1]),
        text,
        flags=re.DOTALL,
    )
    data = encode(plain)
    out, at = bytearray(), 0
    while at < len(data):
        if at + 2 < len(data) and data[at + 1] == ord("-"):
            out += bytes(range(data[at], data[at + 2] + 1))
            at += 3
        else:
            out.append(data[at])
            at += 1
    return bytes(out)
