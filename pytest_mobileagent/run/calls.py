"""The model calls of a session: what they cost, and the time that busy providers take from it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pytest_mobileagent.episode.exchanges import CallReader
from pytest_mobileagent.llm.limits import WHOLE_REPLY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.llm.models import ModelSettings


class SessionCalls:
    """The calls of the episode in a folder, as far as they have been made.

    They are read from the record, because the agent's process makes them.
    """

    def __init__(self, folder: Path, settings: ModelSettings) -> None:
        self._prices, self._spending = settings.prices, settings.spending()
        self._calls, self._waits = CallReader(folder), CallReader(folder)
        self._lost = 0.0  # seconds of the current wait that have been counted already
        self._owed: tuple[int | None, float] | None = None  # the call at the limit, and since when

    def take(self, reported: Sequence[ModelCall] = ()) -> tuple[ModelCall, ...]:
        """Return the calls behind a decision: those of metered models, and those `reported`.

        Reported calls without a cost get one from the price of their model.
        """
        metered = self._calls.new()
        priced = [self._prices.priced(call) for call in reported]
        for call in metered:
            self._spending.note(call)
        for call in priced:
            self._spending.pay(call)
        return (*metered, *priced)

    def over(self) -> str:
        """Return a message about the budget that is spent; empty if none is.

        Raises:
            HostError: if it cannot be found out what the run has spent.
        """
        return self._spending.over()

    def seconds_lost(self) -> float:
        """Return the seconds lost to busy providers since this was last called."""
        lost = sum(call.waited or 0.0 for call in self._waits.new()) - self._lost
        since = self._waits.busy_since
        self._lost = 0.0 if since is None else max(0.0, time.monotonic() - since)
        if lost + self._lost > 0:
            self._owed = None
        return max(0.0, lost + self._lost)

    def awaits_provider(self) -> bool:
        """Return whether a provider still owes the answer that it owed at the time limit.

        Only when it answers, or exceeds a limit of replies, is it known whose time has run out.
        """
        asking, now = self._waits.asking, time.monotonic()
        self._owed = self._owed or (asking, now)
        call, since = self._owed
        return asking is not None and asking == call and now - since < WHOLE_REPLY_SECONDS

    def rest(self) -> tuple[ModelCall, ...]:
        """Return the calls that no decision has followed; a call that was killed is no longer on.

        These have been counted by the run, and the episode is over.
        """
        self._waits.close()
        return self._calls.new()
