"""dumpsys package: installed packages, with their versions and permissions."""

from __future__ import annotations

import zlib
from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import short
from pytest_mobileagent.virtual.shell.android.service import fill
from pytest_mobileagent.virtual.shell.android.services.package import data_folder, service
from pytest_mobileagent.virtual.system.packages.packaged import PackagedApp
from pytest_mobileagent.virtual.system.packages.packages import STATES
from pytest_mobileagent.virtual.system.packages.permissions import RUNTIME
from pytest_mobileagent.virtual.system.packages.resolution import filters

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.content.filters import Filter
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context

BUILT_IN = "5f3e"  # the certificate of apps without an APK


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Describe one package, or all."""
    names = [word for word in args if not word.startswith("-")]
    phone = ctx.phone
    if names and names[0] not in phone.packages:
        return f"Unable to find package: {names[0]}\n"
    wanted = names[:1] or phone.packages.names()
    resolvers = _table([phone.packages.app(name) for name in wanted])
    packages = "".join(_package(phone, name) for name in wanted)
    return f"{resolvers}\nPackages:\n{packages}"


def _package(phone: Phone, name: str) -> str:
    app, installed = phone.packages.app(name), phone.packages[name]
    since, updated = (
        f"{datetime.fromtimestamp(moment, phone.clock.zone):%Y-%m-%d %H:%M:%S}"
        for moment in (installed.since, installed.updated or installed.since)
    )
    least, target, signer, debuggable = _build(app)
    user = f"{debuggable}HAS_CODE ALLOW_CLEAR_USER_DATA ALLOW_BACKUP"
    files = (path.rpartition("/")[2] for path in phone.packages.paths(name)[1:])
    splits = ["base", *(file.removeprefix("split_").removesuffix(".apk") for file in files)]
    kept = phone.permissions
    return fill(
        "package_one",
        name=name,
        app=app,
        installed=installed,
        token=f"{installed.uid * 2654435761 & 0xFFFFFF:x}",
        folder=phone.packages.path(name).rpartition("/")[0],
        data=data_folder(app),
        least=least,
        target=target,
        signer=signer,
        splits=", ".join(splits),
        flags="SYSTEM HAS_CODE" if app.system else user,
        since=since,
        updated=updated,
        installer=installed.installer or None,
        state=STATES[installed.state],
        requested="".join(f"      {each}\n" for each in app.permissions),
        at_install="".join(
            f"      {each}: granted=true\n" for each in app.permissions if each not in RUNTIME
        ),
        runtime="".join(
            f"        {each}: granted={str(kept.granted(name, each)).lower()},"
            f" flags=[ {'|'.join(kept.flags(name, each))}]\n"
            for each in app.permissions
            if each in RUNTIME
        ),
    )


def _build(app: App) -> tuple[int, int, str, str]:
    """Return an app's minimum and target SDK, its signer, and a flag for debuggable apps."""
    if not isinstance(app, PackagedApp):
        return 24, 34, BUILT_IN, ""
    manifest, signer = app.apk.manifest, (app.apk.certificate or "")[:8]
    debuggable = "DEBUGGABLE " if manifest.debuggable else ""
    return manifest.min_sdk, manifest.target_sdk, signer, debuggable


def _table(apps: list[App]) -> str:
    """List the activities of some apps by the actions that they handle without data."""
    found = [
        (short(kind.component(app.package)), each)
        for app in apps
        for kind in app.activities
        for each in filters(app, kind)
    ]
    actions: dict[str, list[str]] = {}
    for name, each in found:
        if not each.schemes and not each.mime_types:
            for action in each.actions:
                actions.setdefault(action, []).append(_entry(name, each))
    lines = [f"      {action}:\n{''.join(entries)}" for action, entries in actions.items()]
    return f"Activity Resolver Table:\n  Non-Data Actions:\n{''.join(lines)}\n" if lines else ""


def _entry(name: str, each: Filter) -> str:
    token, other = (f"{zlib.crc32(text.encode()):07x}"[:7] for text in (name, f"{name} {each}"))
    actions = "".join(f'          Action: "{word}"\n' for word in each.actions)
    categories = "".join(f'          Category: "{word}"\n' for word in each.categories)
    return f"        {token} {name} filter {other}\n{actions}{categories}"
