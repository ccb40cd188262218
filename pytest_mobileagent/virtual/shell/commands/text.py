"""Commands that print, copy and count lines and bytes."""

from __future__ import annotations

import base64 as codec
import binascii
import hashlib
import re
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import (
    Context,
    Failure,
    Options,
    command,
    decode,
    encode,
    number,
    parse,
    size,
)
from pytest_mobileagent.virtual.shell.limits import BLOCK, MEMORY, VALUE, out_of_memory
from pytest_mobileagent.virtual.shell.session import flush, pour, read_line

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.session import Reader, Writer

_AT_ONCE = 2000  # numbers


@command("cat")
async def cat(ctx: Context, args: list[str]) -> int:
    """Copy files to stdout."""
    options = parse(args, "u")

    async def copy(name: str) -> None:
        await pour(ctx.reader(name), ctx.stdout)

    return await ctx.each(options.rest or ["-"], copy)


@command("head")
async def head(ctx: Context, args: list[str]) -> int:
    """Copy the first lines of files."""
    options = parse(_with_number(args), "n:c:qv")
    many = len(options.rest) > 1

    async def copy(name: str) -> None:
        source = ctx.reader(name)
        await _title(ctx, name, options, many=many)
        if "c" in options:
            count = options.number("c", 0)
            while count and (data := await source.read(min(count, BLOCK))):
                await ctx.out(data)
                count -= len(data)
            return
        left = options.number("n", 10)
        while left and (line := await read_line(source)):
            await ctx.out(line)
            left -= 1

    return await ctx.each(options.rest or ["-"], copy)


@command("tail")
async def tail(ctx: Context, args: list[str]) -> int:
    """Copy the last lines of files."""
    options = parse(_with_number(args), "n:c:qv")
    many = len(options.rest) > 1

    option = "c" if "c" in options else "n"
    text = options.get(option, "10")
    count = size(text.lstrip("+-"))

    async def copy(name: str) -> None:
        source = ctx.reader(name)
        if text.startswith("+"):
            await _title(ctx, name, options, many=many)
            await _skip(source, count - 1, lines=option == "n", goal=ctx)
            return
        data = await _last(source, count, lines=option == "n")
        await _title(ctx, name, options, many=many)
        await ctx.out(data)

    return await ctx.each(options.rest or ["-"], copy)


async def _last(source: Reader, count: int, *, lines: bool) -> bytes:
    """Return the last bytes or lines, buffering little more than these."""
    kept, most = bytearray(), BLOCK
    while data := await source.read():
        kept += data
        if len(kept) > most:
            kept = _end(kept, count, lines=lines)
            most = max(BLOCK, 2 * len(kept))
        if len(kept) > MEMORY:
            raise out_of_memory()
    return bytes(_end(kept, count, lines=lines))


def _end(data: bytearray, count: int, *, lines: bool) -> bytearray:
    if not count:
        return bytearray()
    if not lines:
        return data[-count:]
    at = len(data) - data.endswith(b"\n")
    for _ in range(count):
        at = data.rfind(b"\n", 0, at)
        if at < 0:
            return data
    return data[at + 1 :]


async def _skip(source: Reader, count: int, *, lines: bool, goal: Context) -> None:
    """Copy everything after the first bytes or lines."""
    while count > 0 and (data := await source.read()):
        passed = data.count(b"\n") if lines else len(data)
        if passed >= count:
            await goal.out(data.split(b"\n", count)[-1] if lines else data[count:])
        count -= passed
    await pour(source, goal.stdout)


async def _title(ctx: Context, name: str, options: Options, *, many: bool) -> None:
    if (many and "q" not in options) or "v" in options:
        between = "\n" if name != options.rest[0] else ""
        await ctx.out(f"{between}==> {name} <==\n")


def _with_number(args: list[str]) -> list[str]:
    """Replace options such as -5 by -n5."""
    return [f"-n{word[1:]}" if re.fullmatch(r"-\d+", word) else word for word in args]


@command("tee")
async def tee(ctx: Context, args: list[str]) -> int:
    """Copy stdin to stdout and to files."""
    options = parse(args, "ai")
    writers: list[Writer] = [ctx.stdout]

    async def open_(name: str) -> None:
        writers.append(ctx.writer(name, append="a" in options))

    status = await ctx.each(options.rest, open_)
    while data := await ctx.stdin.read():
        for writer in writers:
            await writer.write(data)
    flush(writers)
    return status


