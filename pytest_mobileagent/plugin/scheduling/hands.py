"""What a worker of pytest-xdist has been given and has not done yet."""

from __future__ import annotations


class Hand:
    """The tests that a worker has in hand, by their numbers; it runs the first.

    A worker starts a test when it knows the next one. Where that is not known yet, a test that the
    worker was given before stands for it: a pause, at which it runs nothing (see pauses.py).
    """

    def __init__(self) -> None:
        self._entries: list[int] = []  # a pause is the complement of the number that stands for it

    @property
    def tests(self) -> list[int]:
        """The tests, without pauses."""
        return [entry for entry in self._entries if entry >= 0]

    @property
    def running(self) -> int | None:
        """The test that the worker is running; None at a pause, or if there is none."""
        first = self._entries[0] if self._entries else -1
        return first if first >= 0 else None

    def add(self, test: int) -> None:
        """Add a test."""
        self._entries.append(test)

    def add_pause(self) -> list[int]:
        """Add a pause if the last test needs one, and return what stands for it."""
        if not self._entries or self._entries[-1] < 0:
            return []
        last = self._entries[-1]
        self._entries.append(~last)
        return [last]

    def remove(self, number: int) -> bool:
        """Take out what is done; return whether it was a test, and no pause."""
        is_test = self._entries[0] != ~number
        self._entries.remove(number if is_test else ~number)
        return is_test
