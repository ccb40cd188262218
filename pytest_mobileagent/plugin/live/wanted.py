"""Whether a run's live lines have a place to be."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def is_wanted(config: pytest.Config) -> bool:
    """Whether there is a terminal that the lines can be on, and nobody else writes on it."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    file = getattr(getattr(reporter, "_tw", None), "_file", None)
    if file is None or not file.isatty() or sys.platform == "win32":
        return False
    if os.environ.get("TERM", "dumb") in {"dumb", "unknown"}:
        return False
    if os.environ.get("CI") or os.environ.get("BUILD_NUMBER"):
        return False
    captures = config.option.capture in {"fd", "sys"}  # else tests write between the lines
    return captures and config.option.verbose >= 0
