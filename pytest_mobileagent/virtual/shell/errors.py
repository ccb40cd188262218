"""The exceptions that end a script, or a part of it, early.

ShellError            an expansion or an assignment failed
    ShellSyntaxError  a script is invalid
        IncompleteError   a script ends in the middle of a construct
RedirectError         a file cannot be opened: only its command is not run
Unwinding             not an error: a command leaves what runs it
    ExitShell         exit, and a failure under `set -e`
    LeaveFunction     return
    LeaveLoop         break and continue
"""

from __future__ import annotations


class ShellError(Exception):
    """A script cannot continue; the message is what mksh prints after its name."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class ShellSyntaxError(ShellError):
    """A script is invalid from `line` on."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


class IncompleteError(ShellSyntaxError):
    """A script ends in the middle of a construct, which further lines could complete."""


class RedirectError(Exception):
    """A redirection failed; the message is what mksh prints after its name."""


class Unwinding(Exception):
    """A command leaves what runs it, with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status & 0xFF


class ExitShell(Unwinding):
    """Leave the shell."""


class LeaveFunction(Unwinding):
    """Leave the function, or the file that is being sourced."""


class LeaveLoop(Unwinding):
    """Leave the loop that is `levels` up or, if `again`, continue with its next iteration."""

    def __init__(self, levels: int, *, again: bool) -> None:
        super().__init__(0)
        self.levels = levels
        self.again = again
