"""settings: reads and writes the settings provider."""

from __future__ import annotations

from pytest_mobileagent.virtual.content.settings import NAMESPACES
from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    Arguments,
    JavaError,
    Service,
    illegal,
)
from pytest_mobileagent.virtual.shell.commands import Context, command

HELP = """Settings provider (settings) commands:
  help
      Print this help text.
  get [--user <USER_ID> | current] NAMESPACE KEY
      Retrieve the current value of KEY.
  put [--user <USER_ID> | current] NAMESPACE KEY VALUE [TAG] [default] [overrideableByRestore]
      Change the contents of KEY to VALUE.
  delete [--user <USER_ID> | current] NAMESPACE KEY
      Delete the entry for KEY.
  reset [--user <USER_ID> | current] NAMESPACE {PACKAGE_NAME | RESET_MODE}
      Reset the global/secure table for a package with mode.
      RESET_MODE is one of {untrusted_defaults, untrusted_clear, trusted_defaults},
      case-insensitive
  list [--user <USER_ID> | current] NAMESPACE
      Print all defined keys.
      NAMESPACE is one of {system, secure, global}, case-insensitive"""
COUNTS = {"get": (1, 1), "put": (2, 5), "delete": (1, 1), "list": (0, 0), "reset": (1, 2)}
RESET_MODES = ("untrusted_defaults", "untrusted_clear", "trusted_defaults")


class BadCall(Exception):  # noqa: N818 - not a failure of ours
    """What is wrong with the words of a call."""


@command("settings")
async def settings(ctx: Context, args: list[str]) -> int:
    """Run one command of the settings provider."""
    if not args or args[0] in ("help", "-h"):
        await ctx.out(f"{HELP}\n")
        return FAILED
    try:
        verb, namespace, words = _parse(args)
    except BadCall as problem:
        await ctx.err(f"{problem}\n")
        return FAILED
    try:
        return await _do(ctx, verb, namespace, words)
    except JavaError as error:
        await ctx.err(f"\nException occurred while executing '{verb}':\n{error.trace()}")
        return FAILED


def _parse(args: list[str]) -> tuple[str, str, list[str]]:
    words = Arguments(args)
    verb = (words.next() or "").lower()
    if verb not in COUNTS:
        raise BadCall(f"Invalid command: {args[0]}")
    while option := words.option():
        if option != "--user":
            raise BadCall(f"Invalid command: {option}")
        user = words.next() or ""
        if user not in ("0", "current", "cur"):
            raise BadCall(f"Invalid user: {user}")
    given = words.next()
    if given is None:
        raise BadCall("Bad arguments")
    if given.lower() not in NAMESPACES:
        raise BadCall(f"Invalid namespace '{given}'")
    if verb == "reset" and given.lower() == "system":
        raise BadCall("Invalid namespace 'system'")
    rest = words.rest()
    least, most = COUNTS[verb]
    if len(rest) < least:
        raise BadCall("Bad arguments")
    if len(rest) > most:
        raise BadCall("Bad arguments" if verb == "put" else "Too many arguments")
    return verb, given.lower(), rest


async def _do(ctx: Context, verb: str, namespace: str, words: list[str]) -> int:
    stored = ctx.phone.settings
    match verb:
        case "get":
            value = stored.get(namespace, words[0])
            await ctx.out(f"{'null' if value is None else value}\n")
        case "put":
            try:
                stored.put(namespace, words[0], words[1])
            except ValueError as error:
                raise illegal(str(error)) from error
        case "delete":
            await ctx.out(f"Deleted {int(stored.delete(namespace, words[0]))} rows\n")
        case "reset":
            mode = words[0].lower()
            if mode in RESET_MODES:
                stored.reset(namespace, clear=mode == "untrusted_clear")
        case "list":
            lines = sorted(f"{key}={value}\n" for key, value in stored.list(namespace).items())
            await ctx.out("".join(lines))
    return 0


settings_service = Service("settings", HELP)
for _verb in COUNTS:

    @settings_service.command(_verb)
    async def _command(ctx: Context, args: Arguments, verb: str = _verb) -> int:
        return await settings(ctx, [verb, *args.rest()])
