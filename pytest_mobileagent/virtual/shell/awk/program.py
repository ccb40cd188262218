"""What an awk program is made of, once it has been parsed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pytest_mobileagent.virtual.shell.awk.values import Value, number, truth

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.awk.machine import Machine
    from pytest_mobileagent.virtual.shell.awk.operations import Expression

Statement: TypeAlias = Callable[["Machine"], None]


class NextRecord(Exception):  # noqa: N818 - it is control flow
    """next."""


class ExitProgram(Exception):  # noqa: N818 - it is control flow
    """exit."""


class BreakLoop(Exception):  # noqa: N818 - it is control flow
    """break."""


class ContinueLoop(Exception):  # noqa: N818 - it is control flow
    """continue."""


class Return(Exception):  # noqa: N818 - it is control flow
    """return, with a value."""

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


LEAVING: dict[str, type[Exception]] = {
    "next": NextRecord,
    "break": BreakLoop,
    "continue": ContinueLoop,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """An action, and the condition or the range of records that it is for."""

    first: Expression
    last: Expression | None
    action: Statement


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the program's own."""

    parameters: list[str]
    body: Statement


@dataclass(slots=True)
class Program:
    """A parsed program."""

    begin: list[Statement] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    end: list[Statement] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)


def print_record(machine: Machine) -> None:
    """Print the record, as a condition without an action does."""
    machine.print(machine.string(machine.field(0)) + machine.string(machine.scalar("ORS")))


def ignore(_value: Value) -> None:
    """Forget the value of an expression that is a statement."""


def raising(kind: type[Exception]) -> Statement:
    """Return next, break or continue."""

    def run(_machine: Machine) -> None:
        raise kind

    return run


def exiting(value: Expression, *, given: bool) -> Statement:
    """Return exit."""

    def run(machine: Machine) -> None:
        if given:
            machine.status = int(number(value(machine))) & 0xFF
        raise ExitProgram

    return run


def returning(value: Expression) -> Statement:
    """Return return."""

    def run(machine: Machine) -> None:
        raise Return(value(machine))

    return run


def once(body: Statement, machine: Machine) -> None:
    """Execute a loop's body, which continue ends."""
    with suppress(ContinueLoop):
        body(machine)


def loop(start: Statement, condition: Expression, step: Statement, body: Statement) -> Statement:
    """Return a loop of three parts."""

    def run(machine: Machine) -> None:
        start(machine)
        try:
            while truth(condition(machine)):
                once(body, machine)
                step(machine)
        except BreakLoop:
            pass

    return run


def for_each(name: str, array: str, body: Statement) -> Statement:
    """Return a loop over the keys of an array."""

    def run(machine: Machine) -> None:
        try:
            for key in list(machine.array(array)):
                machine.assign(name, key)
                once(body, machine)
        except BreakLoop:
            pass

    return run
