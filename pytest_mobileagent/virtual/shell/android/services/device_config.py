"""device_config: the flags that servers would set, kept beside the settings."""

from __future__ import annotations

from pytest_mobileagent.virtual.content.settings import CONFIG
from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service

RESET_MODES = ("untrusted_defaults", "untrusted_clear", "trusted_defaults")
service = Service("device_config", script="device_config")


def _flag(args: Arguments) -> str:
    return f"{_word(args)}/{_word(args)}"


def _word(args: Arguments) -> str:
    word = args.next()
    if word is None:
        raise Refused("Bad arguments")
    return word


@service.command("get")
def get(ctx: Context, args: Arguments) -> str:
    """Tell the value of a flag."""
    value = ctx.phone.settings.get(CONFIG, _flag(args))
    return f"{'null' if value is None else value}\n"


@service.command("put")
def put(ctx: Context, args: Arguments) -> None:
    """Set a flag."""
    ctx.phone.settings.put(CONFIG, _flag(args), _word(args))


@service.command("delete")
def delete(ctx: Context, args: Arguments) -> str:
    """Remove a flag."""
    name = _flag(args)
    done = ctx.phone.settings.delete(CONFIG, name)
    space, _, key = name.partition("/")
    return f"{'Successfully deleted' if done else 'Failed to delete'} {key} from {space}\n"


@service.command("list")
def list_(ctx: Context, args: Arguments) -> str:
    """List the flags of a namespace, or all."""
    start = f"{space}/" if (space := args.next()) else ""
    flags = sorted(ctx.phone.settings.list(CONFIG).items())
    return "".join(f"{k.removeprefix(start)}={v}\n" for k, v in flags if k.startswith(start))


@service.command("reset")
def reset(ctx: Context, args: Arguments) -> None:
    """Remove all flags, or those of a namespace."""
    mode, space = args.next(), args.next()
    if mode not in RESET_MODES:
        raise Refused(f"Invalid reset mode: {mode}\n" if mode else "Bad arguments")
    for name in ctx.phone.settings.list(CONFIG):
        if space is None or name.startswith(f"{space}/"):
            ctx.phone.settings.delete(CONFIG, name)
