"""Interprets shell scripts: which of their commands act, look at the screen, or are refused."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_mobileagent.action import Raw, Wait
from pytest_mobileagent.program.commands import (
    Act,
    Clear,
    Command,
    Pointer,
    android,
    keeping_the_screen_on,
    refusal,
)
from pytest_mobileagent.program.commands import script as scripts
from pytest_mobileagent.program.commands.script import UNKNOWN, Simple, cut
from pytest_mobileagent.program.commands.tool_servers import read_content

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_DEEPEST = 10
_SHELLS = {"sh", "ash", "bash", "mksh"}
_SHORT_PAUSE = 0.3  # seconds: a shorter sleep does not count as a wait
# Commands that run another command, and how many of their own arguments precede it.
_BEFORE_COMMANDS = {
    "nohup": 0, "exec": 0, "command": 0, "builtin": 0, "time": 0, "setsid": 0, "busybox": 0,
    "toybox": 0, "timeout": 1, "nice": 0, "ionice": 0, "chrt": 1, "taskset": 1, "env": 0,
    "run-as": 1, "xargs": 0, "stdbuf": 0,
}  # fmt: skip
_WITH_VALUE = {"-n", "-k", "-s", "-g", "-p", "-c", "-u", "-I", "-P", "-L"}
_LOOK_UPS = {"resolve-activity", "query-activities"}  # of `cmd package`: they end with the app
_FALLBACK = re.compile(r"[;&|\n(){}`]|\$\(")


def read_script(script: str, text: str, depth: int = 0) -> Command:
    """Return the command of a script, with the text `text`.

    A script that cannot be parsed, or may repeat or skip commands, is a single act, or none.
    """
    try:
        parsed = scripts.parse(script)
    except scripts.UnreadableScriptError:
        return _guessed(script, text)
    parts: list[Command] = []
    app = ""
    for simple in parsed.commands:
        if simple.known and _LOOK_UPS & {*simple.words}:
            app = simple.words[-1]
        part = _read_simple(_resolved(simple, app), depth)
        names = [PurePosixPath(word).name for word in simple.words]
        feeds_a_shell = names[0] in {*_SHELLS, "su"} and all(n.startswith("-") for n in names[1:])
        if simple.operator == "|" and feeds_a_shell:
            part = _guessed(script, text)
        if simple.operator == "||" and part.acts and any(each.acts for each in parts):
            part = Command(part.text, refused=part.refused)
        parts.append(part)
    command = _together(parts, text)
    return _opaque(command, script) if command.acts and not parsed.straight else command


def _resolved(simple: Simple, app: str) -> Simple:
    """Return a command with the activity that it starts, if that was looked up for an app."""
    starts = simple.words[:2] in {("am", "start"), ("am", "start-activity")}
    if not app or simple.known or not starts:
        return simple
    words = tuple(f"{app}/" if word == UNKNOWN else word for word in simple.words)
    return replace(simple, words=words, known=UNKNOWN not in "".join(words))


def read_words(words: Sequence[str], text: str) -> Command:
    """Return the command of one simple command, with the text `text`."""
    return _together([_read_simple(Simple(tuple(words), shlex.join(words)), 0)], text)


def _read_simple(simple: Simple, depth: int) -> Command:
    """Return the command of a simple command, which may run another one."""
    raw = cut(simple.text)
    device = next((file for file in simple.files if file.startswith("/dev/input/")), "")
    if device or _copies_to_input(simple.words):
        return Command(raw, (Raw(raw),))
    name, *arguments = simple.words
    name = PurePosixPath(name).name
    if depth < _DEEPEST:
        if name in _SHELLS or name in {"su", "eval"}:
            return _shell(name, arguments, simple, depth)
        if name in _BEFORE_COMMANDS:
            rest = _after_options(arguments, _BEFORE_COMMANDS[name])
            known = simple.known and name != "xargs"  # which adds arguments
            return _nested(rest, Simple(simple.words, simple.text, known), depth)
    if name == "sleep":
        return Command(raw, _pause(arguments))
    if name == "kill" and not simple.known:  # the process ids come from `pidof` or similar
        name, arguments = "pkill", re.findall(r"[\w.]+", simple.text)
    command = read_tool(name, arguments, raw)
    if not simple.known and (command.acts or name == "input"):
        return _opaque(command, raw)
    return command


def _nested(words: list[str], simple: Simple, depth: int) -> Command:
    if not words:
        return Command(simple.text)
    return _read_simple(Simple(tuple(words), simple.text, simple.known), depth + 1)


def _shell(name: str, arguments: list[str], simple: Simple, depth: int) -> Command:
    """Read a nested shell: its script is an argument, or a file whose content is unknown."""
    raw = cut(simple.text)
    if name == "eval":
        command = read_script(" ".join(arguments), raw, depth + 1)
    elif "-c" in arguments:
        place = arguments.index("-c") + 1
        command = read_script(" ".join(arguments[place : place + 1]), raw, depth + 1)
    elif name == "su":
        return _nested(_after_options(arguments, 1), simple, depth)
    else:
        return _opaque_if(any(not word.startswith("-") for word in arguments), raw)
    return command if simple.known or not command.acts else _opaque(command, raw)


def _after_options(arguments: list[str], skipped: int) -> list[str]:
    rest = list(arguments)
    while rest and (rest[0].startswith("-") or "=" in rest[0].partition(" ")[0]):
        option = rest.pop(0)
        if option in _WITH_VALUE and rest:
            rest.pop(0)
    return rest[skipped:]


def _copies_to_input(words: Sequence[str]) -> bool:
    if PurePosixPath(words[0]).name == "dd":
        return any(word.startswith("of=/dev/input/") for word in words)
    return PurePosixPath(words[0]).name in {"cp", "tee"} and words[-1].startswith("/dev/input/")


def _pause(arguments: list[str]) -> tuple[Act, ...]:
    try:
        seconds = float(arguments[0].rstrip("s"))
    except (IndexError, ValueError):
        return ()
    return (Wait(seconds),) if 0 < seconds < float("inf") else ()


def _guessed(script: str, text: str) -> Command:
    """Read a script that cannot be parsed, by everything in it that looks like a command."""
    pieces = [re.sub(r"[\"'\\]", " ", piece).split() for piece in _FALLBACK.split(script)]

    def read(words: list[str]) -> Command:
        return _read_simple(Simple(tuple(words), " ".join(words)), _DEEPEST)

    parts = [read(words) for words in pieces if words]
    inner = [read(words[at:]) for words in pieces for at in range(1, min(len(words), 12))]
    command = _together([*parts, *(each for each in inner if each.acts or each.refused)], text)
    return _opaque(command, script) if command.acts else command


def _opaque(command: Command, script: str) -> Command:
    return replace(command, acts=(Raw(cut(script)),))


def _together(parts: Sequence[Command], text: str) -> Command:
    """Join commands that run one after the other."""
    acts: list[Act] = []
    for act in (act for part in parts for act in part.acts):
        touching = bool(acts) and isinstance(acts[-1], Pointer)
        if isinstance(act, Wait) and not (acts and (touching or act.seconds >= _SHORT_PAUSE)):
            continue
        acts.append(act)
    while acts and isinstance(acts[-1], Wait):
        acts.pop()
    acting = (n for n, part in enumerate(parts) if any(not isinstance(a, Wait) for a in part.acts))
    last_act = max(acting, default=0)
    return Command(
        text,
        tuple(acts),
        any(part.looks for part in parts[last_act:]),
        any(part.automation for part in parts),
        next((part.refused for part in parts if part.refused), ""),
    )


# Settings that programs change in order to work, and that are irrelevant to tasks.
_OWN_SETTINGS = {
    "default_input_method", "enabled_input_methods", "show_ime_with_hard_keyboard",
    "enabled_accessibility_services", "accessibility_enabled", "window_animation_scale",
    "transition_animation_scale", "animator_duration_scale", "stay_on_while_plugged_in",
    "hidden_api_policy", "hidden_api_policy_pre_p_apps", "hidden_api_policy_p_apps",
    "hidden_api_blacklist_exemptions", "policy_control", "show_touches", "pointer_location",
}  # fmt: skip
SERVICES = {  # the tools that `cmd` runs, by the names of their services
    "input": "input", "activity": "am", "package": "pm", "settings": "settings",
    "window": "wm", "statusbar": "statusbar", "uimode": "uimode", "wifi": "wifi",
    "bluetooth_manager": "bluetooth", "connectivity": "connectivity", "content": "content",
    "media_session": "media", "location": "location", "notification": "notification",
    "appops": "appops",
}  # fmt: skip
_STATES = {  # commands that change something if their first argument begins with one of these
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
    """Return the command of one of the phone's own tools; `raw` is its text."""
    name, arguments = _started(name, arguments)
    refused = refusal(name, arguments)
    if states := _STATES.get(name):
        command = _opaque_if(arguments and arguments[0].startswith(states), raw)
    else:
        reader = _READERS.get(name)
        command = reader(arguments, raw) if reader else Command(raw)
    return replace(command, refused=refused) if refused else keeping_the_screen_on(command)


