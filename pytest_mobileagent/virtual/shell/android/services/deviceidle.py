"""Doze: whether the phone dozes, and which apps are exempt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.service import Arguments, Context, Service, fill

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone

SYSTEM_APP = "com.android.shell"
FILE = "/data/system/deviceidle.xml"  # where Android stores the added apps

service = Service("deviceidle")


@service.command("whitelist")
def whitelist(ctx: Context, args: Arguments) -> str:
    """Print or change the list of apps that are exempt from dozing."""
    return _whitelist(ctx.phone, args.rest())


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Print that the phone is not dozing, or the exempt apps."""
    match args:
        case ["whitelist", *words]:
            return _whitelist(ctx.phone, words)
        case [word, *_]:
            return f"Unknown command: {word}\n"
    state = "ACTIVE" if ctx.phone.power.awake else "INACTIVE"
    names = "".join(f"    {name}\n" for name in sorted(_added(ctx.phone)))
    users = f"  Whitelist user apps:\n{names}" if names else ""
    return fill("deviceidle", phone=ctx.phone, state=state, users=users)


def _whitelist(phone: Phone, words: list[str]) -> str:
    """Print, add or remove apps: +NAME, -NAME."""
    names = _added(phone)
    if not words:
        rows = [("system", SYSTEM_APP), *(("user", name) for name in sorted(names))]
        return "".join(f"{kind},{name},{phone.packages[name].uid}\n" for kind, name in rows)
    said = ""
    for word in words:
        sign, name = word[:1], word[1:]
        if sign not in ("+", "-") or not name:
            return f"{said}Package must be prefixed with +, -, or =: {word}\n"
        if sign == "-":
            said += f"Removed: {name}\n" if name in names else ""
            names.discard(name)
        elif name in phone.packages:
            names.add(name)
            said += f"Added: {name}\n"
        else:
            said += f"Unknown package: {name}\n"
    kept = "".join(f'<wl n="{name}" />\n' for name in sorted(names))
    head = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n"
    phone.files.write(FILE, f"{head}<config>\n{kept}</config>\n".encode(), mode=0o600)
    return said


def _added(phone: Phone) -> set[str]:
    if not phone.files.is_file(FILE):
        return set()
    names = re.findall(r'<wl n="([\w.]+)"', phone.files.read(FILE).decode(errors="replace"))
    return {name for name in names if name in phone.packages}
