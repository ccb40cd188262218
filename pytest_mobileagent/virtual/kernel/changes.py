"""The version of the screen's state, which increases whenever the screen may have changed."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Changes:
    """Counts changes, and notifies the services that cache what they derive from the screen."""

    def __init__(self) -> None:
        self._version = 1
        self._last = 0.0  # when something changed, by the computer's monotonic clock
        self._followers: list[Callable[[], object]] = []
        self.notice: Callable[[], object] = lambda: None  # checks for changes by time alone

    def follow(self, follower: Callable[[], object]) -> None:
        """Call `follower` at every change."""
        self._followers.append(follower)

    def note(self) -> None:
        """Record a change, so that the screen is rebuilt."""
        self._version += 1
        self._last = time.monotonic()
        for follower in self._followers:
            follower()

    @contextmanager
    def unnoticed(self) -> Iterator[None]:
        """Check for no changes by time alone within the context."""
        notice, self.notice = self.notice, lambda: None
        try:
            yield
        finally:
            self.notice = notice

    def quiet(self) -> float:
        """Return for how many seconds nothing has changed."""
        self.notice()
        return time.monotonic() - self._last

    @property
    def version(self) -> int:
        """The number of the current state."""
        self.notice()
        return self._version
