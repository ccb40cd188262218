"""Decides which shell scripts a program may run if it may see only one part of the screen.

There are countless ways to show a screen, so only commands are permitted that are known not to show
the hidden part. `screencap` and `uiautomator dump` give a black picture and an empty hierarchy.
"""

from __future__ import annotations

import re
import shlex
from base64 import b64encode
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from pytest_mobileagent.program.commands import script as scripts
from pytest_mobileagent.program.commands.script import UNKNOWN
from pytest_mobileagent.program.commands.shell import SERVICES
from pytest_mobileagent.screen.picture import size_of
from pytest_mobileagent.screen.sight import NO_HIERARCHY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pytest_mobileagent.program.commands.script import Simple
    from pytest_mobileagent.screen.sight import Part


class HiddenError(Exception):
    """A request is not permitted, because it may show the hidden part; the message says which."""


_DUMP = "/sdcard/window_dump.xml"  # where `uiautomator dump` writes by default
_TERMINALS = {"/dev/tty", "/dev/stdout", "/proc/self/fd/1"}
_PICTURE = "MOBILEAGENT_PICTURE"  # a variable of the replaced script
# A script's variables that cannot change which programs run.
_HARMLESS_VARIABLE = re.compile(r"[a-z_][a-z0-9_]*|[A-Z]|CLASSPATH|LANG|LC_ALL|TERM")
# Files that a program may read after it has written them; not where Android saves screenshots.
_OWN_FILE = re.compile(
    r"/(sdcard|mnt/sdcard|storage/emulated/0|data/local/tmp)"
    r"/(?!(DCIM|Pictures|Movies)\b|\.\.)[\w.@:+=,-][\w./@:+=,-]*"
)
_LONGEST = 60_000  # bytes of a script, of which adb allows 65,535


@dataclass(frozen=True, slots=True)
class SightedScript:
    """A permitted script, and the files in which it leaves what a program may read afterwards.

    `shows_picture` says whether the replaced script needs a picture.
    """

    script: str
    files: frozenset[str] = frozenset()
    replacements: tuple[tuple[tuple[int, int], str], ...] = ()
    shows_picture: bool = False

    def text(self, picture: bytes = b"") -> str:
        """Return the script to run instead, in which `picture` (PNG) replaces screenshots.

        Raises:
            HiddenError: if it is too long.
        """
        text = self.script
        for (start, end), replacement in reversed(self.replacements):
            text = text[:start] + replacement + text[end:]
        if self.shows_picture:
            width, height = size_of(picture)
            header = b"".join(n.to_bytes(4, "little") for n in (width, height, 1, 1))
            octal = "".join(f"\\{byte:03o}" for byte in header)
            raw = f"printf {shlex.quote(octal)}; head -c {4 * width * height} /dev/zero"
            text = f"{_PICTURE}={b64encode(picture).decode()}; {text}".replace(_RAW, raw)
        if len(text.encode("utf-8", "replace")) > _LONGEST:
            raise HiddenError("a script that is too long")
        return text


_RAW = "MOBILEAGENT_RAW"  # stands for the commands that write a raw picture


def sighted(script: str, hidden: Part, readable: Collection[str]) -> SightedScript:
    """Return a script that shows nothing of the `hidden` part.

    `readable` are the files that the program may read.

    Raises:
        HiddenError: if a command of the script is not permitted.
    """
    try:
        parsed = scripts.parse(script)
    except scripts.UnreadableScriptError as error:
        raise HiddenError(f"a script that cannot be read: {error}") from error
    for name in parsed.assigned:
        if not _HARMLESS_VARIABLE.fullmatch(name):
            raise HiddenError(f"a script that sets {name}")
    files: set[str] = set()
    replacements = []
    shows_picture = False
    for simple in parsed.commands:
        words = _core(simple.words)
        look = _look(words)
        # A redirection may keep what a file contains, and only add to it.
        keeps = any(re.match(r"\d*(&?>>|<>)", each) for each in simple.redirections)
        if parsed.straight and simple.operator != "||" and not keeps:
            written = [*simple.files, _file_of(words) if look else ""]
            files |= set(filter(_OWN_FILE.fullmatch, written))
        if look != hidden:
            files |= _check(simple, words, hidden, {*readable, *files})
        elif simple.span is None or not simple.known:
            raise HiddenError(_shown(simple))
        else:
            shows_picture |= look == "screenshot"
            replacements.append((simple.span, " ".join([_instead(words), *simple.redirections])))
    for file in parsed.reads:
        _check_readable(file, {*readable, *files})
    return SightedScript(script, frozenset(files), tuple(replacements), shows_picture)


