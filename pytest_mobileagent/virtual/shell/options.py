"""Parses a command's options, and fails as toybox does."""

from __future__ import annotations

import getopt
import re
from dataclasses import dataclass

from pytest_mobileagent.virtual.shell.commands import UsageError, number

_OPTIONAL_VALUE = re.compile("(?<=^--color)=.*")


@dataclass(slots=True)
class Options:
    """The options of a command, and the remaining words."""

    given: list[tuple[str, str]]  # in order, with their values
    rest: list[str]

    def __contains__(self, option: str) -> bool:
        return any(name == option for name, _ in self.given)

    def all(self, option: str) -> list[str]:
        """Return all values of an option."""
        return [value for name, value in self.given if name == option]

    def get(self, option: str, default: str = "") -> str:
        """Return the last value of an option."""
        return [default, *self.all(option)][-1]

    def number(self, option: str, default: int) -> int:
        """Return the last value of an option, which must be a number; 4k is 4096."""
        return size(self.get(option)) if option in self else default


def parse(
    args: list[str],
    spec: str,
    long: dict[str, str] | None = None,
    *,
    least: int = 0,
    most: int | None = None,
    stop: bool = False,
) -> Options:
    """Parse `args`; `spec` lists the letters, each with a colon if it takes a value.

    `long` maps long options to letters. With `stop`, the first word that is not an option ends the
    options. `least` and `most` limit the number of remaining words.
    """
    long = long or {}
    names = [f"{name}=" if f"{letter}:" in spec else name for name, letter in long.items()]
    words = [_OPTIONAL_VALUE.sub("", word) for word in args]
    try:
        found, rest = (getopt.getopt if stop else getopt.gnu_getopt)(words, spec, names)
    except getopt.GetoptError as error:
        option = error.opt if len(error.opt) == 1 else f"--{error.opt}"
        if error.opt in {*spec, *long}:
            raise UsageError(f"Missing argument to -{option.lstrip('-')}") from None
        raise UsageError(f"Unknown option '{option}'") from None
    if len(rest) < least:
        raise UsageError(f"Needs {least} argument{'s' if least > 1 else ''}")
    if most is not None and len(rest) > most:
        raise UsageError(f"Max {most} argument{'s' if most > 1 else ''}")
    given = [(name.lstrip("-"), value) for name, value in found]
    return Options([(long.get(name, name), value) for name, value in given], rest)


def size(text: str) -> int:
    """Return the number of bytes that `text` spells: a number with an optional unit."""
    units = {"k": 2**10, "m": 2**20, "g": 2**30, "b": 512}
    if text[-1:].lower() in units and text[:2].lower() != "0x":
        return number(text[:-1]) * units[text[-1].lower()]
    return number(text)
