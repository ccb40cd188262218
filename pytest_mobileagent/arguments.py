"""Parses the arguments of this package's commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import PurePath
from typing import TYPE_CHECKING

from pytest_mobileagent.jsonable import printable, whole_number

if TYPE_CHECKING:
    from typing import NoReturn


def program_name(command: str = "") -> str:
    """Return the name under which the user called this program, followed by the command.

    The script `mobileagent` may not be on the PATH if the call was `python -m pytest_mobileagent`.
    """
    is_script = PurePath(sys.argv[0]).stem == "mobileagent"  # `mobileagent.exe` on Windows
    program = "mobileagent" if is_script else "python -m pytest_mobileagent"
    return f"{program} {command}".rstrip()


_LAST_PORT = 65_535
BAD_INPUT = 4  # the status with which pytest exits after a usage error


def bad_input(error: Exception) -> int:
    """Print an error about the input on one line, and return the exit status for it."""
    print(f"ERROR: {printable(' '.join(str(error).split()))}", file=sys.stderr)
    return BAD_INPUT


def failed(error: Exception, status: int = 1) -> int:
    """Print an error that ends a command, and return the exit status."""
    sys.stderr.write(f"error: {printable(str(error))}\n")
    return status


def positive(text: str) -> int:
    """Return the value of an option that is a whole number of at least 1.

    Raises:
        argparse.ArgumentTypeError: if it is not.
    """
    if number := whole_number(text):
        return number
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")


def port(text: str) -> int:
    """Return the value of an option that is a port; 0 is one that is free.

    Raises:
        argparse.ArgumentTypeError: if it is not.
    """
    number = whole_number(text)
    if number is None or not 0 <= number <= _LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, a number from 0 to {_LAST_PORT}")
    return number


def report_progress(done: int, of: int, what: str) -> None:
    """Print progress on standard error: in one line on a terminal, otherwise every 50 `what`."""
    is_terminal = sys.stderr.isatty()
    if is_terminal or done == of or done % 50 == 0:
        begin, end = "\r" * is_terminal, "" if is_terminal and done < of else "\n"
        print(f"{begin}{done} of {of} {what}", end=end, file=sys.stderr, flush=True)


class Parser(argparse.ArgumentParser):
    """An argument parser that escapes control characters when its errors quote arguments."""

    def error(self, message: str) -> NoReturn:
        """Print the usage and the error, and exit with status 2."""
        super().error(printable(message))
