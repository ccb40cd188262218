"""What may be wrong with an APK."""

from __future__ import annotations


class BadApk(ValueError):  # noqa: N818 - says what is wrong, not that something is
    """An APK that Android would refuse: the name of its error, and what it says about it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
