"""Waiting until there is something to read."""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike


def is_readable(stream: FileDescriptorLike, seconds: float) -> bool:
    """Return whether within some seconds there is something to read, or the end of it.

    Whatever number the stream has: `select.select` knows none from 1024 on.
    """
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    return bool(poll.poll(max(0.0, seconds) * 1000))
