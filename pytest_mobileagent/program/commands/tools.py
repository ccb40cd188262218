"""The phone's own commands by name: which act, which look, which destroy something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Raw
from pytest_mobileagent.program.commands.destructive import (
    keeping_the_screen_on,
    read_destructive,
)
from pytest_mobileagent.program.commands.inputs import pixel, read_input, read_monkey, swipe
from pytest_mobileagent.program.commands.intents import (
    CLIPBOARD,
    TOOLS,
    read_intent,
    sent,
    started,
    typed,
)
from pytest_mobileagent.program.commands.portal import read_content
from pytest_mobileagent.program.watching import Act, Clear, Command

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Settings that programs change to be able to work, and that no task is about.
_OWN_SETTINGS = {
    "default_input_method", "enabled_input_methods", "show_ime_with_hard_keyboard",
    "enabled_accessibility_services", "accessibility_enabled", "window_animation_scale",
    "transition_animation_scale", "animator_duration_scale", "stay_on_while_plugged_in",
    "hidden_api_policy", "hidden_api_policy_pre_p_apps", "hidden_api_policy_p_apps",
    "hidden_api_blacklist_exemptions", "policy_control", "show_touches", "pointer_location",
}  # fmt: skip
_SERVICES = {
    "input": "input", "activity": "am", "package": "pm", "settings": "settings",
    "window": "wm", "statusbar": "statusbar", "uimode": "uimode", "wifi": "wifi",
    "bluetooth_manager": "bluetooth", "connectivity": "connectivity", "content": "content",
    "media_session": "media", "location": "location", "notification": "notification",
}  # fmt: skip
_STATES = {  # commands whose first argument says whether they change what the phone does
    "statusbar": ("expand-", "collapse"),
    "uimode": ("night", "car"),
    "wifi": ("set-wifi-enabled", "connect-network", "forget-network"),
    "location": ("set-location-enabled",),
    "notification": ("set_dnd", "post"),
    "media": ("volume", "dispatch"),
    "bluetooth": ("enable", "disable"),
    "connectivity": ("airplane-mode",),
}
_CLASS = re.compile(r"com\.android\.commands\.(\w+)\.\w+")
_UIAUTOMATOR2 = "com.wetest.uia2.Main"
_YADB = "com.ysbing.yadb.Main"


def read_tool(name: str, arguments: Sequence[str], raw: str) -> Command:
    """Return what a command of the phone does; `raw` is it in its own words."""
    name, arguments = _started(name, arguments)
    destructive, refused = read_destructive(name, arguments)
    reader = _READERS.get(name)
    command = reader(arguments, raw) if reader else Command(raw)
    if not (destructive or refused):
        return keeping_the_screen_on(command)
    return Command(raw, command.acts, command.looks, command.automation, destructive, refused)


def _started(name: str, arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the tool that a command starts, directly or by its class or service."""
    words = list(arguments)
    if name == "cmd":
        if words[:1] == ["-w"]:
            del words[0]
        return (_SERVICES.get(words[0], ""), words[1:]) if words else ("", [])
    if name.startswith("app_process"):
        for place, word in enumerate(words):
            if match := _CLASS.fullmatch(word):
                return match[1], words[place + 1 :]
    return name, words


def _input(arguments: Sequence[str], raw: str) -> Command:
    return Command(raw, read_input(arguments, raw))


def _monkey(arguments: Sequence[str], raw: str) -> Command:
    return Command(raw, read_monkey(arguments, raw))


def _look(arguments: Sequence[str], raw: str) -> Command:
    return Command(raw, looks=True)


def _uiautomator(arguments: Sequence[str], raw: str) -> Command:
    dumps = arguments[:1] == ["dump"]
    return Command(raw, looks=dumps, automation=dumps)


def _act(arguments: Sequence[str], raw: str) -> Command:
    return Command(raw, (Raw(raw),))


