"""Parsing the arguments of this package's commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING

from pytest_mobileagent.jsonable import printable

if TYPE_CHECKING:
    from typing import NoReturn


def program_name(command: str = "") -> str:
    """Return how the user called this program, followed by the command.

    A usage text has to name what works for the user: the script `mobileagent` may not be on the
    PATH if the call was `python -m pytest_mobileagent`.
    """
    is_script = PurePath(sys.argv[0]).stem == "mobileagent"  # `mobileagent.exe` on Windows
    program = "mobileagent" if is_script else "python -m pytest_mobileagent"
    return f"{program} {command}".rstrip()


BAD_INPUT = 4  # the status with which pytest ends where options are wrong


def bad_input(error: Exception) -> int:
    """Say in one line what is wrong with what was given, and return the exit status for that."""
    print(f"ERROR: {printable(' '.join(str(error).split()))}", file=sys.stderr)
    return BAD_INPUT


class Parser(argparse.ArgumentParser):
    """A parser whose errors do not print escape sequences in arguments."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        super().error(printable(message))
