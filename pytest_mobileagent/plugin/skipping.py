"""Tasks that the plugin skips: why, in words and, for reports, in one word."""

from __future__ import annotations

from typing import Literal

from _pytest import outcomes  # for what pytest.skip raises

from pytest_mobileagent.plain import printable

Why = Literal["app", "listener", "solution", "language", "record", "device"]
_AUTHOR = "test"


class Skipped(outcomes.Skipped):
    """A skip of the plugin's: raised, it skips the test as pytest.skip does.

    - `why`: what is missing. app: on the device; listener: there, for events; solution: for the
      agent that plays it; language: the device speaks another than the solution; record: of the
      episode, in the run that is scored again; device: a run that is scored again has none.
    """

    __module__ = "builtins"  # as pytest's own is shown, whose name it has

    def __init__(self, why: Why, reason: str) -> None:
        super().__init__(printable(reason))
        self.why = why


def skipped_for(raised: BaseException | None) -> str:
    """Return the one word for what skipped a test: "test" where that is the test's own doing."""
    return raised.why if isinstance(raised, Skipped) else _AUTHOR
