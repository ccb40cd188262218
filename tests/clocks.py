"""Clocks for tests of limits, which need no waiting."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.llm import clients

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


class Clock:
    """A clock that is advanced by slow functions."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead

    def slow(self, function: Callable[..., Any], seconds: float) -> Callable[..., Any]:
        def slower(*arguments: Any, **named: Any) -> Any:
            self.ahead += seconds
            return function(*arguments, **named)

        return slower


def jumping_clock(monkeypatch: pytest.MonkeyPatch, seconds: float = 50.0) -> None:
    """Let the clock of a reply's limits go on only when a piece of the reply has arrived."""
    ahead = [0.0]
    received = clients.ReplyWatch.received

    def arrived(watch: clients.ReplyWatch, data: bytes) -> None:
        received(watch, data)
        ahead[0] += seconds

    monkeypatch.setattr(clients.ReplyWatch, "received", arrived)
    now = clients.monotonic
    monkeypatch.setattr(clients, "monotonic", lambda: now() + ahead[0])
