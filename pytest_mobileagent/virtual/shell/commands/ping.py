"""ping: the phone answers itself, and so does the computer behind the emulator's network."""

from __future__ import annotations

import asyncio
import ipaddress

from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.shell.commands.network import interfaces
from pytest_mobileagent.virtual.shell.options import parse

GATEWAY, NAME_SERVER = "10.0.2.2", "10.0.2.3"  # of the emulator's network
UNREACHABLE = 2
_MILLISECONDS = 0.05  # that an answer takes


@command("ping")
async def ping(ctx: Context, args: list[str]) -> int:
    """Ask a host for answers, for ever or -c times."""
    options = parse(args, "46c:i:I:nqs:t:vW:w:", least=1, most=1)
    name = options.rest[0]
    try:
        address = str(ipaddress.IPv4Address("127.0.0.1" if name == "localhost" else name))
    except ValueError:
        await ctx.err(f"ping: unknown host {name}\n")
        return UNREACHABLE
    own = interfaces(ctx.phone)
    beyond = [GATEWAY, NAME_SERVER] if len(own) > 1 else []
    if address not in [*beyond, *(each.address for each in own)]:
        await ctx.err("connect: Network is unreachable\n")
        return UNREACHABLE
    try:
        count, size = int(options.get("c", "0")), int(options.get("s", "56"))
        pause = float(options.get("i", "1"))
    except ValueError:
        await ctx.err("ping: bad number of packets, size or interval.\n")
        return UNREACHABLE
    await ctx.out(f"PING {name} ({address}) {size}({size + 28}) bytes of data.\n")
    sent = 0
    while True:
        sent += 1
        line = f"{size + 8} bytes from {address}: icmp_seq={sent} ttl=64 time={_MILLISECONDS} ms\n"
        await ctx.out("" if "q" in options else line)
        if sent == count:
            break
        await asyncio.sleep(pause)
    time = int((sent - 1) * pause * 1000)
    await ctx.out(
        f"\n--- {name} ping statistics ---\n"
        f"{sent} packets transmitted, {sent} received, 0% packet loss, time {time}ms\n"
        f"rtt min/avg/max/mdev = {'/'.join([f'{_MILLISECONDS:.3f}'] * 3)}/0.000 ms\n"
    )
    return 0
