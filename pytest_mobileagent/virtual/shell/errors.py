"""What can end a script, or a part of it, before its last line.

ShellError            an expansion or an assignment that cannot be done
    ShellSyntaxError  a script that makes no sense
        IncompleteError   one that stops in the middle of something
RedirectError         a file that cannot be opened: only its command is not run
Unwinding             not an error: a command that leaves what runs it
    ExitShell         exit, and a failure under `set -e`
    LeaveFunction     return
    LeaveLoop         break and continue
"""

from __future__ import annotations


class ShellError(Exception):
    """A script cannot go on; the message is what mksh prints after its name."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class ShellSyntaxError(ShellError):
    """A script makes no sense from `line` on."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class IncompleteError(ShellSyntaxError):
    """A script stops in the middle of something: more lines could complete it."""


class RedirectError(Exception):
    """A redirection failed; the message is what mksh prints after its name."""


class Unwinding(Exception):  # noqa: N818 - it is control flow, not a defect
    """A command leaves what runs it, with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status & 0xFF


class ExitShell(Unwinding):
    """Leave the shell."""


class LeaveFunction(Unwinding):
    """Leave the function, or the file that is being sourced."""


class LeaveLoop(Unwinding):
    """Leave, or `again` begin, the loop that is `levels` up."""

    def __init__(self, levels: int, *, again: bool) -> None:
        super().__init__(0)
        self.levels = levels
        self.again = again
