"""`adb reverse`: ports of the phone that lead to the computer.

The device opens their connections to the adb server that has it, not to the program's own: where
that server runs on this machine, they lead to the same ports. What goes over them is not read, so
that tools that would control the phone this way are refused; they fall back on forwards. Reverse
forwards would outlive the program's own server: they are removed with it.
"""

from __future__ import annotations

import contextlib
import ipaddress
from typing import TYPE_CHECKING

from pytest_mobileagent.errors import DeviceError
from pytest_mobileagent.program.adb.services import ask_service

if TYPE_CHECKING:
    from pytest_mobileagent.device.address import Address

_CONTROLS = "localabstract:scrcpy"
_FORWARD, _REMOVE, _REMOVE_ALL = (
    "reverse:forward:",
    "reverse:killforward:",
    "reverse:killforward-all",
)


def failure(why: str) -> bytes:
    """Return the reply to a request that failed."""
    text = why.encode("utf-8", "replace")[:0xFFFF]
    return b"FAIL%04x%b" % (len(text), text)


class Reverses:
    """The reverse forwards that one program has made on a device."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._made: dict[str, None] = {}  # in order

    async def answer(self, service: str) -> bytes:
        """Do what is requested, and return the device's reply: `OKAY…` or `FAIL…`.

        Raises:
            DeviceError: the device cannot be asked.
        """
        if service == _REMOVE_ALL:  # those of others stay
            await self.remove_all()
            return b"OKAY"
        if service.startswith(_FORWARD) and (why := self._refusal(service)):
            return failure(why)
        reply = await ask_service(self._address, service)
        if reply.startswith(b"OKAY"):
            self._note(service, reply)
        return reply

    async def remove_all(self) -> None:
        """Remove what the program has made, if the device is still there."""
        made, self._made = self._made, {}
        for local in made:
            with contextlib.suppress(DeviceError):
                await ask_service(self._address, _REMOVE + local)

    def _refusal(self, service: str) -> str:
        if not _is_local(self._address.adb_host):
            return f"the phone's adb server runs on {self._address.adb_host}, not here"
        if _local_of(service).startswith(_CONTROLS):
            return "what controls the phone has to be recorded: use `adb forward`"
        return ""

    def _note(self, service: str, reply: bytes) -> None:
        if service.startswith(_REMOVE):
            self._made.pop(service.removeprefix(_REMOVE), None)
        elif service.startswith(_FORWARD):
            local = _local_of(service)
            if local == "tcp:0":  # the device has chosen a port, and says which
                local = "tcp:" + reply[len(b"OKAY0000") :].decode("ascii", "replace")
            self._made[local] = None


def _local_of(service: str) -> str:
    """Return where a reverse forward begins on the phone."""
    return service.removeprefix(_FORWARD).removeprefix("norebind:").partition(";")[0]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
