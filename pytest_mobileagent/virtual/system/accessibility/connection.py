"""UiAutomation: the one connection to accessibility that the system gives to test tools."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class AlreadyRegistered(Exception):  # noqa: N818 - Android's words
    """Another tool has the connection."""


class UiAutomation:
    """Who is connected: at most one at a time."""

    def __init__(self) -> None:
        self.owner: str | None = None  # the package, or the program
        self.suppresses = False  # accessibility services are told nothing meanwhile

    @contextmanager
    def connect(self, owner: str, *, suppress: bool = False) -> Iterator[None]:
        """Be connected, and `suppress` accessibility services; AlreadyRegistered if another is."""
        if self.owner is not None:
            raise AlreadyRegistered(self.owner)
        self.owner, self.suppresses = owner, suppress
        try:
            yield
        finally:
            self.owner, self.suppresses = None, False
