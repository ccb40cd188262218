"""The number of the screen's state, which rises whenever what is seen may have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Changes:
    """Counts changes, and tells of each at once whoever keeps what was made of the screen."""

    def __init__(self) -> None:
        self._version = 1
        self._followers: list[Callable[[], object]] = []
        self.notice: Callable[[], object] = lambda: None  # what changes by time alone

    def follow(self, follower: Callable[[], object]) -> None:
        """Call back at every change."""
        self._followers.append(follower)

    def note(self) -> None:
        """Say that something changed, so that the screen is built anew."""
        self._version += 1
        for follower in self._followers:
            follower()

    @property
    def version(self) -> int:
        """The number of the present state."""
        self.notice()
        return self._version
