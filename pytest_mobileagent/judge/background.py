"""Work beside other work: judges wait for the network, and nobody has to wait for them."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def in_background(work: Callable[[], T]) -> Future[T]:
    """Begin some work in a thread of its own, which no end of the process waits for."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again where the result is asked for
            future.set_exception(error)

    threading.Thread(target=run, name="judge", daemon=True).start()
    return future
