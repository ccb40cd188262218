"""The phone's adb daemon: all clients with a known key get the same phone, as the same user."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.kernel.users import ROOT, SHELL
from pytest_mobileagent.virtual.wire.adb.keys import known_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path

    from pytest_mobileagent.virtual.phone import Phone


# Without abb, sendrecv_v2 and delayed_ack, clients fall back to simpler, older methods.
FEATURES = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"
_ROOT_PROPERTY = "service.adb.root"


class Adbd:
    """The state that all connections share: the phone, the user, and the phone's listening sockets.

    `keys` are the locations of accepted keys, in the format of `known_keys`.
    """

    def __init__(self, phone: Phone, tasks: Tasks, keys: Sequence[Path]) -> None:
        self.phone = phone
        self.tasks = tasks
        self.listeners = phone.sockets
        self._keys = keys
        phone.faults.drop = self.drop
        phone.init.on_reboot.append(self.drop)
        self.connections: set[Callable[[], None]] = set()  # functions that end the connections

    @property
    def uid(self) -> int:
        """The user that runs commands and accesses files."""
        return ROOT if self.phone.props.get(_ROOT_PROPERTY) == "1" else SHELL

    def become(self, *, root: bool) -> None:
        """Switch to root or to shell."""
        self.phone.props.set(_ROOT_PROPERTY, "1" if root else "0")

    def knows(self, signature: bytes, token: bytes) -> bool:
        """Return whether a token has been signed with one of the accepted keys."""
        return any(key.verifies(signature, token) for key in known_keys(self._keys))

    def banner(self) -> bytes:
        """Return the device's banner: what it is, and its features."""
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        about = "".join(f"{name}={self.phone.props.get(name, '')};" for name in names)
        return f"device::{about}features={FEATURES}".encode()

    def drop(self) -> None:
        """End the connections to all adb servers."""
        for drop in list(self.connections):
            drop()


class Tasks:
    """Keeps references to running tasks, which the garbage collector could otherwise collect."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task."""
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def cancel(self) -> None:
        """Cancel all running tasks; wait at most one second for them to end."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=1)
