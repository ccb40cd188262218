"""device_config: the flags that servers would set, kept beside the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.settings import CONFIG
from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    Answer,
    Arguments,
    Refused,
    Service,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

HELP = """Device Config (device_config) commands:
  help
      Print this help text.
  get NAMESPACE KEY
      Retrieve the current value of KEY from the given NAMESPACE.
  put NAMESPACE KEY VALUE [default]
      Change the contents of KEY to VALUE for the given NAMESPACE.
  delete NAMESPACE KEY
      Delete the entry for KEY for the given NAMESPACE.
  list [NAMESPACE]
      Print all keys and values defined, optionally for the given NAMESPACE.
  reset RESET_MODE [NAMESPACE]
      Reset all flag values, optionally for a NAMESPACE, according to RESET_MODE."""
RESET_MODES = ("untrusted_defaults", "untrusted_clear", "trusted_defaults")
service = Service("device_config", HELP, script="device_config")


async def _bad(ctx: Context) -> int:
    await ctx.err("Bad arguments\n")
    return FAILED


@service.command("get")
async def get(ctx: Context, args: Arguments) -> Answer:
    """Tell the value of a flag."""
    words = args.rest()
    if len(words) != 2:
        return await _bad(ctx)
    value = ctx.phone.settings.get(CONFIG, "/".join(words))
    return f"{'null' if value is None else value}\n"


@service.command("put")
async def put(ctx: Context, args: Arguments) -> int:
    """Set a flag."""
    words = args.rest()
    if len(words) < 3:
        return await _bad(ctx)
    ctx.phone.settings.put(CONFIG, "/".join(words[:2]), words[2])
    return 0


@service.command("delete")
async def delete(ctx: Context, args: Arguments) -> Answer:
    """Remove a flag."""
    words = args.rest()
    if len(words) != 2:
        return await _bad(ctx)
    done = ctx.phone.settings.delete(CONFIG, "/".join(words))
    verb = "Successfully deleted" if done else "Failed to delete"
    return f"{verb} {words[1]} from {words[0]}\n"


@service.command("list")
async def list_(ctx: Context, args: Arguments) -> None:
    """List the flags of a namespace, or all."""
    space = args.next()
    for name, value in sorted(ctx.phone.settings.list(CONFIG).items()):
        if space is None:
            await ctx.out(f"{name}={value}\n")
        elif name.startswith(f"{space}/"):
            await ctx.out(f"{name.removeprefix(f'{space}/')}={value}\n")


@service.command("reset")
def reset(ctx: Context, args: Arguments) -> None:
    """Remove all flags, or those of a namespace."""
    mode, space = args.next(), args.next()
    if mode not in RESET_MODES:
        raise Refused(f"Invalid reset mode: {mode}\n" if mode else "Bad arguments")
    for name in ctx.phone.settings.list(CONFIG):
        if space is None or name.startswith(f"{space}/"):
            ctx.phone.settings.delete(CONFIG, name)
