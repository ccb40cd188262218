"""The options by which `am` and `cmd package` describe an intent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, Intent, full
from pytest_mobileagent.virtual.shell.android.service import Arguments, JavaError, illegal

if TYPE_CHECKING:
    from collections.abc import Callable


def integer(text: str) -> int:
    """Read a whole number as Java does."""
    try:
        return int(text, 0)
    except ValueError:
        raise JavaError("NumberFormatException", f'For input string: "{text}"') from None


def _decimal(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise JavaError("NumberFormatException", f'For input string: "{text}"') from None


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "t"):
        return True
    if text.lower() in ("false", "f"):
        return False
    return integer(text) != 0


def _list_of(kind: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    return lambda text: [kind(part) for part in text.split(",")]


EXTRAS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("-e", "--es", "--eu", "--ecn"), str),
    **dict.fromkeys(("--ei", "--el"), integer),
    **dict.fromkeys(("--ef", "--ed"), _decimal),
    **dict.fromkeys(("--eia", "--eial", "--ela"), _list_of(integer)),
    **dict.fromkeys(("--esa", "--esal"), _list_of(str)),
    "--ez": _boolean,
    "--efa": _list_of(_decimal),
}
ACTIVITY_FLAGS = {
    "brought-to-front": 0x00400000, "clear-task": 0x00008000, "clear-top": 0x04000000,
    "clear-when-task-reset": 0x00080000, "exclude-from-recents": 0x00800000,
    "launched-from-history": 0x00100000, "multiple-task": 0x08000000, "no-animation": 0x00010000,
    "no-history": 0x40000000, "no-user-action": 0x00040000, "previous-is-top": 0x01000000,
    "reorder-to-front": 0x00020000, "reset-task-if-needed": 0x00200000, "single-top": 0x20000000,
    "task-on-home": 0x00004000,
}  # fmt: skip
FLAGS = {f"--activity-{name}": flag for name, flag in ACTIVITY_FLAGS.items()} | {
    "--include-stopped-packages": 0x00000020, "--exclude-stopped-packages": 0x00000010,
    "--grant-read-uri-permission": 0x00000001, "--grant-write-uri-permission": 0x00000002,
    "--receiver-foreground": 0x10000000, "--receiver-registered-only": 0x40000000,
    "--receiver-replace-pending": 0x20000000,
}  # fmt: skip
FIELDS = {"-a": "action", "-d": "data", "-t": "type", "-p": "package"}


def parse_intent(
    args: Arguments, with_value: tuple[str, ...] = ("--user",), switches: tuple[str, ...] = ()
) -> tuple[Intent, set[str]]:
    """Read an intent, and which of a command's own options came with it."""
    fields: dict[str, Any] = {"extras": {}, "categories": (), "flags": 0}
    given: set[str] = set()
    while args:
        word = args.required()
        if not word.startswith("-"):
            _positional(word, fields)
        elif word in switches:
            given.add(word)
        elif word in with_value:
            args.required()
        elif not _field(word, args, fields):
            raise illegal(f"Unknown option: {word}")
    if not any(value for name, value in fields.items() if name not in ("extras", "flags")):
        raise illegal("No intent supplied")
    return Intent(**fields), given


def _field(word: str, args: Arguments, fields: dict[str, Any]) -> bool:
    """Take an option that describes an intent; False if it does not."""
    if word in FIELDS:
        fields[FIELDS[word]] = args.required()
    elif word == "-c":
        fields["categories"] = (*fields["categories"], args.required())
    elif word == "-n":
        fields["component"] = component(args.required())
    elif word == "-f":
        fields["flags"] |= integer(args.required())
    elif word in FLAGS:
        fields["flags"] |= FLAGS[word]
    elif word == "--esn":
        fields["extras"][args.required()] = None
    elif word in EXTRAS:
        key = args.required()
        fields["extras"][key] = EXTRAS[word](args.required())
    else:
        return False
    return True


def _positional(word: str, fields: dict[str, Any]) -> None:
    """Take a last word that is a URI, a component or a package."""
    if ":" in word:
        fields["data"] = word
    elif "/" in word:
        fields["component"] = component(word)
    else:
        fields["package"] = word
    if "data" not in fields and not fields.get("action"):
        fields["action"] = MAIN
        fields["categories"] = fields["categories"] or (LAUNCHER,)


def component(text: str) -> str:
    """Read a component name."""
    package, slash, name = text.partition("/")
    if not (package and slash and name):
        raise illegal(f"Bad component name: {text}")
    return full(text)
