"""The options by which `am` and `cmd package` describe an intent."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.virtual.content.intent import LAUNCHER, MAIN, Intent, full
from pytest_mobileagent.virtual.shell.android.service import Arguments, JavaError, illegal

if TYPE_CHECKING:
    from collections.abc import Callable


def integer(text: str) -> int:
    """Parse an integer as Java does."""
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
_FILE = resources.files(__package__) / "flags.toml"
FLAGS: dict[str, int] = tomllib.loads(_FILE.read_text("utf-8"))
FIELDS = {"-a": "action", "-d": "data", "-t": "type", "-p": "package"}


def parse_intent(
    args: Arguments, with_value: tuple[str, ...] = ("--user",), switches: tuple[str, ...] = ()
) -> tuple[Intent, set[str]]:
    """Parse an intent; also return which of the command's own options were given."""
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
    """Parse an option that describes an intent; return False if it is not one."""
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
    """Parse a positional argument: a URI, a component or a package."""
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
    """Parse a component name."""
    package, slash, name = text.partition("/")
    if not (package and slash and name):
        raise illegal(f"Bad component name: {text}")
    return full(text)
