"""echo and printf."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command, encode

if TYPE_CHECKING:
    from collections.abc import Callable

_ECHO_OPTION = re.compile(r"-[neE]+")
_ESCAPE = (
    r"\\(?:(?P<stop>c)|{}|x(?P<hex>[0-9A-Fa-f]{{1,2}})"
    r"|u(?P<point>[0-9A-Fa-f]{{1,4}})|(?P<letter>.))"
)
_OF_ECHO = re.compile(_ESCAPE.format("0(?P<octal>[0-7]{0,3})"), re.DOTALL)
_OF_PRINTF = re.compile(_ESCAPE.format("(?P<octal>[0-7]{1,3})"), re.DOTALL)
_LETTERS = {"a": 7, "b": 8, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_DIRECTIVE = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d*))?"
    r"[hlLjzt]*(?P<kind>[a-zA-Z%])"
)


class _StopError(Exception):
    r"""`\\c`: print nothing more."""

    def __init__(self, before: bytes) -> None:
        super().__init__()
        self.before = before


@command("echo", builtin=True)
async def echo(ctx: Context, args: list[str]) -> int:
    """Print the words; as in mksh, backslashes mean something unless -E is given."""
    words, flags = list(args), ""
    while words and _ECHO_OPTION.fullmatch(words[0]):
        flags += words.pop(0)[1:]
    text = " ".join(words)
    end = b"" if "n" in flags else b"\n"
    if flags.rfind("E") > flags.rfind("e"):
        await ctx.out(encode(text) + end)
        return 0
    try:
        await ctx.out(_unescaped(text, _OF_ECHO) + end)
    except _StopError as stop:
        await ctx.out(stop.before)
    return 0


@command("printf")
async def printf(ctx: Context, args: list[str]) -> int:
    """Print words as a format says, which is used again until no word is left."""
    if not args:
        raise Failure("Needs 1 argument")
    words = args[1:]
    out = bytearray()
    try:
        while True:
            count = len(words)
            _print_once(out, args[0], words)
            if not words or len(words) == count:
                break
    except _StopError as stop:
        out += stop.before
    except Failure:
        await ctx.out(bytes(out))
        raise
    await ctx.out(bytes(out))
    return 0


def _print_once(out: bytearray, form: str, words: list[str]) -> None:
    at = 0
    while at < len(form):
        directive = _DIRECTIVE.match(form, at)
        if directive:
            out += _converted(directive, words)
            at = directive.end()
            continue
        end = form.find("%", at + 1)
        end = len(form) if end < 0 else end
        if form[at] == "%":
            raise Failure(f"bad format@{at + 1}")
        try:
            out += _unescaped(form[at:end], _OF_PRINTF)
        except _StopError as stop:
            out += stop.before
            raise _StopError(b"") from None
        at = end


def _converted(directive: re.Match[str], words: list[str]) -> bytes:
    kind = directive["kind"]
    if kind == "%":
        return b"%"
    width = _size(directive["width"], words) or 0
    precision = _size(directive["precision"], words)
    word = words.pop(0) if words else ""
    if kind in "sbc":
        data = _text(kind, word)[:precision]
        left = "-" in directive["flags"] or width < 0
        return data.ljust(abs(width)) if left else data.rjust(width)
    if kind not in "diouxXeEfFgG":
        raise Failure(f"bad %{kind}@{directive.start() + 1}")
    number = _number(word, float if kind in "eEfFgG" else _whole)
    if kind in "ouxX" and number < 0:
        number += 2**64
    shape = f"%{directive['flags']}{width or ''}{'' if precision is None else f'.{precision}'}"
    return ((shape + kind.replace("u", "d")) % number).encode()


def _size(text: str | None, words: list[str]) -> int | None:
    """Return a width or a precision, which `*` takes from the words."""
    if text == "*":
        text = words.pop(0) if words else "0"
    return None if text is None else int(_number(text, _whole))


def _text(kind: str, word: str) -> bytes:
    if kind == "b":
        return _unescaped(word, _OF_ECHO)
    return encode(word[:1] if kind == "c" else word)


def _number(word: str, parse: Callable[[str], float]) -> float:
    if word[:1] in {"'", '"'}:
        return ord(word[1:2] or "\0")
    try:
        return parse(word or "0")
    except ValueError:
        raise Failure(f"Not a number '{word}'") from None


def _whole(word: str) -> int:
    octal = re.fullmatch(r"\s*([-+]?)0([0-7]+)", word)
    return int(octal[1] + octal[2], 8) if octal else int(word, 0)


def _unescaped(text: str, escape: re.Pattern[str]) -> bytes:
    """Return what `text` is once its backslash sequences have been replaced."""
    out, at = bytearray(), 0
    for match in escape.finditer(text):
        out += encode(text[at : match.start()])
        at = match.end()
        if match["stop"]:
            raise _StopError(bytes(out))
        out += _character(match)
    return bytes(out) + encode(text[at:])


def _character(match: re.Match[str]) -> bytes:
    if match["octal"] is not None:
        return bytes([int(match["octal"] or "0", 8) & 0xFF])
    if match["hex"]:
        return bytes([int(match["hex"], 16)])
    if match["point"]:
        return chr(int(match["point"], 16)).encode(errors="surrogatepass")
    letter = match["letter"]
    return bytes([_LETTERS[letter]]) if letter in _LETTERS else encode(match[0])
