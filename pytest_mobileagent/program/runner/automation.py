"""Android's UiAutomation, which one at a time can have: the program's tools, or we who look."""

from __future__ import annotations

import threading
import time

_DUMP_SECONDS = 15.0  # that a look waits for a dump of the program's to end
_SERVER_SECONDS = 1.0  # that an automation server takes until it is connected


class Automation:
    """Whether the program is about to use it; any thread may say so, or wait."""

    def __init__(self) -> None:
        self._dumps = 0
        self._changed = threading.Condition()
        self._quiet_until = 0.0

    def dump_begins(self) -> None:
        """Note that the program dumps a view hierarchy."""
        with self._changed:
            self._dumps += 1

    def dump_ended(self) -> None:
        """Note that it has done so."""
        with self._changed:
            self._dumps -= 1
            self._changed.notify_all()

    def server_starts(self) -> None:
        """Note that it starts a server, which keeps UiAutomation: it gets time to take hold."""
        self._quiet_until = time.monotonic() + _SERVER_SECONDS

    def wait_until_free(self) -> None:
        """Wait until a look takes nothing from the program, but not for ever."""
        time.sleep(max(0.0, self._quiet_until - time.monotonic()))
        with self._changed:
            self._changed.wait_for(lambda: not self._dumps, _DUMP_SECONDS)
