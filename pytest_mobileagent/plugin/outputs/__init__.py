"""What a run says: on the terminal, in the files of its report, and in other plugins' reports."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def say(config: pytest.Config, line: str) -> None:
    """Write a line below whatever pytest has written, such as unfinished dots."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None:
        sys.stderr.write(f"{line}\n")
        return
    if config.get_terminal_writer().width_of_current_line:
        terminal.line("")
    terminal.write_line(line)
