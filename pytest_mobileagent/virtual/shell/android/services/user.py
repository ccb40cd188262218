"""The users of the phone: one."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("user", interface="android.os.IUserManager")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell that there is one user, the owner."""
    locked = ctx.phone.keyguard.secure and ctx.phone.keyguard.locked
    return (
        "Current user: 0\n\nUsers:\n  UserInfo{0:Owner:c13} serialNo=0 isPrimary=true\n"
        "    Type: android.os.usertype.full.SYSTEM\n    Flags: 3091 (ADMIN|FULL|INITIALIZED|"
        "MAIN|PRIMARY|SYSTEM)\n    State: RUNNING_UNLOCKED\n"
        f"    Has lock credential: {str(ctx.phone.keyguard.secure).lower()}\n"
        f"    Device locked: {str(locked).lower()}\n\n"
        "  Max users: 4 (limit reached: false)\n"
    )
