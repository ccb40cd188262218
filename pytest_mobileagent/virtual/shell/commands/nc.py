"""nc: connects to a port of the phone, or listens on one; there is no other network."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from pytest_mobileagent.virtual.shell.commands import Context, Failure, command
from pytest_mobileagent.virtual.shell.options import parse
from pytest_mobileagent.virtual.shell.streams import Pipe, pour

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.sockets import Connection

LOCAL = ("localhost", "127.0.0.1", "0.0.0.0", "::1")  # noqa: S104 - the phone's own, not ours


class _Talk:
    """An end of a connection, as a service on the phone receives it."""

    def __init__(self) -> None:
        self.asked, self.told = Pipe(), Pipe()
        self.read, self.write = self.asked.read, self.told.write
        self.closed = False

    async def close(self) -> None:
        """Signal that no more data follows."""
        self.closed = True
        await self.told.close_write()

    def drop(self) -> None:
        """End the connection immediately."""
        self.closed = True
        self.asked.close_read()


@command("nc", "netcat")
async def nc(ctx: Context, args: list[str]) -> int:
    """Connect standard input and output to a port."""
    options = parse(args, "46ELlnp:q:s:tuUvw:W:z", most=2)
    if "l" in options or "L" in options:
        return await _listen(ctx, f"tcp:{options.get('p') or [*options.rest, '0'][-1]}")
    if len(options.rest) < 2:
        raise Failure("Need 2 arguments")
    host, port = options.rest
    listener = ctx.phone.sockets.get(f"tcp:{port}") if host in LOCAL else None
    if listener is None:
        raise Failure(
            f"connect: {'Connection refused' if host in LOCAL else 'Network is unreachable'}"
        )
    if "z" in options:
        return 0
    talk: Any = _Talk()  # provides everything that listeners use of an adb stream

    async def serve() -> None:
        try:
            await listener(cast("Connection", talk))
        finally:
            await talk.close()

    async def ask() -> None:
        await pour(ctx.stdin, talk.asked)
        await talk.asked.close_write()

    work = [asyncio.ensure_future(serve()), asyncio.ensure_future(ask())]
    try:
        await pour(talk.told, ctx.stdout)
    finally:
        for each in work:
            each.cancel()
    return 0


async def _listen(ctx: Context, address: str) -> int:
    """Accept the first connection, and exchange data with it."""
    if address in ctx.phone.sockets:
        raise Failure("bind: Address already in use")
    over = asyncio.Event()

    async def serve(stream: Connection) -> None:
        ctx.phone.sockets.pop(address, None)
        answers = asyncio.ensure_future(pour(ctx.stdin, stream))
        await pour(stream, ctx.stdout)
        answers.cancel()
        over.set()

    ctx.phone.sockets[address] = serve
    try:
        await over.wait()
    finally:
        ctx.phone.sockets.pop(address, None)
    return 0
