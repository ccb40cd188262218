"""`adb reverse`: ports on the phone that are forwarded to the computer."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.streams import pour

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.kernel.processes import Sockets
    from pytest_mobileagent.virtual.wire.stream import Stream


_FIRST_FREE_PORT = 32768  # where Linux starts assigning ports


async def serve(reverses: Reverses, command: str, stream: Stream) -> None:
    """Answer a request of `adb reverse`."""
    try:
        reply = reverses.answer(command)
    except ValueError as refusal:
        reply = b"FAIL" + _block(str(refusal))
    await stream.write(reply)


class Reverses:
    """The reverse forwards of an adb server, which end with its connection."""

    def __init__(self, listeners: Sockets, connect: Callable[[str], Awaitable[Stream]]) -> None:
        self._listeners = listeners
        self._connect = connect
        self._targets: dict[str, str] = {}

    def answer(self, command: str) -> bytes:
        """Execute a command and return the reply; ValueError, with adb's message, if it fails."""
        verb, _, rest = command.partition(":")
        if command == "list-forward":
            lines = [f"host-1 {local} {remote}\n" for local, remote in self._targets.items()]
            return _block("".join(lines))
        if command == "killforward-all":
            self.close()
            return b"OKAY"
        if verb == "killforward":
            return self._remove(rest)
        if verb == "forward":
            return self._add(
                rest.removeprefix("norebind:"), rebind=not rest.startswith("norebind:")
            )
        raise ValueError("not a reverse forwarding command")

    def close(self) -> None:
        """Remove all forwards."""
        for local in list(self._targets):
            self._remove(local)

    def _add(self, rule: str, *, rebind: bool) -> bytes:
        local, semicolon, target = rule.partition(";")
        if not (local and semicolon and target) or "*" in rule:
            raise ValueError(f"bad forward: {rule}")
        chosen = b""
        if local == "tcp:0":
            port = next(
                n for n in range(_FIRST_FREE_PORT, 65536) if f"tcp:{n}" not in self._listeners
            )
            local, chosen = f"tcp:{port}", _block(str(port))
        if local in self._targets and not rebind:
            raise ValueError("cannot rebind existing socket")
        if local in self._listeners and local not in self._targets:
            raise ValueError("cannot bind listener: Address already in use")
        self._targets[local] = target
        self._listeners[local] = partial(self._lead, local)
        return b"OKAY" + chosen

    def _remove(self, local: str) -> bytes:
        if local not in self._targets:
            raise ValueError(f"listener '{local}' not found")
        del self._targets[local], self._listeners[local]
        return b"OKAY"

    async def _lead(self, local: str, inside: Stream) -> None:
        """Connect a connection from inside the phone with one to the computer.

        Only registered targets may be opened: adb servers of version 36 abort on any other.
        """
        outside = await self._connect(self._targets[local])
        ways = {
            asyncio.create_task(pour(inside, outside)),
            asyncio.create_task(pour(outside, inside)),
        }
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            await outside.close()


def _block(text: str) -> bytes:
    data = text.encode(errors="surrogateescape")
    return b"%04x%b" % (len(data), data)