def _shown(simple: Simple) -> str:
    return f"`{scripts.cut(simple.text)[:100]}`"


def _core(words: Sequence[str]) -> tuple[str, ...]:
    """Return a command without those that only run it."""
    core = tuple(words)
    while (skipped := _PREFIXES.get(_name(core[0]))) is not None:
        rest = core[1 + skipped :]
        if not rest or rest[0].startswith("-"):
            break
        core = rest
    return core


def _look(words: Sequence[str]) -> Part | None:
    """Return the part of the screen that a command shows, if it is one of the usual ones."""
    if _name(words[0]) == "uiautomator" and words[1:2] == ("dump",):
        return "hierarchy"
    return "screenshot" if _name(words[0]) == "screencap" else None


def _file_of(words: Sequence[str]) -> str:
    """Return the file that `screencap` or `uiautomator dump` writes; empty for none."""
    dumps = _name(words[0]) == "uiautomator"
    rest = list(words[2 if dumps else 1 :])
    files = []
    while rest:
        word = rest.pop(0)
        if word in {"-d", "-a", "--display-id"} and rest:
            rest.pop(0)
        elif not word.startswith("-"):
            files.append(word)
    return files[0] if files else _DUMP * dumps


def _instead(words: Sequence[str]) -> str:
    """Return the command that replaces a look."""
    file = _file_of(words)
    to = "" if not file or file in _TERMINALS else f" > {shlex.quote(file)}"
    if _name(words[0]) == "screencap":
        is_png = "-p" in words or file.lower().endswith(".png")
        show = f"echo ${_PICTURE} | base64 -d" if is_png else _RAW
        return f"{{ {{ {show}; }}{to}; }}"
    said = shlex.quote(f"UI hierchary dumped to: {file}")
    return f"{{ echo {shlex.quote(NO_HIERARCHY)}{to}; echo {said}; }}"


def _name(word: str) -> str:
    """Return the name of a command, if it is one of the system's; else its full path."""
    path = PurePosixPath(word)
    of_system = str(path.parent) in {".", "/system/bin", "/system/xbin", "/bin", "/vendor/bin"}
    return path.name if of_system and "/" not in word.removeprefix(str(path.parent) + "/") else word


def _check(
    simple: Simple, words: Sequence[str], hidden: Part, readable: Collection[str]
) -> frozenset[str]:
    """Check a command that does not show the hidden part in a usual way.

    Return the files that a nested script writes.

    Raises:
        HiddenError: if it is not permitted.
    """
    name, arguments = _name(words[0]), tuple(words[1:])
    if (files := _files_of(simple, name, arguments)) is not None:
        for argument in files:
            if any(char in argument for char in f"/{UNKNOWN}*?["):
                _check_readable(argument, readable)
        return frozenset()
    if name == "sh" and arguments[:1] == ("-c",) and len(arguments) == 2 and simple.known:
        nested = sighted(arguments[1], hidden, readable)
        if nested.replacements:
            raise HiddenError(_shown(simple))
        return nested.files
    known = simple.known and UNKNOWN not in "".join(words)
    permits = _TOOLS.get(name)
    if name not in _HARMLESS and not (known and permits and permits(arguments, hidden)):
        raise HiddenError(_shown(simple))
    if name == "input" and hidden == "screenshot" and _TAKES_SCREENSHOT & {*arguments}:
        raise HiddenError(_shown(simple))
    return frozenset()


def _files_of(simple: Simple, name: str, arguments: Sequence[str]) -> Sequence[str] | None:
    """Return the arguments of a command that only reads files; None if it may do something else.

    A pattern or a script is left out, if it is quoted as a whole: then the shell expands no files.
    """
    edits = _EDITOR.match(simple.text)
    quoted = edits or _SEARCHER.match(simple.text)
    place = arguments.index(quoted["script"][1:-1]) if quoted else len(arguments)
    rest = arguments[place + 1 :]
    has_options = edits and any(each.startswith("-") for each in rest)
    is_recursive = name.endswith("grep") and any(map(_RECURSIVE.match, arguments))
    if has_options or is_recursive or not (edits or name in _READING):
        return None
    return [*arguments[:place], *rest]


