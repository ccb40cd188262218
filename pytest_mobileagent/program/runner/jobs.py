"""Jobs for the thread that drives a session, from the recorders' event loop in another thread."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")


class Jobs:
    """A queue of jobs, which one thread does in the order in which they were asked for."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()

    async def ask(self, job: Callable[[], T]) -> T:
        """Have a job done, and return its result; what it raises is raised here, too."""
        return await asyncio.wrap_future(self.tell(job))

    def tell(self, job: Callable[[], T]) -> Future[T]:
        """Have a job done some time."""
        future: Future[T] = Future()
        self._queue.put((job, future))
        return future

    def do_next(self, seconds: float) -> bool:
        """Do the next job, if there is one within `seconds`; return whether there was.

        Raises:
            BaseException: whatever the job raises, after whoever asked for it was told. What ends
                the run, such as Ctrl-C, is an OSError there: it would end the event loop.
        """
        try:
            job, future = self._queue.get(timeout=max(0.0, seconds))
        except queue.Empty:
            return False
        if not future.set_running_or_notify_cancel():
            return True
        try:
            future.set_result(job())
        except Exception as error:
            future.set_exception(error)
            raise
        except BaseException as error:
            future.set_exception(ConnectionAbortedError(f"the run ends: {error!r}"))
            raise
        return True

    def cancel(self) -> None:
        """Do none of the jobs that are left."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._queue.get_nowait()[1].cancel()


class LoopThread:
    """An event loop in a thread of its own, for as long as it is entered."""

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="recorders", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Have a coroutine run in the loop, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


async def _cancel_all() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()
