"""settings and locksettings: the settings provider, and the credential that unlocks the phone."""

from __future__ import annotations

import zlib
from typing import Literal

from pytest_mobileagent.virtual.content.settings import NAMESPACES
from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
    illegal,
)
from pytest_mobileagent.virtual.system.keyguard import BadCredential

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
    if not least <= len(rest) <= most:
        many = len(rest) > most and verb != "put"
        raise Refused("Too many arguments" if many else "Bad arguments")
    return verb, given.lower(), rest


KINDS: dict[str, Literal["pin", "password", "pattern"]] = {
    "set-pin": "pin",
    "set-password": "password",
    "set-pattern": "pattern",
}
INTERFACE = "com.android.internal.widget.ILockSettings"
lock = Service("lock_settings", script="locksettings", interface=INTERFACE)


@lock.dump
def dump_lock(ctx: Context, _: list[str]) -> str:
    """Describe the credential; the number of its protector is a new one with each credential."""
    kept = ctx.phone.keyguard.save()
    number = zlib.crc32(f"{kept['kind']} {kept['secret']}".encode())
    return fill("lock_settings", number=number, kind=kept["kind"].upper() or "NONE")


def _checked(ctx: Context, args: Arguments) -> str:
    """Parse the options, check the old credential, and return the next word."""
    old = args.options(("--old", "--user")).get("--old", "")
    if not ctx.phone.keyguard.is_right(old):
        missing = "Old password not provided but the user has one"
        raise Refused(f"Old password '{old}' didn't match" if old else missing, out=True)
    return args.next() or ""


@lock.command(*KINDS)
def change(ctx: Context, args: Arguments) -> str:
    """Set a new credential."""
    kind = KINDS[args.last]
    word = _checked(ctx, args)
    try:
        ctx.phone.keyguard.set(kind, word)
    except BadCredential as error:
        words = f"New credential doesn't satisfy admin policies: {error}"
        raise Refused(words, out=True) from error
    return f"{kind.capitalize()} set to '{word}'\n"


@lock.command("clear")
def clear(ctx: Context, args: Arguments) -> str:
    """Remove the credential."""
    _checked(ctx, args)
    ctx.phone.keyguard.clear()
    return "Lock credential cleared\n"


@lock.command("verify")
def verify(ctx: Context, args: Arguments) -> str:
    """Verify a credential."""
    _checked(ctx, args)
    return "Lock credential verified successfully\n"


@lock.command("get-disabled")
def get_disabled(ctx: Context, _: Arguments) -> str:
    """Print whether the lock screen is disabled."""
    return f"{str(ctx.phone.keyguard.method == 'none').lower()}\n"


@lock.command("set-disabled")
def set_disabled(ctx: Context, args: Arguments) -> str:
    """Disable or enable the lock screen."""
    ctx.phone.keyguard.disabled = _checked(ctx, args).lower() == "true"
    return f"Lock screen disabled set to {str(ctx.phone.keyguard.disabled).lower()}\n"
