"""ifconfig and ip: the network interfaces, as the emulator's own network has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.commands import Context, command

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface that is up."""

    number: int
    name: str
    address: str
    prefix: int
    mac: str = ""  # "" for the loopback

    @property
    def mask(self) -> str:
        """The netmask in dots."""
        bits = 0xFFFFFFFF << (32 - self.prefix) & 0xFFFFFFFF
        return ".".join(str(bits >> shift & 0xFF) for shift in (24, 16, 8, 0))

    @property
    def network(self) -> str:
        """The first address of the network."""
        return self._masked(keep=True)

    @property
    def broadcast(self) -> str:
        """The last address of the network."""
        return self._masked(keep=False)

    def _masked(self, *, keep: bool) -> str:
        parts = zip(map(int, self.address.split(".")), map(int, self.mask.split(".")), strict=True)
        return ".".join(str(a & m if keep else a | ~m & 0xFF) for a, m in parts)


LOOPBACK = Interface(1, "lo", "127.0.0.1", 8)
MOBILE = Interface(2, "eth0", "10.0.2.15", 24, "52:54:00:12:34:56")
WIFI = Interface(9, "wlan0", "10.0.2.16", 24, "02:15:b2:00:00:00")


def interfaces(phone: Phone) -> list[Interface]:
    """Give the interfaces that are up."""
    settings = phone.settings
    flying = settings.on("global", "airplane_mode_on")
    found = [LOOPBACK]
    if settings.on("global", "mobile_data") and not flying:
        found.append(MOBILE)
    if settings.on("global", "wifi_on"):
        found.append(WIFI)
    return found


@command("ifconfig")
async def ifconfig(ctx: Context, args: list[str]) -> int:
    """Print the interfaces that are up, or the one that is named."""
    names = [word for word in args if not word.startswith("-")]
    found = [each for each in interfaces(ctx.phone) if names[:1] in ([], [each.name])]
    if not found:
        await ctx.err(f"ifconfig: {names[0]}: No such device\n")
        return 1
    for each in found:
        await ctx.out(_block(each))
    return 0


def _block(each: Interface) -> str:
    link = f"Ethernet  HWaddr {each.mac}" if each.mac else "Local Loopback"
    cast = f"  Bcast:{each.broadcast}" if each.mac else ""
    flags = (
        "UP BROADCAST RUNNING MULTICAST  MTU:1500" if each.mac else "UP LOOPBACK RUNNING  MTU:65536"
    )
    return (
        f"{each.name:<9} Link encap:{link}\n"
        f"          inet addr:{each.address}{cast}  Mask:{each.mask} \n"
        f"          {flags}  Metric:1\n"
        "          RX packets:0 errors:0 dropped:0 overruns:0 frame:0 \n"
        "          TX packets:0 errors:0 dropped:0 overruns:0 carrier:0 \n"
        "          collisions:0 txqueuelen:1000 \n"
        "          RX bytes:0 TX bytes:0 \n\n"
    )


FILTERS = ("up", "table", "scope", "to", "label", "type", "default", "primary", "permanent")


@command("ip")
async def ip(ctx: Context, args: list[str]) -> int:
    """Print addresses, links or routes."""
    words = [word for word in args if not word.startswith("-")]
    if "-f" in args[:-1] or "-family" in args[:-1]:
        words.remove(args[args.index("-f" if "-f" in args else "-family") + 1])
    name = _named(words)
    found = [each for each in interfaces(ctx.phone) if name in ("", each.name)]
    if name and not found:
        await ctx.err(f'Device "{name}" does not exist.\n')
        return 1
    what = words[0] if words else ""
    if what and "address".startswith(what):
        family = {"-4", "-f", "-family"} & set(args)  # then only what is of it is shown
        brief = any("o" in word for word in args if word in ("-o", "-oneline", "-4o", "-o4"))
        for each in found:
            await ctx.out(_brief(each) if brief else _link(each, bool(family)) + _address(each))
    elif what and "link".startswith(what):
        await ctx.out("".join(map(_link, found)))
    elif what and "route".startswith(what):
        await ctx.out("".join(_route(each) for each in found if each.mac))
    else:
        await ctx.err(f'Object "{what}" is unknown, try "ip help".\n')
        return 1
    return 0


def _named(words: list[str]) -> str:
    """Give the interface that is asked for: `dev` may be left out where addresses are shown."""
    if "dev" in words[:-1]:
        return words[words.index("dev") + 1]
    shown = words[1:2] and words[1] in ("show", "list", "ls", "sh", "s", "lst")
    return words[2] if shown and len(words) > 2 and words[2] not in FILTERS else ""


def _brief(each: Interface) -> str:
    """Give an address in one line, where a backslash stands for the end of a line."""
    lines = "\\".join(_address(each).strip("\n").split("\n"))
    return f"{each.number}: {each.name} {lines}\n"


def _link(each: Interface, family: bool = False) -> str:
    flags, mtu = (
        ("BROADCAST,MULTICAST,UP,LOWER_UP", 1500) if each.mac else ("LOOPBACK,UP,LOWER_UP", 65536)
    )
    kind, cast = ("ether", "ff:ff:ff:ff:ff:ff") if each.mac else ("loopback", "00:00:00:00:00:00")
    state = "UP" if each.mac else "UNKNOWN"
    head = (
        f"{each.number}: {each.name}: <{flags}> mtu {mtu} qdisc noqueue state {state}"
        " group default qlen 1000\n"
    )
    return head if family else f"{head}    link/{kind} {each.mac or cast} brd {cast}\n"


def _address(each: Interface) -> str:
    cast = f" brd {each.broadcast} scope global" if each.mac else " scope host"
    return (
        f"    inet {each.address}/{each.prefix}{cast} {each.name}\n"
        "       valid_lft forever preferred_lft forever\n"
    )


def _route(each: Interface) -> str:
    network = f"{each.network}/{each.prefix}"
    return f"{network} dev {each.name} proto kernel scope link src {each.address} \n"
