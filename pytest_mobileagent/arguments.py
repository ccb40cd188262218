"""Command lines of this package's own commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING

from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from typing import NoReturn


def program_name(command: str = "") -> str:
    """Return the words with which the user called this program, and the command behind them.

    A usage text has to name what works: the script `mobileagent` may not be on the PATH of a user
    who wrote `python -m pytest_mobileagent`.
    """
    is_script = PurePath(sys.argv[0]).stem == "mobileagent"  # `mobileagent.exe` on Windows
    program = "mobileagent" if is_script else "python -m pytest_mobileagent"
    return f"{program} {command}".rstrip()


class Parser(argparse.ArgumentParser):
    """A parser whose errors send no escape sequence of an argument on to the terminal."""

    def error(self, message: str) -> NoReturn:
        """Print how the command is used, and what is wrong; end with status 2."""
        super().error(printable(message))
