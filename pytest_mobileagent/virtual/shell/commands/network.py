"""ifconfig, ip, ping, nc and netstat: the network interfaces and ports of the phone."""

from __future__ import annotations

import asyncio
import ipaddress
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Any, cast

from pytest_mobileagent.virtual.shell.commands import Context, Failure, Refused, command, parse
from pytest_mobileagent.virtual.shell.session import Pipe, pour

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.kernel.processes import Connection
    from pytest_mobileagent.virtual.phone import Phone


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface that is up."""

    number: int
    name: str
    address: str
    prefix: int
    mac: str = ""  # "" for the loopback interface

    @property
    def network(self) -> IPv4Network:
        """The network that the address belongs to."""
        return IPv4Interface(f"{self.address}/{self.prefix}").network


LOOPBACK = Interface(1, "lo", "127.0.0.1", 8)
MOBILE = Interface(2, "eth0", "10.0.2.15", 24, "52:54:00:12:34:56")
WIFI = Interface(9, "wlan0", "10.0.2.16", 24, "02:15:b2:00:00:00")


def interfaces(phone: Phone) -> list[Interface]:
    """Return the interfaces that are up."""
    settings = phone.settings
    flying = settings.on("global", "airplane_mode_on")
    found = [LOOPBACK]
    if settings.on("global", "mobile_data") and not flying:
        found.append(MOBILE)
    if settings.on("global", "wifi_on"):
        found.append(WIFI)
    return found


@command("ifconfig")
async def ifconfig(ctx: Context, args: list[str]) -> str:
    """Print the interfaces that are up, or only the named one."""
    names = [word for word in args if not word.startswith("-")]
    found = [each for each in interfaces(ctx.phone) if names[:1] in ([], [each.name])]
    if not found:
        raise Failure(f"{names[0]}: No such device")
    return "".join(map(_block, found))


def _block(each: Interface) -> str:
    link = f"Ethernet  HWaddr {each.mac}" if each.mac else "Local Loopback"
    cast = f"  Bcast:{each.network.broadcast_address}" if each.mac else ""
    kind, mtu = ("BROADCAST RUNNING MULTICAST", 1500) if each.mac else ("LOOPBACK RUNNING", 65536)
    return (
        f"{each.name:<9} Link encap:{link}\n"
        f"          inet addr:{each.address}{cast}  Mask:{each.network.netmask} \n"
        f"          UP {kind}  MTU:{mtu}  Metric:1\n"
        "          RX packets:0 errors:0 dropped:0 overruns:0 frame:0 \n"
        "          TX packets:0 errors:0 dropped:0 overruns:0 carrier:0 \n"
        "          collisions:0 txqueuelen:1000 \n"
        "          RX bytes:0 TX bytes:0 \n\n"
    )


FILTERS = ("up", "table", "scope", "to", "label", "type", "default", "primary", "permanent")


@command("ip")
async def ip(ctx: Context, args: list[str]) -> str:
    """Print addresses, links or routes."""
    words = [word for word in args if not word.startswith("-")]
    if "-f" in args[:-1] or "-family" in args[:-1]:
        words.remove(args[args.index("-f" if "-f" in args else "-family") + 1])
    name = _named(words)
    found = [each for each in interfaces(ctx.phone) if name in ("", each.name)]
    if name and not found:
        raise Refused(f'Device "{name}" does not exist.', 1)
    what = words[0] if words else ""
    if what and "address".startswith(what):
        family = {"-4", "-f", "-family"} & set(args)  # only addresses of this family are shown
        brief = any("o" in word for word in args if word in ("-o", "-oneline", "-4o", "-o4"))
        show = _brief if brief else lambda each: _link(each, bool(family)) + _address(each)
        return "".join(map(show, found))
    if what and "link".startswith(what):
        return "".join(map(_link, found))
    if what and "route".startswith(what):
        return "".join(
            f"{each.network} dev {each.name} proto kernel scope link src {each.address} \n"
            for each in found
            if each.mac
        )
    raise Refused(f'Object "{what}" is unknown, try "ip help".', 1)


def _named(words: list[str]) -> str:
    """Return the requested interface; when addresses are shown, `dev` may be omitted."""
    if "dev" in words[:-1]:
        return words[words.index("dev") + 1]
    shown = words[1:2] and words[1] in ("show", "list", "ls", "sh", "s", "lst")
    return words[2] if shown and len(words) > 2 and words[2] not in FILTERS else ""


def _brief(each: Interface) -> str:
    """Format an address in a single line, with backslashes for newlines."""
    lines = "\\".join(_address(each).strip("\n").split("\n"))
    return f"{each.number}: {each.name} {lines}\n"


def _link(each: Interface, family: bool = False) -> str:
    flags, mtu = ("BROADCAST,MULTICAST", 1500) if each.mac else ("LOOPBACK", 65536)
    kind, cast = ("ether", "ff:ff:ff:ff:ff:ff") if each.mac else ("loopback", "00:00:00:00:00:00")
    state = f"qdisc noqueue state {'UP' if each.mac else 'UNKNOWN'} group default qlen 1000"
    head = f"{each.number}: {each.name}: <{flags},UP,LOWER_UP> mtu {mtu} {state}\n"
    return head if family else f"{head}    link/{kind} {each.mac or cast} brd {cast}\n"


def _address(each: Interface) -> str:
    cast = f" brd {each.network.broadcast_address} scope global" if each.mac else " scope host"
    return (
        f"    inet {each.address}/{each.prefix}{cast} {each.name}\n"
        "       valid_lft forever preferred_lft forever\n"
    )


GATEWAY, NAME_SERVER = "10.0.2.2", "10.0.2.3"  # of the emulator's network
UNREACHABLE = 2
_MILLISECONDS = 0.05  # time of an answer


@command("ping")
async def ping(ctx: Context, args: list[str]) -> str:
    """Send echo requests to a host, continuously or -c times."""
    options = parse(args, "46c:i:I:nqs:t:vW:w:", least=1, most=1)
    name = options.rest[0]
    try:
        address = str(ipaddress.IPv4Address("127.0.0.1" if name == "localhost" else name))
    except ValueError:
        raise Failure(f"unknown host {name}", UNREACHABLE) from None
    own = interfaces(ctx.phone)
    beyond = [GATEWAY, NAME_SERVER] if len(own) > 1 else []
    if address not in [*beyond, *(each.address for each in own)]:
        raise Refused("connect: Network is unreachable", UNREACHABLE)
    try:
        count, size = int(options.get("c", "0")), int(options.get("s", "56"))
        pause = float(options.get("i", "1"))
    except ValueError:
        raise Failure("bad number of packets, size or interval.", UNREACHABLE) from None
    await ctx.out(f"PING {name} ({address}) {size}({size + 28}) bytes of data.\n")
    sent = 0
    while sent != count or not count:
        sent += 1
        line = f"{size + 8} bytes from {address}: icmp_seq={sent} ttl=64 time={_MILLISECONDS} ms\n"
        await ctx.out("" if "q" in options else line)
        await asyncio.sleep(pause if sent != count else 0)
    time = int((sent - 1) * pause * 1000)
    return (
        f"\n--- {name} ping statistics ---\n"
        f"{sent} packets transmitted, {sent} received, 0% packet loss, time {time}ms\n"
        f"rtt min/avg/max/mdev = {'/'.join([f'{_MILLISECONDS:.3f}'] * 3)}/0.000 ms\n"
    )


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
async def nc(ctx: Context, args: list[str]) -> None:
    """Connect standard input and output to a port."""
    options = parse(args, "46ELlnp:q:s:tuUvw:W:z", most=2)
    if "l" in options or "L" in options:
        await _listen(ctx, f"tcp:{options.get('p') or [*options.rest, '0'][-1]}")
        return
    if len(options.rest) < 2:
        raise Failure("Need 2 arguments")
    host, port = options.rest
    listener = ctx.phone.sockets.get(f"tcp:{port}") if host in LOCAL else None
    if listener is None:
        why = "Connection refused" if host in LOCAL else "Network is unreachable"
        raise Failure(f"connect: {why}")
    if "z" in options:
        return
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


async def _listen(ctx: Context, address: str) -> None:
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