def _started(name: str, arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the tool that a command starts, directly or through its class or service."""
    words = list(arguments)
    if name == "cmd":
        if words[:1] == ["-w"]:
            del words[0]
        return (SERVICES.get(words[0], ""), words[1:]) if words else ("", [])
    if name.startswith("app_process"):
        for place, word in enumerate(words):
            if match := _CLASS.fullmatch(word):
                return match[1], words[place + 1 :]
    return name, words


def _opaque_if(does: object, raw: str) -> Command:
    """Return a command with its text as a single act if `does` is true, else without acts."""
    return Command(raw, (Raw(raw),) if does else ())


def _am(arguments: Sequence[str], raw: str) -> Command:
    match list(arguments):
        case ["start" | "start-activity", *rest]:
            return Command(raw, android.started(android.read_intent(rest), raw))
        case ["broadcast", *rest]:
            return Command(raw, android.sent(android.read_intent(rest), raw))
        case ["instrument", *_]:
            return Command(raw, automation=True)
        case ["force-stop" | "kill", *_, app] if app not in android.TOOLS:
            return Command(raw, (Raw(raw),))
    return Command(raw)


def _pm(arguments: Sequence[str], raw: str) -> Command:
    changes = arguments[:1] and arguments[0].startswith(("clear", "uninstall", "disable", "hide"))
    return _opaque_if(changes and arguments[-1] not in android.TOOLS, raw)


def _settings(arguments: Sequence[str], raw: str) -> Command:
    words = list(arguments)
    if words[:1] == ["--user"]:
        del words[:2]
    changes = words[:1] and words[0] in {"put", "delete", "reset"}
    own = len(words) > 2 and words[2] in _OWN_SETTINGS
    return _opaque_if(changes and not own, raw)


def _app_process(arguments: Sequence[str], raw: str) -> Command:
    """Read a program that Android's runtime starts: uiautomator2's server, or yadb."""
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
            acts = android.typed(text)
        case ["-keyboardClear", *_]:
            acts = (Clear(),)
        case ["-writeClipboard", text, *_]:
            acts = (Raw(android.CLIPBOARD + text),)
        case ["-touch", x, y, *rest]:
            place = android.pixel(x), android.pixel(y)
            acts = (android.swipe(*place, *place, float(rest[0]) / 1000 if rest else 0.0),)
        case ["-swipe", x1, y1, x2, y2, milliseconds, *_]:
            ends = android.pixel(x1), android.pixel(y1), android.pixel(x2), android.pixel(y2)
            acts = (android.swipe(*ends, float(milliseconds) / 1000),)
        case ["-pinch" | "-longPressDrag", *_]:
            acts = (Raw(raw),)
    return acts


_READERS: dict[str, Callable[[Sequence[str], str], Command]] = {
    "input": lambda arguments, raw: Command(raw, android.read_input(arguments, raw)),
    "monkey": lambda arguments, raw: Command(raw, android.read_monkey(arguments, raw)),
    "screencap": lambda _, raw: Command(raw, looks=True),
    "screenrecord": lambda _, raw: Command(raw, looks=True),
    "uiautomator": lambda given, raw: Command(
        raw, looks=given[:1] == ["dump"], automation=given[:1] == ["dump"]
    ),
    "sendevent": lambda _, raw: _opaque_if(True, raw),
    "am": _am,
    "pm": _pm,
    "settings": _settings,
    "svc": lambda given, raw: _opaque_if(given[:2] != ["power", "stayon"], raw),
    # Of numbered calls of a system service, only those of the status bar are known to act.
    "service": lambda given, raw: _opaque_if(given[:2] == ["call", "statusbar"], raw),
    "content": read_content,
    **dict.fromkeys(("app_process", "app_process32", "app_process64"), _app_process),
}
