"""locksettings: the credential that unlocks the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import (
    FAILED,
    Answer,
    Arguments,
    Refused,
    Service,
)
from pytest_mobileagent.virtual.system.keyguard import BadCredential

if TYPE_CHECKING:
    from typing import Literal

    from pytest_mobileagent.virtual.shell.commands import Context

HELP = """lockSettings service commands:

NOTE: when lock screen is set, all commands require the --old <CREDENTIAL> argument.

  help
    Prints this help text.

  get-disabled [--user USER_ID]
    Prints true if the lock screen is completely disabled.

  set-disabled [--user USER_ID] <true|false>
    When true, disables the lock screen.

  set-pattern [--old <CREDENTIAL>] [--user USER_ID] <PATTERN>
    Sets a secure lock screen that uses the given pattern.

  set-pin [--old <CREDENTIAL>] [--user USER_ID] <PIN>
    Sets a secure lock screen that uses the given PIN.

  set-password [--old <CREDENTIAL>] [--user USER_ID] <PASSWORD>
    Sets a secure lock screen that uses the given password.

  clear [--old <CREDENTIAL>] [--user USER_ID]
    Clears the lock credentials.

  verify [--old <CREDENTIAL>] [--user USER_ID]
    Verifies the lock credentials."""
service = Service(
    "lock_settings",
    HELP,
    script="locksettings",
    interface="com.android.internal.widget.ILockSettings",
)


async def _checked(ctx: Context, args: Arguments) -> tuple[bool, str]:
    """Read the options; tell whether the old credential is right, and what comes next."""
    old = ""
    while option := args.option():
        value = args.required()
        if option == "--old":
            old = value
        elif option != "--user":
            await ctx.out(f"Unknown option: {option}\n")
            return False, ""
    word, keyguard = args.next() or "", ctx.phone.keyguard
    if keyguard.is_right(old):
        return True, word
    if not old:
        await ctx.out("Old password not provided but the user has one\n")
    else:
        await ctx.out(f"Old password '{old}' didn't match\n")
    return False, word


def _setter(kind: Literal["pin", "password", "pattern"]) -> None:
    @service.command(f"set-{kind}")
    async def change(ctx: Context, args: Arguments) -> Answer:
        right, word = await _checked(ctx, args)
        if not right:
            return FAILED
        try:
            ctx.phone.keyguard.set(kind, word)
        except BadCredential as error:
            raise Refused(
                f"New credential doesn't satisfy admin policies: {error}", out=True
            ) from error
        name = {"pin": "Pin", "password": "Password", "pattern": "Pattern"}[kind]
        return f"{name} set to '{word}'\n"


_setter("pin")
_setter("password")
_setter("pattern")


@service.command("clear")
async def clear(ctx: Context, args: Arguments) -> Answer:
    """Have no credential any more."""
    right, _ = await _checked(ctx, args)
    if not right:
        return FAILED
    ctx.phone.keyguard.clear()
    return "Lock credential cleared\n"


@service.command("verify")
async def verify(ctx: Context, args: Arguments) -> Answer:
    """Tell whether a credential is the right one."""
    right, _ = await _checked(ctx, args)
    if not right:
        return FAILED
    return "Lock credential verified successfully\n"


@service.command("get-disabled")
def get_disabled(ctx: Context, _: Arguments) -> str:
    """Tell whether there is no lock screen at all."""
    return f"{str(ctx.phone.keyguard.method == 'none').lower()}\n"


@service.command("set-disabled")
async def set_disabled(ctx: Context, args: Arguments) -> Answer:
    """Have no lock screen, or have one."""
    right, word = await _checked(ctx, args)
    if not right:
        return FAILED
    ctx.phone.keyguard.disabled = word.lower() == "true"
    return f"Lock screen disabled set to {str(ctx.phone.keyguard.disabled).lower()}\n"
