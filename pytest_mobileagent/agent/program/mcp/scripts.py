"""Shell scripts that tools have the phone run, where no action says what they do."""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import System

# `am` and `pm` may end with status 0 when they fail, and only say so.
_FAILED = re.compile(r"^(Error|Failure)\b", re.MULTILINE)


def run_script(system: System, script: str) -> str:
    """Run a script, and return what it wrote if it failed; empty if it did not.

    Raises:
        DeviceError: the phone does not answer.
    """
    marker = secrets.token_hex(8)
    written = system.shell(f"( {script}\n) 2>&1; echo {marker} $?")
    text, _, status = written.rpartition(marker)
    if status.strip() == "0" and not _FAILED.search(text):
        return ""
    return text.strip() or "it failed"
