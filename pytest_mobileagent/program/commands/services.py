"""A service of adb that a program opens, as a command."""

from __future__ import annotations

import re

from pytest_mobileagent.action.action import Raw
from pytest_mobileagent.program.commands.shell import read_script, read_words
from pytest_mobileagent.program.watching import Command

_SHELL = re.compile(r"(shell(?:,[^:]*)?|exec):(.*)", re.DOTALL)
_RESTARTS = "it would restart the phone's adbd, which the benchmark is connected to"
_REBOOTS = "it would restart or switch off the phone, which the benchmark is using"
_REFUSED = {
    "reboot": ("restarts the phone", _REBOOTS),
    "root": ("restarts adbd as root", _RESTARTS),
    "unroot": ("restarts adbd without root", _RESTARTS),
    "tcpip": ("restarts adbd", _RESTARTS),
    "usb": ("restarts adbd", _RESTARTS),
    "remount": ("remounts the system's partitions", _REBOOTS),
    "disable-verity": ("changes the system's partitions", _REBOOTS),
    "enable-verity": ("changes the system's partitions", _REBOOTS),
}


def read_service(service: str) -> Command:
    """Return what a program asks for with a service, as `shell:input tap 1 2`."""
    if match := _SHELL.match(service):
        return read_script(match[2], service)
    name, _, rest = service.partition(":")
    if name in _REFUSED:
        destructive, refused = _REFUSED[name]
        return Command(service, destructive=destructive, refused=refused)
    if name in {"abb", "abb_exec"}:
        return read_words(["cmd", *rest.rstrip("\0").split("\0")], service)
    if name == "dev" and "/dev/input/" in rest:
        return Command(service, (Raw(service),))
    destroys = "overwrites the data of apps" if name == "restore" else ""
    return Command(service, looks=name == "framebuffer", destructive=destroys)