# They show files, which may be the phone's own pictures of the screen.
_READING = {
    "cat", "grep", "egrep", "fgrep", "head", "tail", "wc", "cut", "tr", "sort", "uniq", "base64",
    "xxd", "od",
}  # fmt: skip
_RECURSIVE = re.compile(r"-[a-zA-Z]*[rR]|--\w*rec")  # without a file, these read the folder
_QUOTED = r"""[ \t]+(?P<script>'[^']*'|"[^"$`\\]*")(?=[ \t]|\Z)"""
_SEARCHER = re.compile(r"[ef]?grep(?:[ \t]+(?:-[ABCm][ \t]*\d+|-[EFHLchilnoqsvwxz]+))*" + _QUOTED)
# Scripts of one command that reads and writes no file, and runs no program.
_LINES = r"(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq]"
_REPLACE = "|".join(rf"s[{d}](?:(?:\\.|[^\\\n'{d}])*[{d}]){{2}}[gpI\d]*" for d in "/|#,")
_PRINT = r"(?:/[\w .:=-]+/ ?)?\{ ?print(?: \$\w+(?:, ?\$\w+)*)? ?\}"
_EDITOR = re.compile(
    rf"(?:sed(?:[ \t]+-[nEr]+)*(?:[ \t]+-e)?(?=[ \t]+(['\"])(?:{_LINES}|{_REPLACE})\1(?:[ \t]|\Z))"
    rf"|awk(?:[ \t]+-F[ \t]*[^\s'\"])?(?=[ \t]+'{_PRINT}'(?:[ \t]|\Z))){_QUOTED}"
)


def _check_readable(file: str, readable: Collection[str]) -> None:
    """Check that a program may read a file: that it contains only what it was allowed to see.

    Raises:
        HiddenError: if not.
    """
    if file != "/dev/null" and not may_read(file, readable):
        raise HiddenError(f"the file {file[:100]}")


def may_read(file: str, readable: Collection[str]) -> bool:
    """Return whether a file is `readable`; `readable` lists them as they were written."""
    return any(_normal(file) == _normal(each) for each in readable)


def _normal(path: str) -> str:
    path = str(PurePosixPath("/", path))
    for alias in ("/storage/emulated/0/", "/mnt/sdcard/", "/storage/self/primary/"):
        if path.startswith(alias):
            return f"/sdcard/{path.removeprefix(alias)}"
    return path


# Commands that run another one, and how many of their own arguments precede it.
_PREFIXES = {"toybox": 0, "nohup": 0, "exec": 0, "time": 0, "timeout": 1, "command": 0}
# Whatever their arguments are, these show nothing of the screen.
_HARMLESS = {
    "input", "monkey", "sleep", "usleep", "echo", "printf", "true", "false", ":", "getprop", "date",
    "uptime", "whoami", "id", "uname", "pwd", "exit", "wait", "[", "test", "ls", "stat", "df", "du",
    "ps", "pidof", "pgrep", "kill", "pkill", "killall", "mkdir", "rmdir", "rm", "chmod", "touch",
    "md5sum", "sha1sum", "sha256sum", "which", "type", "svc", "ime", "logcat", "sync",
}  # fmt: skip
_TAKES_SCREENSHOT = {"120", "KEYCODE_SYSRQ", "SYSRQ", "keycombination"}
_OF_SIGHT = {"enabled_accessibility_services", "accessibility_enabled"}
_WINDOW = {"size", "density", "user-rotation", "fixed-to-user-rotation", "set-fix-to-user-rotation"}
_DUMPS = {
    "window", "display", "battery", "power", "package", "wifi", "connectivity", "cpuinfo", "alarm",
    "telephony.registry", "audio", "location", "bluetooth_manager", "netstats", "usagestats",
    "input", "SurfaceFlinger", "deviceidle", "meminfo",
}  # fmt: skip
_OF_ACTIVITIES = {"activities", "a", "recents", "r", "services", "s", "processes", "p", "oom", "o"}
_VIEWS = {"-c", "-v", "-a", "all"}  # of `dumpsys activity`: the apps' own state, too
_ACTIVITY = {
    "start", "start-activity", "startservice", "start-service", "start-foreground-service",
    "stopservice", "stop-service", "force-stop", "kill", "kill-all", "get-current-user", "stack",
    "switch-user", "to-uri", "get-config",
}  # fmt: skip
_BROADCASTS = re.compile(
    r"ADB_\w+|clipper\.\w+|io\.appium\.settings\.[\w.]+|android\.[\w.]+|com\.android\.[\w.]+"
)
_INSTRUMENTS = re.compile(r"io\.appium\.(uiautomator2\.server|settings)[\w.]*/[\w.]+")
_PACKAGE = (
    "list", "path", "clear", "grant", "revoke", "install", "uninstall", "enable", "disable",
    "resolve-activity", "query-activities", "query-services", "has-feature", "get-",
)  # fmt: skip
_ACTS_OF_FIND = re.compile(r"-(exec|ok|fprint|fls|files)").match
_SERVERS = {"com.wetest.uia2.Main"}  # programs whose requests `sight_gate` reads
_CONTENTS = re.compile(
    r"content://(settings|sms|mms-sms|mms|call_log|contacts|com\.android\.(contacts|calendar))\b.*"
)
_PORTAL = re.compile(r"content://com\.(droidrun|mobilerun)\.portal/([\w/]+)(\?.*)?")


