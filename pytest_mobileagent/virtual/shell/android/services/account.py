"""Who is signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import Service

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.shell.commands import Context

service = Service("account", interface="android.accounts.IAccountManager")


@service.dump
def dump(_ctx: Context, _: list[str]) -> str:
    """Tell that nobody is signed in."""
    return (
        "User UserInfo{0:Owner:c13}:\n  Accounts: 0\n\n  AccountId, Action_Type, timestamp, UID,"
        " TableName, Key\n  Accounts History\n\n  Active Sessions: 0\n\n"
        "  RegisteredServicesCache: 0 services\n"
    )
