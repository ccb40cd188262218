"""locksettings: the credential that unlocks the phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import FAILED, Arguments, Service
from pytest_mobileagent.virtual.shell.commands import Context, command
from pytest_mobileagent.virtual.system.keyguard import BadCredential

if TYPE_CHECKING:
    from typing import Literal

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
lock_settings = Service("lock_settings", HELP)


@command("locksettings")
async def locksettings(ctx: Context, args: list[str]) -> int:
    """Run a command of the lock settings' service."""
    return await lock_settings.run(ctx, args)


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
    @lock_settings.command(f"set-{kind}")
    async def change(ctx: Context, args: Arguments) -> int:
        right, word = await _checked(ctx, args)
        if not right:
            return FAILED
        try:
            ctx.phone.keyguard.set(kind, word)
        except BadCredential as error:
            await ctx.out(f"New credential doesn't satisfy admin policies: {error}\n")
            return FAILED
        name = {"pin": "Pin", "password": "Password", "pattern": "Pattern"}[kind]
        await ctx.out(f"{name} set to '{word}'\n")
        return 0


_setter("pin")
_setter("password")
_setter("pattern")


@lock_settings.command("clear")
async def clear(ctx: Context, args: Arguments) -> int:
    """Have no credential any more."""
    right, _ = await _checked(ctx, args)
    if not right:
        return FAILED
    ctx.phone.keyguard.clear()
    await ctx.out("Lock credential cleared\n")
    return 0


@lock_settings.command("verify")
async def verify(ctx: Context, args: Arguments) -> int:
    """Tell whether a credential is the right one."""
    right, _ = await _checked(ctx, args)
    if not right:
        return FAILED
    await ctx.out("Lock credential verified successfully\n")
    return 0


@lock_settings.command("get-disabled")
async def get_disabled(ctx: Context, _: Arguments) -> int:
    """Tell whether there is no lock screen at all."""
    await ctx.out(f"{str(ctx.phone.keyguard.method == 'none').lower()}\n")
    return 0


@lock_settings.command("set-disabled")
async def set_disabled(ctx: Context, args: Arguments) -> int:
    """Have no lock screen, or have one."""
    right, word = await _checked(ctx, args)
    if not right:
        return FAILED
    ctx.phone.keyguard.disabled = word.lower() == "true"
    await ctx.out(f"Lock screen disabled set to {str(ctx.phone.keyguard.disabled).lower()}\n")
    return 0