@command("wc")
async def wc(ctx: Context, args: list[str]) -> int:
    """Count lines, words, and bytes or characters."""
    options = parse(args, "clmw")
    wanted = [letter for letter in "lwmc" if letter in options] or ["l", "w", "c"]
    totals = [0] * len(wanted)

    async def count(name: str) -> None:
        source = ctx.reader(name)
        counts, between = dict.fromkeys("lwcm", 0), True  # whether the next word is a new one
        characters = getincrementaldecoder("utf-8")("replace")
        while data := await source.read():
            counts["l"] += data.count(b"\n")
            counts["w"] += len(data.split()) - (not between and not data[:1].isspace())
            counts["c"] += len(data)
            counts["m"] += len(characters.decode(data))
            between = data[-1:].isspace()
        counts["m"] += len(characters.decode(b"", final=True))
        for at, letter in enumerate(wanted):
            totals[at] += counts[letter]
        await ctx.out(_counts([counts[letter] for letter in wanted], name if options.rest else ""))

    status = await ctx.each(options.rest or ["-"], count)
    if len(options.rest) > 1:
        await ctx.out(_counts(totals, "total"))
    return status


def _counts(counts: list[int], name: str) -> str:
    return " ".join([*map(str, counts), *([name] if name else [])]) + "\n"


