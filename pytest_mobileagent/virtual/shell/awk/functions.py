"""awk's own functions."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.awk.values import Outside, Value, number
from pytest_mobileagent.virtual.shell.regex import compiled

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.awk.machine import Machine

_DIRECTIVE = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]*([a-zA-Z%])")

Plain = Callable[["Machine", Sequence[Value]], Value]


def _substr(machine: Machine, args: Sequence[Value]) -> Value:
    whole, start = machine.string(args[0]), round(number(args[1]))
    end = len(whole) + 1 if len(args) < 3 else start + round(number(args[2]))
    return whole[max(0, start - 1) : max(0, end - 1)]


def _srand(machine: Machine, args: Sequence[Value]) -> Value:
    before, machine.seed = machine.seed, number(args[0]) if args else 0.0
    random.seed(machine.seed)
    return before


def formatted(machine: Machine, args: Sequence[Value]) -> str:
    """Return what sprintf makes of a format and values."""
    values = list(args[1:])

    def next_value() -> Value:
        return values.pop(0) if values else None

    def directive(match: re.Match[str]) -> str:
        flags, width, precision, kind = match.groups()
        if kind == "%":
            return "%"
        width = str(int(number(next_value()))) if width == "*" else width or ""
        precision = str(int(number(next_value()))) if precision == "*" else precision
        shape = f"%{flags}{width}" + ("" if precision is None else f".{precision}")
        return _converted(machine, shape, kind, next_value())

    return _DIRECTIVE.sub(directive, machine.string(args[0]))


def _converted(machine: Machine, shape: str, kind: str, value: Value) -> str:
    if kind == "c":
        character = chr(int(value)) if isinstance(value, float) else machine.string(value)[:1]
        return (shape + "s") % character
    if kind in "diouxX":
        return (shape + kind.replace("u", "d").replace("i", "d")) % int(number(value))
    return (shape + kind) % (number(value) if kind in "eEfFgG" else machine.string(value))


FUNCTIONS: dict[str, Plain] = {
    "atan2": lambda _, args: math.atan2(number(args[0]), number(args[1])),
    "close": lambda _m, _a: 0.0,
    "cos": lambda _, args: math.cos(number(args[0])),
    "exp": lambda _, args: math.exp(number(args[0])),
    "fflush": lambda _m, _a: 0.0,
    "index": lambda m, args: float(m.string(args[0]).find(m.string(args[1])) + 1),
    "int": lambda _, args: float(int(number(args[0]))),
    "log": lambda _, args: math.log(number(args[0])) if number(args[0]) > 0 else math.nan,
    "rand": lambda _m, _a: random.random(),
    "sin": lambda _, args: math.sin(number(args[0])),
    "sprintf": formatted,
    "sqrt": lambda _, args: math.sqrt(number(args[0])) if number(args[0]) >= 0 else math.nan,
    "srand": _srand,
    "substr": _substr,
    "tolower": lambda m, args: m.string(args[0]).lower(),
    "toupper": lambda m, args: m.string(args[0]).upper(),
}


def split(machine: Machine, text: str, name: str, separator: str) -> float:
    """Put the parts of `text` into an array."""
    array = machine.array(name)
    array.clear()
    parts = machine.split(text, separator)
    array.update({str(at): Outside(part) for at, part in enumerate(parts, 1)})
    return float(len(parts))


def replaced(text: str, pattern: str, replacement: str, *, all_: bool) -> tuple[str, int]:
    """Return `text` with what the pattern finds replaced, and how often that was."""
    end = -1

    def new(match: re.Match[str]) -> str:
        nonlocal end
        if match.span() == (end, end):
            return ""
        end = match.end()
        return re.sub(r"\\(&|\\)|(&)", lambda each: match[0] if each[2] else each[1], replacement)

    return compiled(pattern, extended=True).subn(new, text, count=0 if all_ else 1)


def match(machine: Machine, text: str, pattern: str) -> float:
    """Find a pattern, and remember in RSTART and RLENGTH where it is."""
    found = compiled(pattern, extended=True).search(text)
    start = float(found.start() + 1) if found else 0.0
    machine.assign("RSTART", start)
    machine.assign("RLENGTH", float(len(found[0])) if found else -1.0)
    return start
