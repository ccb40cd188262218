"""A program's requests to its phone, parsed as commands, and the watcher that they are reported to.

The modules here parse requests: each is an act, a look at the screen, or neither. Recorders (of
adb, models and MCP) report in their own event loop. Commands that take the phone away are refused.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol
from urllib.parse import parse_qsl

from pytest_mobileagent.action import Action, Raw
from pytest_mobileagent.device.drivers.adb.streams import PACKAGE as LISTENER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True)
class Pointer:
    """One event of a gesture that arrives in several events: a finger at the pixel (x, y)."""

    phase: Literal["down", "move", "up", "cancel"]
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Erase:
    """The delete key, pressed `count` times in the focused field."""

    count: int = 1


@dataclass(frozen=True, slots=True)
class Clear:
    """Emptying the focused field."""


@dataclass(frozen=True, slots=True)
class ElementTap:
    """A tap on an element that an automation server on the phone knows by the path of a URL.

    `program.adb` looks up the element's position before the tap is passed on; if it is
    unknown, the text `words` describes the tap.
    """

    path: str
    words: str


# Anything that a program does through the screen; `commands.steps` turns acts into actions.
Act = Action | Pointer | Erase | Clear | ElementTap

# Acts whose meaning depends on the acts beside them (see `steps`).
SELECT_ALL = Raw("select all")
PASTE = Raw("paste")
TO_THE_END = Raw("to the end of the text")
TO_THE_START = Raw("to the start of the text")
SCREEN_OFF = Raw("switch the screen off")  # also for the power key, as the screen is always on


def opaque(_: object, raw: str) -> tuple[Act, ...]:
    """Read a request whose effect is unknown: its text is the act."""
    return (Raw(raw),)


def fixed(act: Act) -> Callable[[object, str], tuple[Act, ...]]:
    """Return a reader of requests that always do the same, whatever their arguments."""
    return lambda _, __: (act,)


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; `upgrades` says whether other data than HTTP follows it."""

    method: str
    target: str
    body: bytes = b""
    upgrades: bool = False

    @property
    def path(self) -> str:
        """The path of the target, without the query."""
        return self.target.partition("?")[0]

    @property
    def values(self) -> Any:
        """The values in its body: JSON, or a form together with the query."""
        text = self.body.decode("utf-8", "replace").strip()
        query = dict(parse_qsl(self.target.partition("?")[2]))
        try:
            return json.loads(text) if text else query
        except (ValueError, RecursionError):
            return dict(parse_qsl(text)) | query


@dataclass(frozen=True, slots=True)
class FileRead:
    """The reading of a file of the phone, as by `adb pull`."""

    path: str


@dataclass(frozen=True, slots=True)
class Command:
    """One request of a program to the phone: an adb service, or a request over a socket.

    - `text`: the text of the request in the raw record; a name if the request is binary.
    - `acts`: what it does through the screen, in order. `looks`: whether it returns the screen
      afterwards. A command with neither is only recorded.
    - `automation`: whether it uses Android's UiAutomation, which serves one client at a time.
    - `refused`: why it is not passed on, because it would break what the harness needs, or show
      what the program must not see; empty if it may be passed on. `ends`: whether the refusal ends
      the episode, because a channel cannot be controlled.
    - `request`: the request over a socket as it was parsed, or the file that is read.
    - `answer`: what is answered in the phone's place; empty if the phone answers.
    """

    text: str
    acts: tuple[Act, ...] = ()
    looks: bool = False
    automation: bool = False
    refused: str = ""
    ends: bool = False
    request: Request | FileRead | None = None
    answer: bytes = b""


class Passage(Protocol):
    """A command on its way to the phone."""

    refused: str  # why it must not be passed on; empty if it may be

    def done(self, error: str = "") -> None:
        """Report that the command has ended, and how it failed, if that is known."""


class CallWatcher(Protocol):
    """Permits the model calls of an episode, and is notified of replies."""

    async def call_begins(self) -> str:
        """Report that a model is about to be called; return why it must not be, or ""."""

    def call_ended(self, words: str) -> None:
        """Report a model's reply; its line is already in the episode's calls.jsonl."""


class Watcher(CallWatcher, Protocol):
    """Permits everything that a program does in an episode, and records it."""

    async def command(self, command: Command) -> Passage:
        """Ask to pass a command on; an act waits until the screen before it has been captured."""

    async def step(self, phase: Literal["begin", "end"]) -> str:
        """Report that the program itself begins or ends a step.

        Return why the episode is over; empty if it goes on.
        """


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
    return replace(command, refused=_BLINDS) if SCREEN_OFF in command.acts else command


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
