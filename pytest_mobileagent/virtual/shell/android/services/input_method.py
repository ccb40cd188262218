"""The input methods, and `ime`."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from pytest_mobileagent.virtual.shell.android.service import FAILED, Arguments, Refused, Service
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.system.input.ime import Keyboard, UnknownInputMethod

if TYPE_CHECKING:
    from collections.abc import Callable

HELP = """ime <command>:
  list [-a] [-s]
    prints all enabled input methods.
      -a: see all input methods
      -s: only a single summary line of each
  enable [--user <USER_ID>] <ID>
    allows the given input method ID to be used.
  disable [--user <USER_ID>] <ID>
    disallows the given input method ID to be used.
  set [--user <USER_ID>] <ID>
    switches to the given input method ID.
  reset [--user <USER_ID>]
    reset currently selected/enabled IMEs to the default ones"""
service = Service("input_method", HELP, interface="com.android.internal.view.IInputMethodManager")


@command("ime")
async def ime(ctx: Context, args: list[str]) -> int:
    """Run a command of the input method service."""
    return await service.run(ctx, ["ime", *args] if args else [])


@service.command("ime")
async def ime_command(ctx: Context, args: Arguments) -> int:
    """Run one of the commands that `ime` has."""
    verb = args.next() or "help"
    if verb not in VERBS:
        raise Refused(
            f"{HELP}\n" if verb in ("help", "-h") else f"Unknown command: {verb}", out=True
        )
    return await VERBS[verb](ctx, args)


async def _list(ctx: Context, args: Arguments) -> int:
    options: set[str] = set()
    while option := args.option():
        options.update(option.removeprefix("-"))
    methods = ctx.phone.ime.installed() if "a" in options else ctx.phone.ime.enabled()
    for method in methods:
        await ctx.out(f"{method.id}\n" if "s" in options else _block(method))
    return 0


def _block(method: Keyboard) -> str:
    package, _, name = method.id.partition("/")
    return (
        f"{method.id}:\n"
        f"  mId={method.id} mSettingsActivityName=null mIsVrOnly=false"
        " mSupportsSwitchingToNextInputMethod=true\n"
        f"  mIsDefaultResId=0x0\n  Service:\n    name={name} packageName={package}\n"
    )


async def _enable(ctx: Context, args: Arguments) -> int:
    def change(id: str) -> str:
        return ": now enabled" if ctx.phone.ime.enable(id) else ": already enabled"

    return await _change(ctx, args, change, "enabled")


async def _disable(ctx: Context, args: Arguments) -> int:
    def change(id: str) -> str:
        ctx.phone.ime.disable(id)
        return ": now disabled"

    return await _change(ctx, args, change, "disabled")


async def _set(ctx: Context, args: Arguments) -> int:
    def change(id: str) -> str:
        ctx.phone.ime.choose(id)
        return " selected"

    return await _change(ctx, args, change, "selected")


async def _change(
    ctx: Context, args: Arguments, change: Callable[[str], str], participle: str
) -> int:
    """Do what `change` does, which says what that was; an id may be unknown to it."""
    wanted = _id(args)
    try:
        done = change(wanted)
    except UnknownInputMethod:
        await ctx.err(f"Unknown input method {wanted} cannot be {participle} for user #0\n")
        return FAILED
    await ctx.out(f"Input method {wanted}{done} for user #0\n")
    return 0


async def _reset(ctx: Context, args: Arguments) -> int:
    args.rest()
    ctx.phone.ime.reset()
    enabled = "".join(f"  {method.id}\n" for method in ctx.phone.ime.enabled())
    await ctx.out(
        "Reset current and enabled IMEs for user #0\n"
        f"Newly selected IME: {ctx.phone.ime.current}\nNewly enabled IMEs: {{\n{enabled}}}\n"
    )
    return 0


def _id(args: Arguments) -> str:
    while args.option() == "--user":
        args.required()
    return args.required()


VERBS = {
    "list": _list,
    "enable": _enable,
    "disable": _disable,
    "set": _set,
    "reset": _reset,
}


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell the state of the soft keyboard."""
    ime, windows = ctx.phone.ime, ctx.phone.windows
    box = windows.focused() if windows.focused_field() else None
    shown = str(ime.shown).lower()
    view = f"{box.view.kind}{{{crc32(box.key.encode()):x} VFED..CL.}}" if box else "null"
    connection = (
        "RemoteInputConnectionImpl{connection=InputConnection finished=false"
        " mParentInputMethodManager.isActive()=true mServedView=" + view + "}"
        if box
        else "null"
    )
    return (
        "Current Input Method Manager state:\n"
        f"  Input Methods: mMethodMapUpdateCount={len(ime.installed())}\n"
        f"  mCurMethodId={ime.current}\n"
        f"  mCurFocusedWindowClient={windows.active.package}\n"
        f"  mShowRequested={shown}\n  mShowExplicitlyRequested={shown}\n  mShowForced=false\n"
        f"  mInputShown={shown}\n"
        f"Client:\n  mServedView={view}\n  mServedInputConnection={connection}\n"
        f"Input method service state:\n  mIsInputViewShown={shown}\n"
    )
