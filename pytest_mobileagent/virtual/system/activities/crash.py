"""What happens when an app's own code fails: Android's report in the log."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.log import Log

logger = logging.getLogger(__name__)


def report(log: Log, package: str, pid: int, error: Exception) -> None:
    """Write a crash to the phone's log, and to the host's for the author of the app."""
    logger.error("%s crashed", package, exc_info=error)
    lines = ["FATAL EXCEPTION: main", f"Process: {package}, PID: {pid}"]
    lines += "".join(traceback.format_exception(error)).splitlines()
    for line in lines:
        log.write("E", "AndroidRuntime", line, pid=pid, buffer="crash")
