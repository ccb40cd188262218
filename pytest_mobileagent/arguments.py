"""Command lines of this package's own commands."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_mobileagent.plain import printable

if TYPE_CHECKING:
    from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """A parser whose errors send no escape sequence of an argument on to the terminal."""

    def error(self, message: str) -> NoReturn:
        """Print how the command is used, and what is wrong; end with status 2."""
        super().error(printable(message))
