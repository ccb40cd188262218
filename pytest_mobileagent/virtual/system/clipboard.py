"""The clipboard: one text."""

from __future__ import annotations


class Clipboard:
    """Holds what was last copied."""

    def __init__(self) -> None:
        self.text = ""

    def save(self) -> str:
        """Give the text."""
        return self.text

    def load(self, saved: str) -> None:
        """Take the text back."""
        self.text = saved