def _am(arguments: Sequence[str], raw: str) -> Command:
    match list(arguments):
        case ["start" | "start-activity", *rest]:
            return Command(raw, started(read_intent(rest), raw))
        case ["broadcast", *rest]:
            return Command(raw, sent(read_intent(rest), raw))
        case ["instrument", *_]:
            return Command(raw, automation=True)
        case ["force-stop" | "kill", *_, app] if app not in TOOLS:
            return Command(raw, (Raw(raw),))
    return Command(raw)


def _pm(arguments: Sequence[str], raw: str) -> Command:
    changes = arguments[:1] and arguments[0].startswith(("clear", "uninstall", "disable", "hide"))
    return Command(raw, (Raw(raw),) if changes and arguments[-1] not in TOOLS else ())


def _settings(arguments: Sequence[str], raw: str) -> Command:
    words = list(arguments)
    if words[:1] == ["--user"]:
        del words[:2]
    changes = words[:1] and words[0] in {"put", "delete", "reset"}
    own = len(words) > 2 and words[2] in _OWN_SETTINGS
    return Command(raw, (Raw(raw),) if changes and not own else ())


def _svc(arguments: Sequence[str], raw: str) -> Command:
    return Command(raw, () if arguments[:2] == ["power", "stayon"] else (Raw(raw),))


def _service(arguments: Sequence[str], raw: str) -> Command:
    """Read a call of a system service by number: only the status bar's are surely an act."""
    return Command(raw, (Raw(raw),) if arguments[:2] == ["call", "statusbar"] else ())


def _content(arguments: Sequence[str], raw: str) -> Command:
    return read_content(arguments, raw)


def _app_process(arguments: Sequence[str], raw: str) -> Command:
    """Read a program of Android's own runtime: uiautomator2's server, or what yadb does."""
    if _UIAUTOMATOR2 in arguments:
        return Command(raw, automation=True)
    if _YADB not in arguments:
        return Command(raw)
    rest = list(arguments[arguments.index(_YADB) + 1 :])
    try:
        return Command(raw, _yadb(rest, raw), looks=rest[0] in {"-layout", "-screenshot"})
    except (ValueError, IndexError, OverflowError):
        return Command(raw, (Raw(raw),))


def _yadb(arguments: list[str], raw: str) -> tuple[Act, ...]:
    acts: tuple[Act, ...] = ()
    match arguments:
        case ["-keyboard", text, *_]:
            acts = typed(text)
        case ["-keyboardClear", *_]:
            acts = (Clear(),)
        case ["-writeClipboard", text, *_]:
            acts = (Raw(CLIPBOARD + text),)
        case ["-touch", x, y, *rest]:
            place = pixel(x), pixel(y)
            acts = (swipe(*place, *place, float(rest[0]) / 1000 if rest else 0.0),)
        case ["-swipe", x1, y1, x2, y2, milliseconds, *_]:
            ends = pixel(x1), pixel(y1), pixel(x2), pixel(y2)
            acts = (swipe(*ends, float(milliseconds) / 1000),)
        case ["-pinch" | "-longPressDrag", *_]:
            acts = (Raw(raw),)
    return acts


def _state(name: str) -> Callable[[Sequence[str], str], Command]:
    def read(arguments: Sequence[str], raw: str) -> Command:
        changes = len(arguments) > 0 and arguments[0].startswith(_STATES[name])
        return Command(raw, (Raw(raw),) if changes else ())

    return read


_READERS: dict[str, Callable[[Sequence[str], str], Command]] = {
    "input": _input,
    "monkey": _monkey,
    "screencap": _look,
    "screenrecord": _look,
    "uiautomator": _uiautomator,
    "sendevent": _act,
    "am": _am,
    "pm": _pm,
    "settings": _settings,
    "svc": _svc,
    "service": _service,
    "content": _content,
    "app_process": _app_process,
    "app_process32": _app_process,
    "app_process64": _app_process,
    **{name: _state(name) for name in _STATES},
}
