"""Permissions, as `cmd permissionmgr` names what `pm` does."""

from __future__ import annotations

from pytest_mobileagent.virtual.shell.android.service import Service
from pytest_mobileagent.virtual.shell.android.services.package import grant, revoke

service = Service(
    "permissionmgr",
    "Permission manager (permissionmgr) commands:\n  help\n  grant PACKAGE PERMISSION\n"
    "  revoke PACKAGE PERMISSION",
    interface="android.permission.IPermissionManager",
)
service.command("grant")(grant)
service.command("revoke")(revoke)
# The older service has no commands, and says so.
Service("permission", interface="android.os.IPermissionController")
