"""Recognises commands that are refused, because they would take the phone from the harness."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb.streams import PACKAGE as LISTENER
from pytest_mobileagent.program.commands.inputs import SCREEN_OFF

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.program.commands import Command

REBOOTS = "it would restart or switch off the phone, which the benchmark is using"
_WIPES = "it would wipe the phone, which the benchmark is using"
_STOPS = "it would stop a part of Android that the benchmark's connection depends on"
_HEARS = f"the benchmark receives events of the phone through {LISTENER}"
_CONNECTS = "it would cut the benchmark's connection to the phone"
_BLINDS = "it would switch the screen off, which the benchmark observes"
_VITAL = {"adbd", "zygote", "zygote64", "zygote_secondary", "system_server", "surfaceflinger"}
_ENDING_ACTIONS = re.compile(
    r"android\.intent\.action\.(REBOOT|(ACTION_)?REQUEST_SHUTDOWN)|"
    r"com\.android\.internal\.intent\.action\.REQUEST_SHUTDOWN"
)
_WIPING_ACTION = re.compile(r"android\.intent\.action\.(MASTER_CLEAR\w*|FACTORY_RESET)")
_CONNECTION_SETTINGS = {"adb_enabled", "adb_wifi_enabled", "development_settings_enabled"}
_REMOVING = ("uninstall", "clear", "disable", "hide", "suspend")


def refusal(name: str, arguments: Sequence[str]) -> str:
    """Return why a command is refused; empty if it may be passed on."""
    judge = _JUDGES.get(name)
    return judge(arguments) if judge else ""


def keeping_the_screen_on(command: Command) -> Command:
    """Return the command, marked as refused if it switches the screen off."""
    if SCREEN_OFF not in command.acts:
        return command
    return dataclasses.replace(command, refused=_BLINDS)


def _am(arguments: Sequence[str]) -> str:
    if any(_WIPING_ACTION.fullmatch(word) for word in arguments):
        return _WIPES
    if arguments[:1] == ["restart"] or any(_ENDING_ACTIONS.fullmatch(word) for word in arguments):
        return REBOOTS
    if arguments[:1] and arguments[0] in {"force-stop", "kill", "crash", "stop-app"}:
        return _HEARS if LISTENER in arguments else ""
    return _STOPS if arguments[:1] == ["hang"] else ""


def _pm(arguments: Sequence[str]) -> str:
    if not (arguments and arguments[0].startswith(_REMOVING)):
        return ""
    return _HEARS if any(word.partition("/")[0] == LISTENER for word in arguments) else ""


def _settings(arguments: Sequence[str]) -> str:
    changes = {"put", "delete", "reset"} & {*arguments}
    disconnects = changes and _CONNECTION_SETTINGS & {*arguments} and arguments[-1] != "1"
    return _CONNECTS if disconnects else ""


def _svc(arguments: Sequence[str]) -> str:
    match list(arguments):
        case ["power", "reboot" | "shutdown", *_]:
            return REBOOTS
        case ["usb", verb, *_] if verb.startswith(("set", "reset")):
            return _CONNECTS
    return ""


def _setprop(arguments: Sequence[str]) -> str:
    key, value = (*arguments, "", "")[:2]
    if key == "sys.powerctl":
        return REBOOTS
    if key in {"ctl.stop", "ctl.restart", "ctl.start"}:
        return _STOPS if value in _VITAL else ""
    adb = ("sys.usb.config", "persist.sys.usb.config", "service.adb.tcp.port")
    return _CONNECTS if key.startswith(adb) else ""


def _kill(arguments: Sequence[str]) -> str:
    if _VITAL & {*arguments}:
        return _STOPS
    return _HEARS if LISTENER in arguments else ""


_JUDGES: dict[str, Callable[[Sequence[str]], str]] = {
    **dict.fromkeys(("reboot", "shutdown", "poweroff", "halt"), lambda _: REBOOTS),
    **dict.fromkeys(("wipe", "recovery", "mkfs"), lambda _: _WIPES),
    "am": _am,
    "pm": _pm,
    "settings": _settings,
    "svc": _svc,
    "setprop": _setprop,
    "stop": lambda words: (
        _STOPS if all(word.startswith("-") for word in words) or _VITAL & {*words} else ""
    ),
    "kill": lambda words: _STOPS if {"1", "-1"} & {*words[-1:]} else "",
    "pkill": _kill,
    "killall": _kill,
    "dd": lambda words: _WIPES if any(word.startswith("of=/dev/block") for word in words) else "",
}
