"""Runs awk programs: records, fields, variables, and what is printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.awk.operations import Expression, Target
from pytest_mobileagent.virtual.shell.awk.program import NextRecord, Return
from pytest_mobileagent.virtual.shell.awk.values import (
    Array,
    Outside,
    Value,
    number,
    text,
    truth,
)
from pytest_mobileagent.virtual.shell.commands import Failure
from pytest_mobileagent.virtual.shell.regex import compiled

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.awk.program import Program

Scope = dict[str, "Value | Array"]


@dataclass(slots=True)
class Output:
    """What is printed to one place other than stdout: a file, or a command's input."""

    operator: str
    chunks: list[str] = field(default_factory=list)


class Machine:
    """A program's state."""

    def __init__(
        self, program: Program, variables: dict[str, str], environment: dict[str, str]
    ) -> None:
        self.program = program
        self.status = 0
        self.out: list[str] = []
        self.outputs: dict[str, Output] = {}
        self.seed = 0.0
        self.variables: Scope = {
            "NR": 0.0, "NF": 0.0, "FNR": 0.0, "FS": " ", "OFS": " ", "RS": "\n", "ORS": "\n",
            "SUBSEP": "\x1c", "CONVFMT": "%.6g", "OFMT": "%.6g", "RSTART": 0.0, "RLENGTH": -1.0,
            "FILENAME": None,
            "ENVIRON": {name: Outside(value) for name, value in environment.items()},
            **{name: Outside(value) for name, value in variables.items()},
        }  # fmt: skip
        self.scopes: list[Scope] = []  # of the functions that run
        self._record = ""
        self._fields: list[Value] | None = None
        self._in_range: set[int] = set()

    def begin(self) -> None:
        """Run the BEGIN blocks."""
        for action in self.program.begin:
            action(self)

    def end(self) -> None:
        """Run the END blocks."""
        for action in self.program.end:
            action(self)

    def process(self, record: str) -> None:
        """Run the program on a record."""
        self.set_record(record)
        for counter in ("NR", "FNR"):
            self.variables[counter] = number(self.scalar(counter)) + 1
        try:
            for at, rule in enumerate(self.program.rules):
                if self._applies(at, rule.first, rule.last):
                    rule.action(self)
        except NextRecord:
            pass

    def _applies(self, at: int, first: Expression, last: Expression | None) -> bool:
        """Whether a rule is for the current record; from `first` to `last` it is."""
        if last is None:
            return truth(first(self))
        if at not in self._in_range and not truth(first(self)):
            return False
        self._in_range.add(at)
        if truth(last(self)):
            self._in_range.discard(at)
        return True

    def call(self, name: str, args: list[Expression]) -> Value:
        """Call a function of the program; arrays are handed over as they are."""
        function = self.program.functions.get(name)
        if function is None:
            msg = f"calling undefined function {name}"
            raise Failure(msg, 2)
        values = [self._argument(arg) for arg in args]
        scope: Scope = dict.fromkeys(function.parameters)
        scope.update(zip(function.parameters, values, strict=False))
        self.scopes.append(scope)
        try:
            function.body(self)
        except Return as leaving:
            return leaving.value
        finally:
            self.scopes.pop()
        return None

    def _argument(self, arg: Expression) -> Value | Array:
        if isinstance(arg, Target) and arg.name:
            value = self.scope(arg.name).get(arg.name)
            if isinstance(value, dict):
                return value
        return arg(self)

    # Variables

    def scope(self, name: str) -> Scope:
        """Return where a variable lives: in the running function, or everywhere."""
        if self.scopes and name in self.scopes[-1]:
            return self.scopes[-1]
        return self.variables

    def scalar(self, name: str) -> Value:
        """Return a variable that is no array."""
        if name == "NF":
            return float(len(self.fields()))
        value = self.scope(name).get(name)
        return None if isinstance(value, dict) else value

    def assign(self, name: str, value: Value) -> None:
        """Set a variable."""
        if name == "NF":
            count = int(number(value))
            fields = self.fields()
            self._fields = [*fields[:count], *[""] * (count - len(fields))]
            self._rebuild()
        else:
            self.scope(name)[name] = value

    def array(self, name: str) -> Array:
        """Return an array, which comes into being when it is used."""
        scope = self.scope(name)
        value = scope.get(name)
        if not isinstance(value, dict):
            value = scope[name] = {}
        return value

    def string(self, value: Value) -> str:
        """Return a value as text."""
        return text(value, str(self.scalar("CONVFMT")))

    # Records and fields

    def set_record(self, record: str) -> None:
        """Make `record` the current one."""
        self._record, self._fields = record, None

    def fields(self) -> list[Value]:
        """Return the fields of the record."""
        if self._fields is None:
            self._fields = [*self.split(self._record, self.string(self.scalar("FS")))]
        return self._fields

    def split(self, record: str, separator: str) -> list[Outside]:
        """Cut text at a separator: blanks, a character, or a regular expression."""
        if separator == " ":
            parts: list[str] = record.split()
        elif not record:
            parts = []
        elif len(separator) == 1 and separator != "|" and separator not in "\\^$.[]?*+()":
            parts = record.split(separator)
        else:
            pattern = re.escape(separator) if len(separator) == 1 else separator
            parts = re.split(compiled(pattern, extended=True).pattern, record)
        return [Outside(part) for part in parts]

    def field(self, at: int) -> Value:
        """Return $at."""
        if at == 0:
            return Outside(self._record)
        fields = self.fields()
        return fields[at - 1] if at <= len(fields) else None

    def set_field(self, at: int, value: Value) -> None:
        """Assign to $at, which makes the record anew."""
        if at == 0:
            self.set_record(self.string(value))
            return
        fields = self.fields()
        fields += [""] * (at - len(fields))
        fields[at - 1] = value
        self._rebuild()

    def _rebuild(self) -> None:
        between = self.string(self.scalar("OFS"))
        self._record = between.join(self.string(value) for value in self.fields())

    # Output

    def print(self, data: str, operator: str = "", goal: str = "") -> None:
        """Print to stdout, or to what `operator` and `goal` say."""
        if not operator:
            self.out.append(data)
        else:
            self.outputs.setdefault(goal, Output(operator)).chunks.append(data)
