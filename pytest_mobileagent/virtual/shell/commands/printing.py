"""echo and printf."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, decode, encode
from pytest_mobileagent.virtual.shell.limits import VALUE, out_of_memory

_ESCAPE = r"\\(?:(?P<stop>c)|{}|x(?P<hex>[0-9A-Fa-f]{{1,2}})|(?P<letter>.))"
_OF_ECHO = re.compile(_ESCAPE.format("0(?P<octal>[0-7]{0,3})"), re.DOTALL)
_OF_PRINTF = re.compile(_ESCAPE.format("(?P<octal>[0-7]{1,3})"), re.DOTALL)
_LETTERS = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_LONGEST = 100  # characters of a directive
_DIRECTIVE = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<kind>[a-zA-Z%])|(?P<bad>%)"
)


@command("echo", builtin=True)
async def echo(ctx: Context, args: list[str]) -> int:
    """Print the words; as in mksh, backslash sequences are interpreted unless -E is given."""
    words, flags = list(args), ""
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flags += words.pop(0)[1:]
    text, stopped = encode(" ".join(words)), False
    if flags.rfind("E") <= flags.rfind("e"):
        text, stopped = _unescaped(" ".join(words), _OF_ECHO)
    await ctx.out(text + (b"" if stopped or "n" in flags else b"\n"))
    return 0


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
        width = int(directive["width"] or 0)
        return (
            data[:length].ljust(width) if b"-" in directive["flags"] else data[:length].rjust(width)
        )
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
        if match["letter"]:
            letter = match["letter"]
            out += bytes([_LETTERS[letter]]) if letter in _LETTERS else encode(match[0])
        else:
            out.append(
                int(match["hex"], 16) if match["hex"] else int(match["octal"] or "0", 8) & 255
            )
    return bytes(out) + encode(text[at:]), False
