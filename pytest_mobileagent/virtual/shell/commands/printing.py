"""echo and printf."""

from __future__ import annotations

import re

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, encode

_ESCAPE = r"\\(?:(?P<stop>c)|{}|x(?P<hex>[0-9A-Fa-f]{{1,2}})|(?P<letter>.))"
_OF_ECHO = re.compile(_ESCAPE.format("0(?P<octal>[0-7]{0,3})"), re.DOTALL)
_OF_PRINTF = re.compile(_ESCAPE.format("(?P<octal>[0-7]{1,3})"), re.DOTALL)
_LETTERS = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<kind>[a-zA-Z%])|(?P<bad>%)"
)


@command("echo", builtin=True)
async def echo(ctx: Context, args: list[str]) -> int:
    """Print the words; as in mksh, backslashes mean something unless -E is given."""
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
    """Print words as a format says, which is used again until no word is left."""
    if not args:
        raise Failure("Needs 1 argument")
    words = args[1:]
    out = bytearray()
    try:
        stopped = False
        while not stopped:
            count = len(words)
            stopped = _print_once(out, args[0], words) or not words or len(words) == count
    finally:
        await ctx.out(bytes(out))
    return 0


def _print_once(out: bytearray, form: str, words: list[str]) -> bool:
    r"""Print words by a format once, and tell whether `\\c` says that this is all."""
    at = 0
    for directive in _DIRECTIVE.finditer(form):
        text, stopped = _unescaped(form[at : directive.start()], _OF_PRINTF)
        out += text
        at = directive.end()
        if not stopped:
            text, stopped = _converted(directive, words)
            out += text
        if stopped:
            return True
    text, stopped = _unescaped(form[at:], _OF_PRINTF)
    out += text
    return stopped


def _converted(directive: re.Match[str], words: list[str]) -> tuple[bytes, bool]:
    """Return what a directive makes of the next word, and whether nothing may follow."""
    kind, precision = directive["kind"], directive["precision"]
    if kind == "%":
        return b"%", False
    if not kind or kind not in "sbcdiouxXeEfFgG":
        raise Failure(f"bad %{kind or ''}@{directive.start() + 1}")
    word = words.pop(0) if words else ""
    if kind in "sbc":
        word = word[:1] if kind == "c" else word
        data, stopped = _unescaped(word, _OF_ECHO) if kind == "b" else (encode(word), False)
        data = data[: None if precision is None else int(precision or 0)]
        width = int(directive["width"] or 0)
        return data.ljust(width) if "-" in directive["flags"] else data.rjust(width), stopped
    number = _number(word, whole=kind in "diouxX")
    if kind in "ouxX" and number < 0:
        number += 2**64
    return (directive[0][:-1] + kind.replace("u", "d")).encode() % number, False


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
    r"""Return what `text` is without backslash sequences, and whether it stops at a `\\c`."""
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
