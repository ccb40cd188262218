"""expr: arithmetic on the command line."""

from __future__ import annotations

from typing import NoReturn

from pytest_mobileagent.virtual.shell.commands import Context, Failure, UsageError, command
from pytest_mobileagent.virtual.shell.regex import compiled

_LEVELS = [
    ["|"],
    ["&"],
    ["=", "==", "!=", "<", "<=", ">", ">="],
    ["+", "-"],
    ["*", "/", "%"],
    [":"],
]


@command("expr")
async def expr(ctx: Context, args: list[str]) -> int:
    """Evaluate an expression; fail if the value is 0 or empty."""
    if not args:
        raise UsageError("Needs 1 argument", 2)
    words = list(args)
    value = _evaluated(words, 0)
    if words:
        _fail()
    await ctx.out(f"{value}\n")
    return int(str(value) in {"", "0"})


def _evaluated(words: list[str], level: int) -> str | int:
    if level == len(_LEVELS):
        return _primary(words)
    left = _evaluated(words, level + 1)
    while words and words[0] in _LEVELS[level]:
        operator = words.pop(0)
        left = _applied(operator, left, _evaluated(words, level + 1))
    return left


def _primary(words: list[str]) -> str | int:
    if not words:
        _fail()
    word = words.pop(0)
    if word == "(":
        value = _evaluated(words, 0)
        if not words or words.pop(0) != ")":
            _fail()
        return value
    if word == "length" and words:
        return len(words.pop(0))
    if word == "match" and words[1:]:
        return _matched(words.pop(0), words.pop(0))
    if word == "index" and words[1:]:
        text, characters = words.pop(0), words.pop(0)
        return min((at for char in characters if (at := text.find(char) + 1)), default=0)
    if word == "substr" and words[2:]:
        text, start, length = words.pop(0), int(words.pop(0)), int(words.pop(0))
        return text[max(0, start - 1) :][:length]
    return word


def _applied(operator: str, left: str | int, right: str | int) -> str | int:
    match operator:
        case "|":
            return left if str(left) not in {"", "0"} else right
        case "&":
            return left if str(left) not in {"", "0"} and str(right) not in {"", "0"} else 0
        case ":":
            return _matched(str(left), str(right))
        case "+" | "-" | "*" | "/" | "%":
            return _calculated(operator, _integer(left), _integer(right))
    if _is_integer(left) and _is_integer(right):
        difference = _integer(left) - _integer(right)
        order = (difference > 0) - (difference < 0)
    else:
        order = (str(left) > str(right)) - (str(left) < str(right))
    return int(order in _ORDERS[operator])


_ORDERS = {"=": {0}, "==": {0}, "!=": {-1, 1}, "<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}


def _calculated(operator: str, left: int, right: int) -> int:
    if operator in "/%":
        if right == 0:
            raise Failure("division by zero", 2)
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    return {"+": left + right, "-": left - right, "*": left * right}[operator]


def _matched(text: str, pattern: str) -> str | int:
    """Return the group, or the length, of what a pattern finds at the start of `text`."""
    match = compiled(pattern, extended=False).match(text)
    if match is None:
        return "" if "\\(" in pattern else 0
    return match[1] or "" if match.re.groups else len(match[0])


def _is_integer(value: str | int) -> bool:
    return isinstance(value, int) or value.lstrip("-").isdecimal()


def _integer(value: str | int) -> int:
    if not _is_integer(value):
        raise Failure("non-integer argument", 2)
    return int(value)


def _fail() -> NoReturn:
    raise Failure("syntax error", 2)
