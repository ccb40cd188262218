"""A command on its way to the phone, and its line of the raw log when it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.program.adb.log import RawLog
    from pytest_mobileagent.program.watching import Command, Passage, Watcher


class Passing:
    """A command that was sent on the stream to a service, from when it is asked for."""

    def __init__(self, log: RawLog, service: str, command: Command) -> None:
        self.refused = ""
        self._log = log
        self._service = service
        self._command = command
        self._at = log.now()
        self._passage: Passage | None = None
        self._ended = False

    async def ask(self, watcher: Watcher) -> None:
        """Wait until the command may pass, or is `refused`."""
        try:
            self._passage = await watcher.command(self._command)
        except BaseException:
            self.end("it was cut off while it waited")
            raise
        self.refused = self._passage.refused or self._command.refused
        if self.refused:
            self.end()

    def end(self, error: str = "") -> None:
        """Say that it has ended, unless that was said."""
        if self._ended:
            return
        self._ended = True
        if self._passage is not None and not self.refused:
            self._passage.done(error)
        self._log.write(self._at, self._service, self._command, refused=self.refused, error=error)
