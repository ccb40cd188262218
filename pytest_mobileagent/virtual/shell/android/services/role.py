"""Roles: which app stands for browser, dialer, home and messages."""

from __future__ import annotations

from pytest_mobileagent.virtual.content.intent import MAIN, Intent
from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, JavaError, Service

HELP = """Role (role) commands:
  help or -h
    Print this help text.

  get-role-holders [--user USER_ID] ROLE
  add-role-holder [--user USER_ID] ROLE PACKAGE [FLAGS]
  remove-role-holder [--user USER_ID] ROLE PACKAGE [FLAGS]
  clear-role-holders [--user USER_ID] ROLE [FLAGS]"""
ROLES = {  # by what the apps that qualify answer
    "android.app.role.BROWSER": Intent("android.intent.action.VIEW", "http://role.invalid/"),
    "android.app.role.DIALER": Intent("android.intent.action.DIAL", "tel:"),
    "android.app.role.HOME": Intent(MAIN, categories=("android.intent.category.HOME",)),
    "android.app.role.SMS": Intent("android.intent.action.SENDTO", "smsto:"),
}
service = Service("role", HELP, interface="android.app.role.IRoleManager")


@service.dump
def dump(ctx: Context, _: list[str]) -> str:
    """Tell who holds which role."""
    rows = "".join(
        f"        {{\n          name={role}\n          holders={';'.join(_holders(ctx, role))}\n"
        "        }\n"
        for role in ROLES
    )
    return (
        "ROLE MANAGER STATE (dumpsys role):\n  user_states=[\n    {\n      user_id=0\n"
        f"      version=1\n      roles=[\n{rows}      ]\n    }}\n  ]\n"
    )


@service.command("get-role-holders")
def get(ctx: Context, args: Arguments) -> str:
    """Tell who holds a role."""
    return f"{';'.join(_holders(ctx, _role(args)))}\n"


@service.command("add-role-holder")
def add(ctx: Context, args: Arguments) -> None:
    """Let an app that qualifies hold a role, instead of the one that does."""
    role, package = _role(args), args.required()
    intent = ROLES.get(role)
    for app, kind in ctx.phone.packages.resolve(intent) if intent else ():
        if app.package == package and intent:
            ctx.phone.defaults.remember(intent, kind.component(package), always=True)
            return
    raise JavaError("java.util.concurrent.ExecutionException", "java.lang.RuntimeException: Failed")


@service.command("remove-role-holder", "clear-role-holders")
def clear(ctx: Context, args: Arguments) -> None:
    """Let the app hold no role that somebody has given it."""
    for package in _holders(ctx, _role(args)):
        ctx.phone.defaults.forget(package)


def _role(args: Arguments) -> str:
    while args.option() == "--user":
        args.required()
    return args.required()


def _holders(ctx: Context, role: str) -> list[str]:
    """Give the app that answers without a question."""
    intent = ROLES.get(role)
    found = ctx.phone.packages.resolve(intent) if intent else []
    chosen = ctx.phone.defaults.choose(intent, found) if intent and found else None
    return [chosen[0].package] if chosen else []
