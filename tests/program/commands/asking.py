"""Requests to servers on the phone, and the commands parsed from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.program.commands.sockets import SocketReader

if TYPE_CHECKING:
    from pytest_mobileagent.program.commands import Act, Command


def request(method: str, path: str, body: Any = None) -> bytes:
    data = b"" if body is None else json.dumps(body).encode()
    return b"%b %b HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (
        method.encode(), path.encode(), len(data), data,
    )  # fmt: skip


def commands(data: bytes, name: str = "tcp:9008") -> list[Command]:
    return [command for _, command in SocketReader(name).feed(data) if command]


def done(method: str, path: str, body: Any = None) -> tuple[Act, ...]:
    (command,) = commands(request(method, path, body))
    return command.acts
