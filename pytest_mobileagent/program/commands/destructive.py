"""Recognises commands that destroy something on the phone, or would break the harness."""

from __future__ import annotations

import dataclasses
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pytest_mobileagent.device.drivers.adb.listener import PACKAGE as LISTENER
from pytest_mobileagent.program.commands.inputs import SCREEN_OFF
from pytest_mobileagent.program.commands.intents import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.program.commands import Command

# What a command destroys, in words, and why it is refused; both may be empty.
Judgement = tuple[str, str]
_NOTHING: Judgement = ("", "")
_REBOOTS = "it would restart or switch off the phone, which the benchmark is using"
_WIPES = "it would wipe the phone, which the benchmark is using"
_REBOOTING: Judgement = ("restarts or switches off the phone", _REBOOTS)
_WIPING: Judgement = ("wipes the phone", _WIPES)
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
_USER_FILES = re.compile(
    r"/(?:sdcard|storage/(?:emulated|self)|mnt/sdcard|data)(?:/.*)?|/|/\*", re.DOTALL
)


def read_destructive(name: str, arguments: Sequence[str]) -> Judgement:
    """Return what a command destroys and why it is refused; both are empty if it is harmless."""
    judge = _JUDGES.get(name)
    return judge(arguments) if judge else _NOTHING


def keeping_the_screen_on(command: Command) -> Command:
    """Return the command, marked as refused if it switches the screen off."""
    if SCREEN_OFF not in command.acts:
        return command
    return dataclasses.replace(command, destructive="switches the screen off", refused=_BLINDS)


def _am(arguments: Sequence[str]) -> Judgement:
    if any(_WIPING_ACTION.fullmatch(word) for word in arguments):
        return _WIPING
    if arguments[:1] == ["restart"] or any(_ENDING_ACTIONS.fullmatch(word) for word in arguments):
        return _REBOOTING
    if arguments[:1] and arguments[0] in {"force-stop", "kill", "crash", "stop-app"}:
        return ("", _HEARS) if LISTENER in arguments else _NOTHING
    if arguments[:1] == ["hang"]:
        return "stops Android", _STOPS
    return _NOTHING


_PACKAGES = {
    "uninstall": "uninstalls", "clear": "clears the data of", "disable": "disables",
    "disable-user": "disables", "disable-until-used": "disables", "hide": "hides",
    "suspend": "suspends",
}  # fmt: skip


def _pm(arguments: Sequence[str]) -> Judgement:
    if not arguments or arguments[0] not in _PACKAGES:
        return _NOTHING
    names = [word for word in arguments[1:] if not word.startswith("-")]
    if arguments[1:2] == ["--user"]:
        names = names[1:]
    name = next((word for word in names if not word.isdecimal()), "a package")
    if name in TOOLS:
        return _NOTHING
    refused = _HEARS if any(word.partition("/")[0] == LISTENER for word in names) else ""
    return f"{_PACKAGES[arguments[0]]} {name}", refused


def _settings(arguments: Sequence[str]) -> Judgement:
    words = [word for word in arguments if word != "--user"]
    verb = next((word for word in words if word in {"put", "delete", "reset"}), "")
    if not verb:
        return _NOTHING
    rest = words[words.index(verb) + 1 :]
    key, values = rest[1] if len(rest) > 1 else "", rest[2:]
    if key in _CONNECTION_SETTINGS and values[:1] != ["1"]:
        return f"switches {key} off", _CONNECTS
    if key == "enabled_accessibility_services" and not any(LISTENER in word for word in values):
        return "disables the accessibility services that it does not name", ""
    if verb == "put":
        return _NOTHING
    return f"{verb}s {' '.join(rest)}", ""


def _svc(arguments: Sequence[str]) -> Judgement:
    match list(arguments):
        case ["power", "reboot" | "shutdown", *_]:
            return _REBOOTING
        case ["usb", verb, *_] if verb.startswith(("set", "reset")):
            return "changes what USB is used for", _CONNECTS
    return _NOTHING


def _setprop(arguments: Sequence[str]) -> Judgement:
    key, value = (*arguments, "", "")[:2]
    if key == "sys.powerctl":
        return _REBOOTING
    if key in {"ctl.stop", "ctl.restart", "ctl.start"}:
        vital = value in _VITAL
        return f"{key.partition('.')[2]}s {value}", _STOPS if vital else ""
    if key.startswith(("sys.usb.config", "persist.sys.usb.config", "service.adb.tcp.port")):
        return "changes how adb connects", _CONNECTS
    return _NOTHING


def _stop(arguments: Sequence[str]) -> Judgement:
    services = [word for word in arguments if not word.startswith("-")]
    if not services or _VITAL & set(services):
        return f"stops {' '.join(services) or 'Android'}", _STOPS
    return _NOTHING


def _kill(arguments: Sequence[str]) -> Judgement:
    words = [word for word in arguments if not word.startswith("-")]
    if vital := [word for word in words if word in _VITAL]:
        return f"kills {' '.join(vital)}", _STOPS
    if LISTENER in words:
        return "", _HEARS
    return _NOTHING


def _rm(arguments: Sequence[str]) -> Judgement:
    options = "".join(word for word in arguments if word.startswith("-"))
    paths = [word for word in arguments if not word.startswith("-")]
    if "r" not in options.lower():
        return _NOTHING
    found = [path for path in paths if _USER_FILES.fullmatch(path) and not _own(path)]
    return (f"deletes {' '.join(found)}", "") if found else _NOTHING


def _own(path: str) -> bool:
    """Return whether a path is in the folder where tools store their own files."""
    return path.startswith("/data/local/tmp/") and ".." not in path


def _dd(arguments: Sequence[str]) -> Judgement:
    if any(word.startswith("of=/dev/block") for word in arguments):
        return "overwrites a partition", _WIPES
    return _NOTHING


def _wm(arguments: Sequence[str]) -> Judgement:
    if arguments[:1] and arguments[0] in {"size", "density"} and len(arguments) > 1:
        return f"changes the screen's {arguments[0]}", ""
    return _NOTHING


def _content(arguments: Sequence[str]) -> Judgement:
    if arguments[:1] != ["delete"]:
        return _NOTHING
    pairs = pairwise(arguments)
    uri = next((value for option, value in pairs if option == "--uri"), "")
    return f"deletes rows of {uri}", ""


_JUDGES: dict[str, Callable[[Sequence[str]], Judgement]] = {
    **dict.fromkeys(("reboot", "shutdown", "poweroff", "halt"), lambda _: _REBOOTING),
    **dict.fromkeys(("wipe", "recovery", "mkfs"), lambda _: _WIPING),
    "am": _am,
    "pm": _pm,
    "settings": _settings,
    "svc": _svc,
    "setprop": _setprop,
    "stop": _stop,
    "kill": lambda words: ("kills init", _STOPS) if {"1", "-1"} & {*words[-1:]} else _NOTHING,
    "pkill": _kill,
    "killall": _kill,
    "rm": _rm,
    "dd": _dd,
    "wm": _wm,
    "content": _content,
}
