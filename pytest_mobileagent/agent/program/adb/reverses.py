"""`adb reverse`: ports of the phone that lead to the computer.

The device opens their connections to the adb server that has it, not to the program's own: where
that server runs on this machine, they lead to the same ports. They would outlive the program's
own server, so that they are removed with it.
"""

from __future__ import annotations

import contextlib
import ipaddress
from typing import TYPE_CHECKING

from pytest_mobileagent.agent.program.adb.services import ask_service
from pytest_mobileagent.errors import DeviceError

if TYPE_CHECKING:
    from pytest_mobileagent.device.address import Address

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
        if service.startswith(_FORWARD) and not _is_local(self._address.adb_host):
            return failure(f"the phone's adb server runs on {self._address.adb_host}, not here")
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

    def _note(self, service: str, reply: bytes) -> None:
        if service.startswith(_REMOVE):
            self._made.pop(service.removeprefix(_REMOVE), None)
        elif service.startswith(_FORWARD):
            local = service.removeprefix(_FORWARD).removeprefix("norebind:").partition(";")[0]
            if local == "tcp:0":  # the device has chosen a port, and says which
                local = "tcp:" + reply[len(b"OKAY0000") :].decode("ascii", "replace")
            self._made[local] = None


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
