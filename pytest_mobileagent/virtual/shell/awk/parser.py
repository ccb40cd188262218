"""Turns awk programs into functions of the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.awk.expressions import ExpressionParser
from pytest_mobileagent.virtual.shell.awk.functions import formatted
from pytest_mobileagent.virtual.shell.awk.program import (
    LEAVING,
    BreakLoop,
    Function,
    Program,
    Rule,
    Statement,
    exiting,
    for_each,
    ignore,
    loop,
    once,
    print_record,
    raising,
    returning,
)
from pytest_mobileagent.virtual.shell.awk.values import text, truth

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.virtual.shell.awk.machine import Machine
    from pytest_mobileagent.virtual.shell.awk.operations import Expression


def parsed(source: str) -> Program:
    """Parse a program."""
    return _Parser(source).program()


class _Parser(ExpressionParser):
    def program(self) -> Program:
        program = Program()
        self._skip_ends()
        while self.peek().kind != "end":
            self._item(program)
            self._skip_ends()
        return program

    def _item(self, program: Program) -> None:
        if self.sees("BEGIN", "END"):
            blocks = program.begin if self.take().text == "BEGIN" else program.end
            blocks.append(self._block())
        elif self.sees("function", "func"):
            self.take()
            name = self.take().text
            program.functions[name] = Function(self._parameters(), self._block())
        else:
            program.rules.append(self._rule())

    def _parameters(self) -> list[str]:
        self.expect("(")
        names: list[str] = []
        while not self.sees(")"):
            names.append(self.take().text)
            if self.sees(","):
                self.take()
        self.take()
        self.skip_newlines()
        return names

    def _rule(self) -> Rule:
        first: Expression = lambda _: 1.0  # noqa: E731
        last = None
        if not self.sees("{"):
            first = self.expression()
            if self.sees(","):
                self.take()
                self.skip_newlines()
                last = self.expression()
        return Rule(first, last, self._block() if self.sees("{") else print_record)

    def _skip_ends(self) -> None:
        while self.sees("\n", ";"):
            self.take()

    # Statements

    def _block(self) -> Statement:
        self.expect("{")
        statements: list[Statement] = []
        self._skip_ends()
        while not self.sees("}"):
            statements.append(self._statement())
            self._skip_ends()
        self.take()

        def run(machine: Machine) -> None:
            for statement in statements:
                statement(machine)

        return run

    def _statement(self) -> Statement:
        if self.sees("{"):
            return self._block()
        compound: dict[str, Callable[[], Statement]] = {
            "if": self._if,
            "while": self._while,
            "do": self._do,
            "for": self._for,
        }
        if self.peek().kind == "word" and self.peek().text in compound:
            return compound[self.take().text]()
        statement = self._simple()
        if not self.sees(";", "\n", "}") and self.peek().kind != "end":
            self.fail()
        if self.sees(";"):
            self.take()
        return statement

    def _body(self) -> Statement:
        self.skip_newlines()
        if self.sees(";"):
            self.take()
            return lambda _: None
        return self._statement()

    def _condition(self) -> Expression:
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        return condition

    def _if(self) -> Statement:
        condition, body = self._condition(), self._body()
        at = self._at
        self._skip_ends()
        otherwise = None
        if self.sees("else"):
            self.take()
            otherwise = self._body()
        else:
            self._at = at

        def run(machine: Machine) -> None:
            if truth(condition(machine)):
                body(machine)
            elif otherwise:
                otherwise(machine)

        return run

    def _while(self) -> Statement:
        condition = self._condition()
        return loop(lambda _: None, condition, lambda _: None, self._body())

    def _do(self) -> Statement:
        body = self._body()
        self._skip_ends()
        self.expect("while")
        further = loop(lambda _: None, self._condition(), lambda _: None, body)

        def run(machine: Machine) -> None:
            try:
                once(body, machine)
            except BreakLoop:
                return
            further(machine)

        return run

    def _for(self) -> Statement:
        self.expect("(")
        if self.peek().kind == "name" and self.peek(1).text == "in" and self.peek(3).text == ")":
            name, _, array, _ = (self.take().text for _ in range(4))
            return for_each(name, array, self._body())
        self._in_for = True
        start = self._optional(";")
        self._in_for = False
        condition = (lambda _: 1.0) if self.sees(";") else self.expression()
        self.expect(";")
        self.skip_newlines()
        step = self._optional(")")
        return loop(start, condition, step, self._body())

    def _optional(self, end: str) -> Statement:
        statement: Statement = (lambda _: None) if self.sees(end) else self._simple()
        self.expect(end)
        self.skip_newlines()
        return statement

    def _simple(self) -> Statement:
        if self.peek().kind != "word":
            expression = self.expression()
            return lambda machine: ignore(expression(machine))
        if self.sees("print", "printf"):
            return self._print(self.take().text)
        if self.sees(*LEAVING):
            return raising(LEAVING[self.take().text])
        if self.sees("exit", "return"):
            word = self.take().text
            ends = self.sees(";", "\n", "}")
            value = (lambda _: None) if ends else self.expression()
            return exiting(value, given=not ends) if word == "exit" else returning(value)
        self.expect("delete")
        return self._delete()

    def _delete(self) -> Statement:
        name = self.take().text
        if not self.sees("["):
            return lambda machine: machine.array(name).clear()
        self.take()
        keys = self._list("]")

        def run(machine: Machine) -> None:
            separator = machine.string(machine.scalar("SUBSEP"))
            machine.array(name).pop(
                separator.join(machine.string(key(machine)) for key in keys), None
            )

        return run

    def _print(self, word: str) -> Statement:
        self._in_print = True
        args = self._printed()
        operator, goal = "", None
        if self.sees(">", ">>", "|"):
            operator = self.take().text
            if operator == ">" and self.sees(">"):
                self.take()
                operator = ">>"
            goal = self._concatenation()
        self._in_print = False

        def run(machine: Machine) -> None:
            values = [arg(machine) for arg in args] or [machine.field(0)]
            if word == "printf":
                data = formatted(machine, values)
            else:
                form = str(machine.scalar("OFMT"))
                between, end = (machine.string(machine.scalar(name)) for name in ("OFS", "ORS"))
                data = between.join(text(value, form) for value in values) + end
            machine.print(data, operator, machine.string(goal(machine)) if goal else "")

        return run

    def _printed(self) -> list[Expression]:
        """Parse what is printed, which may stand between parentheses."""
        ends = (";", "\n", "}", ">", "|")
        if self.sees(*ends) or self.peek().kind == "end":
            return []
        if self.sees("("):
            at = self._at
            self.take()
            args = self._list(")")
            if self.sees(*ends) or self.peek().kind == "end":
                return args
            self._at = at
        args = [self.expression()]
        while self.sees(","):
            self.take()
            self.skip_newlines()
            args.append(self.expression())
        return args
