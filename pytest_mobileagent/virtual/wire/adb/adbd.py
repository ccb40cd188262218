"""The phone's adb daemon: all clients whose key is known get the same phone, as the same user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.kernel.users import ROOT, SHELL
from pytest_mobileagent.virtual.wire.adb.keys import known_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.wire.background import Tasks


# No abb, sendrecv_v2 or delayed_ack: without them clients use the simpler, older ways.
FEATURES = "shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"
_ROOT_PROPERTY = "service.adb.root"


class Adbd:
    """What all connections share: the phone, the user, the phone's own listening sockets.

    `keys` are the places of the keys that it accepts, as `known_keys` takes them.
    """

    def __init__(self, phone: Phone, tasks: Tasks, keys: Sequence[Path]) -> None:
        self.phone = phone
        self.tasks = tasks
        self.listeners = phone.sockets
        self._keys = keys
        phone.faults.drop = self.drop
        phone.init.on_reboot.append(self.drop)
        self.connections: set[Callable[[], None]] = set()  # what ends each

    @property
    def uid(self) -> int:
        """The user as whom commands run and files are touched."""
        return ROOT if self.phone.props.get(_ROOT_PROPERTY) == "1" else SHELL

    def become(self, *, root: bool) -> None:
        """Serve as root, or as shell, from now on."""
        self.phone.props.set(_ROOT_PROPERTY, "1" if root else "0")

    def knows(self, signature: bytes, token: bytes) -> bool:
        """Tell whether one of the accepted keys has signed a token."""
        return any(key.verifies(signature, token) for key in known_keys(self._keys))

    def banner(self) -> bytes:
        """Say what this device is, and what it can do."""
        names = ("ro.product.name", "ro.product.model", "ro.product.device")
        about = "".join(f"{name}={self.phone.props.get(name, '')};" for name in names)
        return f"device::{about}features={FEATURES}".encode()

    def drop(self) -> None:
        """Break off with every adb server."""
        for drop in list(self.connections):
            drop()
