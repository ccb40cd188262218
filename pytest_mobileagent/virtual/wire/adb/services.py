"""The adb services that a client can open on the phone, by name."""

from __future__ import annotations

import struct
from functools import partial
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.automation.appium import knock
from pytest_mobileagent.virtual.wire.adb import reverse, shell, sync

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.wire.adb.adbd import Adbd
    from pytest_mobileagent.virtual.wire.adb.reverse import Reverses
    from pytest_mobileagent.virtual.wire.adb.stream import Stream

    Service = Callable[[Stream], Awaitable[None]]


def find(adbd: Adbd, drop: Callable[[], None], reverses: Reverses, name: str) -> Service:
    """Return the service called `name`; ConnectionRefusedError if there is none.

    `drop` ends the requesting connection, to which `reverses` belongs.
    """
    if name in adbd.listeners:
        return adbd.listeners[name]
    if knock.expected(adbd.phone, name):
        return partial(knock.serve, adbd.phone)
    word, colon, argument = name.partition(":")
    kind, *options = word.split(",")
    services: dict[str, Service] = {
        "shell": partial(shell.serve, adbd, argument, options),
        "exec": partial(shell.serve, adbd, argument, ["raw"]),
        "sync": partial(sync.serve, adbd.phone.files, adbd.uid),
        "reverse": partial(reverse.serve, reverses, argument),
        "root": partial(_restart, adbd, drop, True),
        "unroot": partial(_restart, adbd, drop, False),
        "framebuffer": partial(_framebuffer, adbd.phone),
        "reboot": partial(_reboot, adbd.phone),
    }
    for each in ("remount", "disable-verity", "enable-verity"):
        services[each] = partial(shell.serve, adbd, each, ["raw"])
    if word == "jdwp" and not colon:
        return partial(_jdwp, adbd.phone)
    if not colon or kind not in services:
        raise ConnectionRefusedError(name)
    return services[kind]


async def _restart(adbd: Adbd, drop: Callable[[], None], root: bool, stream: Stream) -> None:
    """Change adbd's user. The connection ends, as clients expect of an adbd that restarts.

    Connections of other adb servers stay open, because nothing would make them attach again.
    """
    if root == (adbd.uid == 0):
        same = "adbd is already running as root\n" if root else "adbd not running as root\n"
        await stream.write(same.encode())
        return
    adbd.become(root=root)
    await stream.write(f"restarting adbd as {'root' if root else 'non root'}\n".encode())
    await stream.close()
    drop()


async def _jdwp(phone: Phone, stream: Stream) -> None:
    """List the processes that a debugger can attach to: on this build, those of all apps."""
    pids = [each.pid for each in phone.proc.list() if phone.proc.running(each.name)]
    await stream.write("".join(f"{pid}\n" for pid in pids).encode())
    await stream.close()


async def _reboot(phone: Phone, stream: Stream) -> None:
    """Reboot the phone, whatever the target: it has no other system than Android."""
    await stream.close()
    phone.reboot()


async def _framebuffer(phone: Phone, stream: Stream) -> None:
    """Send the screen as raw pixels, in version 1 of the format."""
    width, height, pixels = phone.raw_screenshot()
    channels = (0, 8, 16, 8, 8, 8, 24, 8)  # offset and length of red, blue, green, alpha
    header = struct.pack("<13I", 1, 32, len(pixels), width, height, *channels)
    await stream.write(header + pixels)
