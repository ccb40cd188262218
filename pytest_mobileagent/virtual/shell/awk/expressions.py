"""Parses awk's expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pytest_mobileagent.virtual.shell.awk import functions
from pytest_mobileagent.virtual.shell.awk.lexer import Token, tokens
from pytest_mobileagent.virtual.shell.awk.operations import (
    COMPARISONS,
    LITERALS,
    SPECIAL,
    Expression,
    Target,
    both,
    calculated,
    calculation,
    either,
    field,
    joined,
    matching,
    membership,
    step,
    subscript,
    value_of,
)
from pytest_mobileagent.virtual.shell.awk.values import Value, compared, number, truth
from pytest_mobileagent.virtual.shell.commands import Failure

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.awk.machine import Machine

_ASSIGNING = {"=", "+=", "-=", "*=", "/=", "%=", "^=", "**="}
_OPERANDS = {"number", "string", "name", "call", "$", "(", "!", "-", "++", "--"}


class ExpressionParser:
    """A position in a program's tokens, and a function for every level of precedence."""

    def __init__(self, program: str) -> None:
        self._tokens = tokens(program)
        self._at = 0
        self._in_print = False  # where > is no comparison
        self._in_for = False  # where `in` is no question

    # Tokens

    def peek(self, ahead: int = 0) -> Token:
        """Return a token without taking it."""
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def sees(self, *texts: str) -> bool:
        """Whether one of these operators or words comes next."""
        return self.peek().kind not in {"string", "regex"} and self.peek().text in texts

    def take(self) -> Token:
        """Take the next token."""
        token = self.peek()
        self._at += 1
        return token

    def expect(self, text: str) -> None:
        """Take a token that must be there."""
        if not self.sees(text):
            self.fail()
        self.take()

    def skip_newlines(self) -> None:
        """Step over line ends."""
        while self.sees("\n"):
            self.take()

    def fail(self) -> NoReturn:
        """Fail at the next token."""
        line = 1 + sum(token.text == "\n" for token in self._tokens[: self._at])
        msg = f"syntax error at source line {line}"
        raise Failure(msg, 2)

    # Precedence, from the lowest

    def expression(self) -> Expression:
        """Parse an expression."""
        left = self._choice()
        if not isinstance(left, Target) or self.peek().kind not in _ASSIGNING:
            return left
        operator = self.take().kind[:-1]
        self.skip_newlines()
        right, target = self.expression(), left

        def assign(machine: Machine) -> Value:
            value = right(machine)
            if operator:
                value = calculated(operator, number(target(machine)), number(value))
            target.set(machine, value)
            return value

        return assign

    def _choice(self) -> Expression:
        condition = self._either()
        if not self.sees("?"):
            return condition
        self.take()
        self.skip_newlines()
        first = self.expression()
        self.skip_newlines()
        self.expect(":")
        self.skip_newlines()
        second = self.expression()
        return lambda machine: first(machine) if truth(condition(machine)) else second(machine)

    def _either(self) -> Expression:
        left = self._both()
        while self.sees("||"):
            self.take()
            self.skip_newlines()
            left = either(left, self._both())
        return left

    def _both(self) -> Expression:
        left = self._membership()
        while self.sees("&&"):
            self.take()
            self.skip_newlines()
            left = both(left, self._membership())
        return left

    def _membership(self) -> Expression:
        left = self._match()
        while self.sees("in") and not self._in_for:
            self.take()
            left = membership(left, self.take().text)
        return left

    def _match(self) -> Expression:
        left = self._comparison()
        while self.sees("~", "!~"):
            negated = self.take().kind == "!~"
            left = matching(left, self._comparison(), negated=negated)
        return left

    def _comparison(self) -> Expression:
        left = self._concatenation()
        if self.peek().kind not in COMPARISONS or (self.sees(">") and self._in_print):
            return left
        test, right = COMPARISONS[self.take().kind], self._concatenation()
        return lambda machine: float(test(compared(left(machine), right(machine))))

    def _concatenation(self) -> Expression:
        left = self._sum()
        while self.peek().kind in _OPERANDS and not self.sees("in"):
            left = joined(left, self._sum())
        return left

    def _sum(self) -> Expression:
        left = self._product()
        while self.sees("+", "-"):
            left = calculation(self.take().kind, left, self._product())
        return left

    def _product(self) -> Expression:
        left = self._unary()
        while self.sees("*", "/", "%"):
            left = calculation(self.take().kind, left, self._unary())
        return left

    def _unary(self) -> Expression:
        if not self.sees("!", "-", "+"):
            return self._power()
        operator, operand = self.take().kind, self._unary()
        if operator == "!":
            return lambda machine: float(not truth(operand(machine)))
        sign = -1 if operator == "-" else 1
        return lambda machine: sign * number(operand(machine))

    def _power(self) -> Expression:
        base = self._postfix()
        if not self.sees("^", "**"):
            return base
        self.take()
        return calculation("^", base, self._unary() if self.sees("-", "+", "!") else self._power())

    def _postfix(self) -> Expression:
        operand = self._primary()
        if isinstance(operand, Target) and self.sees("++", "--"):
            return step(operand, 1 if self.take().kind == "++" else -1, after=True)
        return operand

    def _primary(self) -> Expression:
        token = self.take()
        if token.kind in LITERALS:
            return LITERALS[token.kind](token.text)
        if token.kind == "name":
            return self._variable(token.text)
        if token.kind == "call":
            return self._call(token.text)
        if token.kind == "$":
            return field(self._step_or_primary())
        if token.kind == "(":
            return self._parenthesized()
        self._at -= 1
        return self._stepped()

    def _stepped(self) -> Expression:
        if not self.sees("++", "--"):
            self.fail()
        change = 1 if self.take().kind == "++" else -1
        target = self._primary()
        if not isinstance(target, Target):
            self.fail()
        return step(target, change, after=False)

    def _step_or_primary(self) -> Expression:
        if self.sees("-"):
            self.take()
            operand = self._primary()
            return lambda machine: -number(operand(machine))
        return self._primary()

    def _parenthesized(self) -> Expression:
        modes = self._in_print, self._in_for
        self._in_print = self._in_for = False
        inside = [self.expression()]
        while self.sees(","):
            self.take()
            inside.append(self.expression())
        self.expect(")")
        self._in_print, self._in_for = modes
        if len(inside) == 1:
            return value_of(inside[0])
        if not self.sees("in"):
            self.fail()
        return subscript(inside)

    def _variable(self, name: str) -> Expression:
        if name == "length":
            return lambda machine: float(len(machine.string(machine.field(0))))
        if not self.sees("["):
            return Target(lambda m: m.scalar(name), lambda m, value: m.assign(name, value), name)
        self.take()
        key = subscript(self._list("]"))

        def get(machine: Machine) -> Value:
            return machine.array(name).setdefault(machine.string(key(machine)), None)

        def set_(machine: Machine, value: Value) -> None:
            machine.array(name)[machine.string(key(machine))] = value

        return Target(get, set_)

    def _list(self, end: str) -> list[Expression]:
        """Parse expressions up to a closing bracket."""
        modes = self._in_print, self._in_for
        self._in_print = self._in_for = False
        items: list[Expression] = []
        self.skip_newlines()
        while not self.sees(end):
            items.append(self.expression())
            self.skip_newlines()
            if not self.sees(end):
                self.expect(",")
                self.skip_newlines()
        self.take()
        self._in_print, self._in_for = modes
        return items

    def _call(self, name: str) -> Expression:
        self.expect("(")
        args = self._list(")")
        special = SPECIAL.get(name)
        if special:
            return special(args)
        plain = functions.FUNCTIONS.get(name)
        if plain:
            return lambda machine: plain(machine, [arg(machine) for arg in args])
        return lambda machine: machine.call(name, args)
