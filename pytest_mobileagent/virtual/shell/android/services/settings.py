"""settings: reads and writes the settings provider."""

from __future__ import annotations

from pytest_mobileagent.virtual.content.settings import NAMESPACES
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    illegal,
)

COUNTS = {"get": (1, 1), "put": (2, 5), "delete": (1, 1), "list": (0, 0), "reset": (1, 2)}
RESET_MODES = ("untrusted_defaults", "untrusted_clear", "trusted_defaults")
service = Service("settings", script="settings")


@service.otherwise
def run(ctx: Context, args: Arguments) -> str | None:
    """Run any command; its name and that of the namespace may be in capitals."""
    verb, namespace, words = _parse(args)
    stored = ctx.phone.settings
    match verb:
        case "get":
            return f"{stored.text(namespace, words[0], 'null')}\n"
        case "put":
            try:
                stored.put(namespace, words[0], words[1])
            except ValueError as error:
                raise illegal(str(error)) from error
        case "delete":
            return f"Deleted {int(stored.delete(namespace, words[0]))} rows\n"
        case "reset":
            mode = words[0].lower()
            if mode in RESET_MODES:  # packages set no defaults here
                stored.reset(namespace, clear=mode == "untrusted_clear")
        case "list":
            pairs = stored.list(namespace).items()
            return "".join(sorted(f"{key}={value}\n" for key, value in pairs))
    return None


def _parse(words: Arguments) -> tuple[str, str, list[str]]:
    verb = words.last.lower()
    if verb not in COUNTS:
        raise Refused(f"Invalid command: {words.last}")
    options = words.options(unknown=lambda option: Refused(f"Invalid command: {option}"))
    if (user := options.get("--user", "0")) not in ("0", "current", "cur"):
        raise Refused(f"Invalid user: {user}")
    given = words.next()
    if given is None:
        raise Refused("Bad arguments")
    if given.lower() not in NAMESPACES:
        raise Refused(f"Invalid namespace '{given}'")
    if verb == "reset" and given.lower() == "system":
        raise Refused("Invalid namespace 'system'")
    rest = words.rest()
    least, most = COUNTS[verb]
    if len(rest) < least:
        raise Refused("Bad arguments")
    if len(rest) > most:
        raise Refused("Bad arguments" if verb == "put" else "Too many arguments")
    return verb, given.lower(), rest
