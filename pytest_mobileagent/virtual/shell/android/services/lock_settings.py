"""locksettings: the credential that unlocks the phone."""

from __future__ import annotations

from typing import Literal

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Refused, Service
from pytest_mobileagent.virtual.system.keyguard import BadCredential

KINDS: dict[str, Literal["pin", "password", "pattern"]] = {
    "set-pin": "pin",
    "set-password": "password",
    "set-pattern": "pattern",
}
service = Service(
    "lock_settings", script="locksettings", interface="com.android.internal.widget.ILockSettings"
)


def _checked(ctx: Context, args: Arguments) -> str:
    """Parse the options, check the old credential, and return the next word."""
    old = args.options(("--old", "--user")).get("--old", "")
    if not ctx.phone.keyguard.is_right(old):
        missing = "Old password not provided but the user has one"
        raise Refused(f"Old password '{old}' didn't match" if old else missing, out=True)
    return args.next() or ""


@service.command(*KINDS)
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


@service.command("clear")
def clear(ctx: Context, args: Arguments) -> str:
    """Remove the credential."""
    _checked(ctx, args)
    ctx.phone.keyguard.clear()
    return "Lock credential cleared\n"


@service.command("verify")
def verify(ctx: Context, args: Arguments) -> str:
    """Verify a credential."""
    _checked(ctx, args)
    return "Lock credential verified successfully\n"


@service.command("get-disabled")
def get_disabled(ctx: Context, _: Arguments) -> str:
    """Print whether the lock screen is disabled."""
    return f"{str(ctx.phone.keyguard.method == 'none').lower()}\n"


@service.command("set-disabled")
def set_disabled(ctx: Context, args: Arguments) -> str:
    """Disable or enable the lock screen."""
    ctx.phone.keyguard.disabled = _checked(ctx, args).lower() == "true"
    return f"Lock screen disabled set to {str(ctx.phone.keyguard.disabled).lower()}\n"
