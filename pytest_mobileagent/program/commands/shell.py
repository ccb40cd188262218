"""Reading shell scripts for the phone: what their commands do, one after the other."""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_mobileagent.action.action import Raw, Wait
from pytest_mobileagent.program.commands import script as scripts
from pytest_mobileagent.program.commands.script import Simple, cut
from pytest_mobileagent.program.commands.tools import read_tool
from pytest_mobileagent.program.watching import Act, Command, Pointer

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEEPEST = 10
_SHELLS = {"sh", "ash", "bash", "mksh"}
_SHORT_PAUSE = 0.3  # seconds that no agent means as a wait
# Commands that run the command after them, and how many of their arguments stand before it.
_BEFORE_COMMANDS = {
    "nohup": 0, "exec": 0, "command": 0, "builtin": 0, "time": 0, "setsid": 0, "busybox": 0,
    "toybox": 0, "timeout": 1, "nice": 0, "ionice": 0, "chrt": 1, "taskset": 1, "env": 0,
    "run-as": 1, "xargs": 0, "stdbuf": 0,
}  # fmt: skip
_WITH_VALUE = {"-n", "-k", "-s", "-g", "-p", "-c", "-u", "-I", "-P", "-L"}
_FALLBACK = re.compile(r"[;&|\n(){}`]|\$\(")


def read_script(script: str, text: str, depth: int = 0) -> Command:
    """Return what a script does, as the command `text`.

    What may run more than once or not at all, and what cannot be taken apart, is told as the whole
    script, if it does anything.
    """
    try:
        parsed = scripts.take_apart(script)
    except scripts.UnreadableError:
        return _guessed(script, text)
    parts: list[Command] = []
    for simple in parsed.commands:
        part = _read_simple(simple, depth)
        if simple.operator == "|" and _feeds_a_shell(simple):
            part = _guessed(script, text)
        if simple.operator == "||" and part.acts and any(each.acts for each in parts):
            part = Command(part.text, destructive=part.destructive, refused=part.refused)
        parts.append(part)
    command = _together(parts, text)
    if not parsed.straight and command.acts:
        return _opaque(command, script)
    return command


def read_words(words: Sequence[str], text: str) -> Command:
    """Return what one command does, as the command `text`."""
    return _together([_read_simple(Simple(tuple(words), shlex.join(words)), 0)], text)


def _read_simple(simple: Simple, depth: int) -> Command:
    """Return what a command does, even when other commands run it."""
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
    if name == "kill" and not simple.known:  # whatever `pidof` and the like find
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
    """Read a shell within the shell: its script is a word, or a file whose content is unknown."""
    raw = cut(simple.text)
    if name == "eval":
        command = read_script(" ".join(arguments), raw, depth + 1)
    elif "-c" in arguments:
        place = arguments.index("-c") + 1
        command = read_script(" ".join(arguments[place : place + 1]), raw, depth + 1)
    elif name == "su":
        rest = _after_options(arguments, 1)
        return _nested(rest, simple, depth)
    else:
        files = [word for word in arguments if not word.startswith("-")]
        return Command(raw, (Raw(raw),)) if files else Command(raw)
    return command if simple.known or not command.acts else _opaque(command, raw)


def _after_options(arguments: list[str], skipped: int) -> list[str]:
    rest = list(arguments)
    while rest and (rest[0].startswith("-") or "=" in rest[0].partition(" ")[0]):
        option = rest.pop(0)
        if option in _WITH_VALUE and rest:
            rest.pop(0)
    return rest[skipped:]


def _feeds_a_shell(simple: Simple) -> bool:
    name, *arguments = (PurePosixPath(word).name for word in simple.words)
    return name in {*_SHELLS, "su"} and not any(not word.startswith("-") for word in arguments)


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
    """Read a script that cannot be taken apart by what looks like its commands."""
    pieces = [re.sub(r"[\"'\\]", " ", piece).split() for piece in _FALLBACK.split(script)]
    parts = [
        _read_simple(Simple(tuple(words), " ".join(words)), _DEEPEST) for words in pieces if words
    ]
    inner = [
        _read_simple(Simple(tuple(words[place:]), " ".join(words[place:])), _DEEPEST)
        for words in pieces
        for place in range(1, min(len(words), 12))
    ]
    command = _together([*parts, *(each for each in inner if each.acts or each.refused)], text)
    return _opaque(command, script) if command.acts else command


def _opaque(command: Command, script: str) -> Command:
    return Command(
        command.text,
        (Raw(cut(script)),),
        command.looks,
        command.automation,
        command.destructive,
        command.refused,
    )


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
    last_act = max((place for place, part in enumerate(parts) if _does(part)), default=-1)
    return Command(
        text,
        tuple(acts),
        any(part.looks for part in parts[max(last_act, 0) :]),
        any(part.automation for part in parts),
        "; ".join(dict.fromkeys(part.destructive for part in parts if part.destructive)),
        next((part.refused for part in parts if part.refused), ""),
    )


def _does(part: Command) -> bool:
    return any(not isinstance(act, Wait) for act in part.acts)
