"""What awk's operators and functions do, as functions of the machine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.shell.awk import functions
from pytest_mobileagent.virtual.shell.awk.values import Value, number, truth
from pytest_mobileagent.virtual.shell.commands import Failure
from pytest_mobileagent.virtual.shell.regex import compiled

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.awk.machine import Machine

Expression: TypeAlias = Callable[["Machine"], Value]

COMPARISONS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    "==": lambda order: order == 0,
    "!=": lambda order: order != 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


@dataclass(frozen=True, slots=True)
class Target:
    """An expression that can be assigned to; `name` if it is a plain variable."""

    get: Expression
    set: Callable[[Machine, Value], None]
    name: str = ""

    def __call__(self, machine: Machine) -> Value:
        """Return the value."""
        return self.get(machine)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regular expression, which alone asks whether the record has it."""

    source: str

    def __call__(self, machine: Machine) -> Value:
        """Ask it of the current record."""
        return float(_finds(self.source, machine.string(machine.field(0))))


def constant(value: Value) -> Expression:
    """Return an expression that is always the same."""
    return lambda _: value


LITERALS: dict[str, Callable[[str], Expression]] = {
    "number": lambda text: constant(float(int(text, 16) if text[1:2] in {"x", "X"} else text)),
    "string": constant,
    "regex": Pattern,
}


def value_of(inside: Expression) -> Expression:
    """Return what stands between parentheses, which cannot be assigned to."""

    def value(machine: Machine) -> Value:
        return inside(machine)

    return value


def either(left: Expression, right: Expression) -> Expression:
    """Return `left || right`."""
    return lambda machine: float(truth(left(machine)) or truth(right(machine)))


def both(left: Expression, right: Expression) -> Expression:
    """Return `left && right`."""
    return lambda machine: float(truth(left(machine)) and truth(right(machine)))


def membership(key: Expression, name: str) -> Expression:
    """Return `(key in name)`."""
    return lambda machine: float(machine.string(key(machine)) in machine.array(name))


def matching(left: Expression, right: Expression, *, negated: bool) -> Expression:
    """Return `left ~ right`, or `!~`."""
    return lambda m: float(_finds(_source(right, m), m.string(left(m))) != negated)


def joined(left: Expression, right: Expression) -> Expression:
    """Return the concatenation."""
    return lambda machine: machine.string(left(machine)) + machine.string(right(machine))


def calculation(operator: str, left: Expression, right: Expression) -> Expression:
    """Return arithmetic."""
    return lambda machine: calculated(operator, number(left(machine)), number(right(machine)))


def calculated(operator: str, left: float, right: float) -> float:
    """Return the result of an operator on numbers."""
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "^" | "**":
            return float(left**right)
    if right == 0:
        msg = "division by zero"
        raise Failure(msg, 2)
    return left / right if operator == "/" else math.fmod(left, right)


def step(target: Target, change: int, *, after: bool) -> Expression:
    """Return ++ or --, before or after the target."""

    def step(machine: Machine) -> Value:
        before = number(target(machine))
        target.set(machine, before + change)
        return before if after else before + change

    return step


def field(at: Expression) -> Target:
    """Return `$at`."""
    return Target(
        lambda machine: machine.field(int(number(at(machine)))),
        lambda machine, value: machine.set_field(int(number(at(machine))), value),
    )


def subscript(keys: list[Expression]) -> Expression:
    """Return the key that one or several expressions make."""
    if len(keys) == 1:
        return keys[0]
    return lambda m: m.string(m.scalar("SUBSEP")).join(m.string(key(m)) for key in keys)


def _source(expression: Expression, machine: Machine) -> str:
    """Return the regular expression that stands, or is computed, somewhere."""
    return (
        expression.source
        if isinstance(expression, Pattern)
        else machine.string(expression(machine))
    )


def _finds(source: str, text: str) -> bool:
    return compiled(source, extended=True).search(text) is not None


def _name(expression: Expression) -> str:
    return expression.name if isinstance(expression, Target) else ""


def _length(args: list[Expression]) -> Expression:
    if not args:
        return lambda machine: float(len(machine.string(machine.field(0))))
    name = _name(args[0])

    def length(machine: Machine) -> Value:
        if name and isinstance(machine.scope(name).get(name), dict):
            return float(len(machine.array(name)))
        return float(len(machine.string(args[0](machine))))

    return length


def _split(args: list[Expression]) -> Expression:
    name = _name(args[1])

    def split(machine: Machine) -> Value:
        separator = _source(args[2], machine) if args[2:] else machine.string(machine.scalar("FS"))
        return functions.split(machine, machine.string(args[0](machine)), name, separator)

    return split


def _substitution(*, all_: bool) -> Callable[[list[Expression]], Expression]:
    def build(args: list[Expression]) -> Expression:
        target = args[2] if args[2:] else field(lambda _: 0.0)

        def substitute(machine: Machine) -> Value:
            old, new = machine.string(target(machine)), machine.string(args[1](machine))
            result, count = functions.replaced(old, _source(args[0], machine), new, all_=all_)
            if count and isinstance(target, Target):
                target.set(machine, result)
            return float(count)

        return substitute

    return build


SPECIAL: dict[str, Callable[[list[Expression]], Expression]] = {
    "length": _length,
    "split": _split,
    "sub": _substitution(all_=False),
    "gsub": _substitution(all_=True),
    "match": lambda args: lambda m: functions.match(m, m.string(args[0](m)), _source(args[1], m)),
}