def _am(words: Sequence[str], _: Part) -> bool:
    match list(words):
        case ["broadcast", *rest]:
            actions = [b for a, b in pairwise(rest) if a == "-a"]
            return bool(actions) and all(map(_BROADCASTS.fullmatch, actions))
        case ["instrument", *_, component]:
            return bool(_INSTRUMENTS.fullmatch(component))
    return bool(words) and words[0] in _ACTIVITY and not words[-1].startswith("--start-profiler")


def _dumpsys(words: Sequence[str], hidden: Part) -> bool:
    if hidden == "screenshot":
        return True  # it is text
    match [word for word in words if word not in {"-t", "-T"} and not word.isdigit()]:
        case ["-l"]:
            return True
        case ["activity", *rest]:
            sections = {word for word in rest if not word.startswith("-")}
            only = not rest or (bool(sections) and rest[0] in _OF_ACTIVITIES)
            return only and not _VIEWS & {*rest}
        case ["window", *rest]:
            return not any("view" in word or "trace" in word for word in rest)
        case [service, *_]:
            return service in _DUMPS
    return False


def _settings(words: Sequence[str], _: Part) -> bool:
    changes = bool({"put", "delete", "reset"} & {*words})
    return not (changes and _OF_SIGHT & {*words}) or words[-1] in {"0", "null", '""', ""}


def _content(words: Sequence[str], hidden: Part) -> bool:
    uri = next((b for a, b in pairwise(words) if a == "--uri"), "")
    if match := _PORTAL.fullmatch(uri):
        return words[0] == "insert" or portal_permits(match[2], hidden)
    return words[:1] != ("read",) and bool(_CONTENTS.fullmatch(uri))


def portal_permits(path: str, hidden: Part) -> bool:
    """Return whether a program may read a path of droidrun's portal."""
    first = path.strip("/").partition("/")[0]
    if first in {"ping", "version", "packages", "auth_token", "toggle_socket_server"}:
        return True
    shows: Part = "screenshot" if first.startswith("screenshot") else "hierarchy"
    return shows != hidden


def _app_process(words: Sequence[str], _: Part) -> bool:
    if "com.ysbing.yadb.Main" in words:  # it also shows the hierarchy, and takes pictures
        return words[words.index("com.ysbing.yadb.Main") + 1 :][:1] in [("-keyboard",), ("-touch",)]
    return bool(_SERVERS & {*words})


def _cmd(words: Sequence[str], hidden: Part) -> bool:
    name = SERVICES.get(words[0], "") if words else ""
    permits = _TOOLS.get(name)
    return name in _HARMLESS or bool(permits and permits(words[1:], hidden))


_TOOLS: dict[str, Callable[[Sequence[str], Part], bool]] = {
    "screencap": lambda _, hidden: hidden != "screenshot",
    "screenrecord": lambda _, hidden: hidden != "screenshot",
    "uiautomator": lambda words, hidden: (
        hidden != "hierarchy" and words[:1] in [("dump",), ("events",)]
    ),
    "dumpsys": _dumpsys,
    "am": _am,
    "pm": lambda words, _: bool(words) and words[0].startswith(_PACKAGE),
    "wm": lambda words, _: bool(words) and words[0] in _WINDOW,
    "settings": _settings,
    "content": _content,
    "app_process": _app_process,
    "find": lambda words, _: not any(map(_ACTS_OF_FIND, words)),
    "cmd": _cmd,
    "appops": lambda words, _: words[:1] in [("set",), ("get",)],
    "service": lambda words, _: (
        words[:1] in [("list",), ("check",)] or words[1:2] == ("statusbar",)
    ),
    **dict.fromkeys(
        ("statusbar", "uimode", "wifi", "bluetooth", "connectivity", "media", "location"),
        lambda words, _: words[:1] != ("dump",),
    ),
}