@command("seq")
async def seq(ctx: Context, args: list[str]) -> str:
    """Print numbers."""
    words = [f"+{word}" if re.fullmatch(r"-\d+", word) else word for word in args]
    options = parse(words, "s:w", least=1, most=3)
    given = [number(word.removeprefix("+")) for word in options.rest]
    first, step, last = {1: (1, 1, *given), 2: (given[0], 1, given[-1])}.get(len(given), given)
    values = range(first, last + (1 if step > 0 else -1), step or 1)
    if not values:
        return ""
    width = max(len(str(values[0])), len(str(values[-1]))) if "w" in options else 0
    between = options.get("s", "\n")
    for at in range(0, (values[-1] - first) // (step or 1) + 1, _AT_ONCE):
        some = (str(each).zfill(width) for each in values[at : at + _AT_ONCE])
        await ctx.out((between if at else "") + between.join(some))
    return "\n"


_HASHES = {f"{name}sum": name for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")}


@command(*_HASHES)
async def checksum(ctx: Context, args: list[str]) -> int:
    """Print hashes of files."""
    options = parse(args, "b", {"brief": "b"})

    async def show(name: str) -> None:
        source, hashed = ctx.reader(name), hashlib.new(_HASHES[ctx.name], usedforsecurity=False)
        while data := await source.read():
            hashed.update(data)
        value = hashed.hexdigest()
        await ctx.out(f"{value}\n" if "b" in options else f"{value}  {name}\n")

    return await ctx.each(options.rest or ["-"], show)


@command("base64")
async def base64(ctx: Context, args: list[str]) -> None:
    """Encode or decode base64."""
    options = parse(args, "diw:", {"decode": "d"}, most=1)
    name = options.rest[0] if options.rest else "-"
    if "d" in options:
        data = await ctx.read(name)
        try:
            await ctx.out(codec.b64decode(re.sub(rb"[^A-Za-z0-9+/=]", b"", data)))
        except binascii.Error:
            raise Failure("bad input") from None
        return
    width, source = options.number("w", 76), ctx.reader(name)
    pending, column = b"", 0
    while data := await source.read():
        pending += data
        whole = len(pending) - len(pending) % 3
        text, pending = codec.b64encode(pending[:whole]), pending[whole:]
        column = await _wrapped(ctx, text, width, column)
    column = await _wrapped(ctx, codec.b64encode(pending), width, column)
    if width:
        await ctx.out("\n" if column else "")


async def _wrapped(ctx: Context, text: bytes, width: int, column: int) -> int:
    """Print text in lines of a width, continuing the current line; return the last one's length."""
    if not width:
        await ctx.out(text)
        return 0
    lines = [text[: width - column]]
    lines += [text[at : at + width] for at in range(width - column, len(text), width)]
    await ctx.out(b"\n".join(lines))
    last = len(lines[-1]) + (column if len(lines) == 1 else 0)
    if last == width and lines[-1]:
        await ctx.out("\n")
        return 0
    return last


@command("yes")
async def yes(ctx: Context, args: list[str]) -> int:
    """Print words repeatedly, until the reader has gone."""
    line = (" ".join(args) or "y") + "\n"
    block = line * max(1, BLOCK // len(line))
    while True:
        await ctx.out(block)


_ESCAPE = r"\\(?:(?P<stop>c)|{}|x(?P<hex>[0-9A-Fa-f]{{1,2}})|(?P<letter>.))"
_OF_ECHO = re.compile(_ESCAPE.format("0(?P<octal>[0-7]{0,3})"), re.DOTALL)
_OF_PRINTF = re.compile(_ESCAPE.format("(?P<octal>[0-7]{1,3})"), re.DOTALL)
_LETTERS = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_LONGEST = 100  # characters of a directive
_DIRECTIVE = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<kind>[a-zA-Z%])|(?P<bad>%)"
)


@command("echo", builtin=True)
async def echo(ctx: Context, args: list[str]) -> None:
    """Print the words; as in mksh, backslash sequences are interpreted unless -E is given."""
    words, flags = list(args), ""
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flags += words.pop(0)[1:]
    text, stopped = encode(" ".join(words)), False
    if flags.rfind("E") <= flags.rfind("e"):
        text, stopped = _unescaped(" ".join(words), _OF_ECHO)
    await ctx.out(text + (b"" if stopped or "n" in flags else b"\n"))


@command("printf")
async def printf(ctx: Context, args: list[str]) -> int:
    """Print words according to a format, which is repeated until no words are left."""
    if not args:
        raise Failure("Needs 1 argument")
    form, stopped = _unescaped(args[0], _OF_PRINTF)
    words = args[1:]
    while True:
        count = len(words)
        printed = 0

        def converted(directive: re.Match[bytes]) -> bytes:
            nonlocal printed
            sizes = (int(directive[each] or 0) for each in ("width", "precision"))
            printed += max(sizes) if len(directive[0]) < _LONGEST else VALUE + 1
            if printed > VALUE:
                raise out_of_memory()
            return _converted(directive, words)

        await ctx.out(_DIRECTIVE.sub(converted, form))
        if stopped or not words or len(words) == count:
            return 0


def _converted(directive: re.Match[bytes], words: list[str]) -> bytes:
    """Return the conversion of the next word according to a directive."""
    kind, precision = decode(directive["kind"] or b""), directive["precision"]
    if kind == "%":
        return b"%"
    if not kind or kind not in "sbcdiouxXeEfFgG":
        raise Failure(f"bad %{kind}@{directive.start() + 1}")
    word = words.pop(0) if words else ""
    if kind in "sbc":
        data = _unescaped(word, _OF_ECHO)[0] if kind == "b" else encode(word)
        length = None if precision is None else int(precision or 0)
        if kind == "c":
            length = 1
        justified = bytes.ljust if b"-" in directive["flags"] else bytes.rjust
        return justified(data[:length], int(directive["width"] or 0))
    number = _number(word, whole=kind in "diouxX")
    if kind in "ouxX" and number < 0:
        number += 2**64
    return (directive[0][:-1] + kind.replace("u", "d").encode()) % number


def _number(word: str, *, whole: bool) -> float:
    if word[:1] in {"'", '"'}:
        return ord(word[1:2] or "\0")
    octal = re.fullmatch(r"\s*([-+]?)0([0-7]+)", word)
    try:
        if not whole:
            return float(word or "0")
        return int(octal[1] + octal[2], 8) if octal else int(word or "0", 0)
    except ValueError:
        raise Failure(f"Not a number '{word}'") from None


def _unescaped(text: str, escape: re.Pattern[str]) -> tuple[bytes, bool]:
    r"""Return `text` with backslash sequences replaced, and whether it ends early at a `\\c`."""
    out, at = bytearray(), 0
    for match in escape.finditer(text):
        out += encode(text[at : match.start()])
        at = match.end()
        if match["stop"]:
            return bytes(out), True
        if letter := match["letter"]:
            out += bytes([_LETTERS[letter]]) if letter in _LETTERS else encode(match[0])
        else:
            code = int(match["hex"], 16) if match["hex"] else int(match["octal"] or "0", 8)
            out.append(code & 255)
    return bytes(out) + encode(text[at:]), False
