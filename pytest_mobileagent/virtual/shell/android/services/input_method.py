"""The input methods, and the command `ime`."""

from __future__ import annotations

from zlib import crc32

from pytest_mobileagent.virtual.shell.android.service import (
    Arguments,
    Context,
    Refused,
    Service,
    fill,
    help_text,
)
from pytest_mobileagent.virtual.shell.commands import command
from pytest_mobileagent.virtual.system.input.ime import (
    Keyboard,
    UnknownInputMethod,
)

PARTICIPLES = {"enable": "enabled", "disable": "disabled", "set": "selected"}
service = Service("input_method", interface="com.android.internal.view.IInputMethodManager")


@command("ime")
async def ime(ctx: Context, args: list[str]) -> int:
    """Run a command of the input method service."""
    return await service.run(ctx, ["ime", *args] if args else [])


@service.command("ime")
def ime_command(ctx: Context, args: Arguments) -> str:
    """Run one of the commands of `ime`."""
    verb = args.next() or "help"
    if verb == "list":
        return _list(ctx, args)
    if verb == "reset":
        return _reset(ctx)
    if verb not in PARTICIPLES:
        said = help_text("input_method") if verb in ("help", "-h") else f"Unknown command: {verb}"
        raise Refused(said, out=True)
    args.options()
    ime, wanted = ctx.phone.ime, args.required()
    try:
        if verb == "enable":
            done = f": {'now' if ime.enable(wanted) else 'already'} enabled"
        elif verb == "disable":
            ime.disable(wanted)
            done = ": now disabled"
        else:
            ime.choose(wanted)
            done = " selected"
    except UnknownInputMethod as error:
        words = f"Unknown input method {wanted} cannot be {PARTICIPLES[verb]} for user #0"
        raise Refused(words) from error
    return f"Input method {wanted}{done} for user #0\n"


def _list(ctx: Context, args: Arguments) -> str:
    options = args.options(switches=("-a", "-s"))
    methods = ctx.phone.ime.installed() if "-a" in options else ctx.phone.ime.enabled()
    return "".join(f"{each.id}\n" if "-s" in options else _block(each) for each in methods)


def _reset(ctx: Context) -> str:
    ctx.phone.ime.reset()
    enabled = "".join(f"  {method.id}\n" for method in ctx.phone.ime.enabled())
    return (
        "Reset current and enabled IMEs for user #0\n"
        f"Newly selected IME: {ctx.phone.ime.current}\nNewly enabled IMEs: {{\n{enabled}}}\n"
    )


def _block(method: Keyboard) -> str:
    package, _, name = method.id.partition("/")
    return fill("input_method_one", id=method.id, name=name, package=package)


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Describe the state of the soft keyboard."""
    ime, windows = ctx.phone.ime, ctx.phone.windows
    box = windows.focused() if windows.focused_field() else None
    view = f"{box.view.kind}{{{crc32(box.key.encode()):x} VFED..CL.}}" if box else None
    connection = (
        "RemoteInputConnectionImpl{connection=InputConnection finished=false"
        f" mParentInputMethodManager.isActive()=true mServedView={view}}}"
    )
    return fill(
        "input_method",
        ime=ime,
        count=len(ime.installed()),
        client=windows.active.package,
        view=view,
        connection=connection if box else None,
    )
