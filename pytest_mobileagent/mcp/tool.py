"""What a tool is, apart from any protocol: its name, what it takes, and what it does."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.mcp.control import ToolError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from pytest_mobileagent.mcp.control import Control, Result

Kind = Literal["number", "string", "boolean"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool.

    `choices` are the strings that are allowed; `least` and `most` bound a number.
    """

    name: str
    kind: Kind
    about: str
    required: bool = True
    choices: tuple[str, ...] = ()
    least: float = -math.inf
    most: float = math.inf

    def schema(self) -> dict[str, Any]:
        """Return the argument's JSON schema."""
        schema: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.choices:
            schema["enum"] = list(self.choices)
        if self.least > -math.inf:
            schema["minimum"] = self.least
        if self.most < math.inf:
            schema["maximum"] = self.most
        return schema

    def read(self, value: Any) -> Any:
        """Return an argument converted for the tool; numbers and flags may arrive as strings.

        Raises:
            ToolError: the value is invalid.
        """
        read: Any = {"number": _number, "string": _string, "boolean": _flag}[self.kind](value)
        if read is None:
            msg = f"{self.name} has to be a {self.kind}, not {value!r:.100}"
            raise ToolError(msg)
        if self.choices and read not in self.choices:
            msg = f"{self.name} has to be one of {', '.join(self.choices)}, not {value!r:.100}"
            raise ToolError(msg)
        if self.kind == "number" and not self.least <= read <= self.most:
            msg = f"{self.name} has to be from {self.least:g} to {self.most:g}, not {read:g}"
            raise ToolError(msg)
        return read


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Any) -> bool | None:
    return {"true": True, "false": False}.get(str(value).lower())


DEVICE = Parameter(
    "device", "string", "May be left out: there is one phone, and it is meant.", required=False
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: `run` takes its arguments by their names.

    `looks` says whether it only looks, `destroys` whether it can destroy something.
    """

    name: str
    title: str
    about: str
    run: Callable[..., Awaitable[Result]]
    parameters: tuple[Parameter, ...] = ()
    looks: bool = False
    destroys: bool = False

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of all arguments."""
        return {
            "type": "object",
            "properties": {each.name: each.schema() for each in self.parameters},
            "required": [each.name for each in self.parameters if each.required],
        }

    async def call(self, control: Control, arguments: Mapping[str, Any]) -> Result:
        """Call the tool; arguments that it does not have, and those that are null, count as absent.

        Raises:
            ToolError: an argument is missing or wrong, or the call failed.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        missing = [p.name for p in self.parameters if p.required and p.name not in given]
        if missing:
            msg = f"{self.name} needs {' and '.join(missing)}: call it again with all arguments"
            raise ToolError(msg)
        read = {p.name: p.read(given[p.name]) for p in self.parameters if p.name in given}
        read.pop(DEVICE.name, None)
        return await self.run(control, **read)
