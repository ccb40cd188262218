"""Who is signed in."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Context, Service

service = Service("account", interface="android.accounts.IAccountManager")


@service.dump
def dump(_ctx: Context, _: list[str]) -> str:
    """Tell that nobody is signed in."""
    return (
        "User UserInfo{0:Owner:c13}:\n  Accounts: 0\n\n  AccountId, Action_Type, timestamp, UID,"
        " TableName, Key\n  Accounts History\n\n  Active Sessions: 0\n\n"
        "  RegisteredServicesCache: 0 services\n"
    )
