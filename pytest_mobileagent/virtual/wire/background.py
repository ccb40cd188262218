"""Work that goes on in the background until it is done, or the phone ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine


class Tasks:
    """Holds running tasks, which the event loop itself would let the garbage collector take."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` from now on."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def cancel(self) -> None:
        """End all that still runs, without waiting for ever for one that will not."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=1)
