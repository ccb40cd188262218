"""Lines below what pytest writes, which are gone when it goes on writing."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, TextIO

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Sequence

_ERASE = "\x1b[J"  # from where pytest has stopped writing to the end of the screen
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor, which would jump


class Below:
    """Draws lines below the place where pytest has stopped writing, and puts the cursor back there.

    It takes the place of the file of pytest's terminal writer: whatever pytest writes erases the
    lines first. `terminal` is the same terminal by a way of our own: while a test runs, pytest's
    leads to what the test has printed.
    """

    def __init__(self, writer: Any, terminal: TextIO) -> None:
        self._writer, self._terminal = writer, terminal
        self._file = writer._file  # noqa: SLF001 - pytest offers no other way
        self._lock = threading.RLock()
        self._is_drawn = False

    def start(self) -> None:
        """Come between pytest and its terminal."""
        self._writer._file = self  # noqa: SLF001

    def stop(self) -> None:
        """Erase the lines, and be gone."""
        with self._lock:
            if self._writer._file is self:  # noqa: SLF001
                self._writer._file = self._file  # noqa: SLF001
            self._erase()

    def write(self, text: str) -> int:
        """Write for pytest."""
        with self._lock:
            self._erase()
            written = int(self._file.write(text))
            self._file.flush()  # the lines begin where it ends
            return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    @property
    def size(self) -> os.terminal_size:
        """Columns and rows of the terminal, which is not stdout where tests are captured."""
        return os.get_terminal_size(self._terminal.fileno())

    def draw(self, lines: Sequence[str]) -> None:
        """Draw lines in place of those that are drawn; none may be wider than the terminal."""
        with self._lock:
            if self._writer._file is not self:  # noqa: SLF001
                return
            at = _column(self._writer, self.size.columns)
            block = "".join(f"\r\n{line}" for line in lines)
            back = f"\x1b[{len(lines)}A\r" + (f"\x1b[{at}C" if at else "") if lines else ""
            begin = _ERASE if self._is_drawn else ""
            self._terminal.write(f"{_HIDE}{begin}{block}{back}{_SHOW}")
            self._terminal.flush()
            self._is_drawn = bool(lines)

    def _erase(self) -> None:
        if self._is_drawn:
            self._terminal.write(_ERASE)
            self._terminal.flush()
            self._is_drawn = False


def _column(writer: Any, columns: int) -> int:
    """Return how many columns pytest has written of its line on a terminal of so many."""
    line = str(writer._current_line).rpartition("\r")[2]  # noqa: SLF001 - its property counts "\r"
    return int(cell_len(line)) % max(1, columns)
