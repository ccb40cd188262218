"""pm: the package manager, and what dumpsys tells about packages."""

from __future__ import annotations

import zlib
from datetime import datetime
from itertools import starmap
from textwrap import indent
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.content.intent import RESOLVER, full, short
from pytest_mobileagent.virtual.kernel.users import ROOT
from pytest_mobileagent.virtual.shell.android.intents import parse_intent
from pytest_mobileagent.virtual.shell.android.service import (
    Answer,
    Arguments,
    Context,
    JavaError,
    Refused,
    Service,
    fill,
    illegal,
)
from pytest_mobileagent.virtual.system.packages.packaged import PackagedApp
from pytest_mobileagent.virtual.system.packages.packages import STATES, UnknownPackage, filters
from pytest_mobileagent.virtual.system.packages.permissions import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from pytest_mobileagent.virtual.app.app import Activity, App
    from pytest_mobileagent.virtual.content.intent import Filter
    from pytest_mobileagent.virtual.phone import Phone

FEATURES = (
    "android.hardware.bluetooth", "android.hardware.camera", "android.hardware.location",
    "android.hardware.microphone", "android.hardware.telephony", "android.hardware.touchscreen",
    "android.hardware.wifi", "android.software.input_methods", "android.software.webview",
)  # fmt: skip
MATCH = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true"
FOR_SHELL = ("default", "enabled", "disabled-user")  # states to which shell may set a package
service = Service("package", script="pm", interface="android.content.pm.IPackageManager")


@service.command("list")
def list_(ctx: Context, args: Arguments) -> str:
    """List packages, users or features."""
    what = args.next()
    if what in ("package", "packages"):
        return _list_packages(ctx, args)
    if what == "users":
        return "Users:\n\tUserInfo{0:Owner:c13} running\n"
    if what == "features":
        return "".join(f"feature:{name}\n" for name in FEATURES)
    if what == "instrumentation":
        return _list_instrumentations(ctx, args)
    if what in ("libraries", "permission-groups", "permissions"):
        return ""
    missing = "didn't specify type of data to list"
    problem = f"unknown list type '{what}'" if what else missing
    raise Refused(f"Error: {problem}")


FILTERS: dict[str, Callable[[Context, App], bool]] = {
    "-d": lambda ctx, app: not ctx.phone.packages.enabled(app.package),
    "-e": lambda ctx, app: ctx.phone.packages.enabled(app.package),
    "-s": lambda _, app: app.system,
    "-3": lambda _, app: not app.system,
    "--apex-only": lambda *_: False,
}
COLUMNS = ("-f", "-i", "-U", "--show-versioncode")


def _list_packages(ctx: Context, args: Arguments) -> str:
    packages = ctx.phone.packages
    options = args.options(
        ("--uid", "--user"),
        (*FILTERS, *COLUMNS, "-a", "-l", "-u"),
        lambda option: Refused(f"Error: Unknown option: {option}", out=True),
    )
    uid, wanted = options.get("--uid"), args.next() or ""
    filters = [FILTERS[option] for option in options if option in FILTERS]
    lines = [
        _package_line(ctx, app, options)
        for app in map(packages.app, packages.names())
        if wanted in app.package
        and uid in (None, str(app.uid))
        and all(keeps(ctx, app) for keeps in filters)
    ]
    left = packages.kept() if "-u" in options else []
    return "".join([*lines, *(f"package:{name}\n" for name in left if wanted in name)])


def _list_instrumentations(ctx: Context, args: Arguments) -> str:
    with_path, packages = "-f" in args.options((), ("-f",)), ctx.phone.packages
    target, lines = args.next(), ""
    for app in packages.apps():
        path = f"{packages.path(app.package)}=" if with_path else ""
        for each in app.instrumentations:
            if target in (None, each.target):
                name = short(f"{app.package}/{each.name}")
                lines += f"instrumentation:{path}{name} (target={each.target})\n"
    return lines


def _package_line(ctx: Context, app: App, columns: Container[str]) -> str:
    path = f"{ctx.phone.packages.path(app.package)}=" if "-f" in columns else ""
    version = f" versionCode:{app.version_code}" if "--show-versioncode" in columns else ""
    by = ctx.phone.packages[app.package].installer or "null"
    installer = f"  installer={by}" if "-i" in columns else ""
    uid = f" uid:{app.uid}" if "-U" in columns else ""
    return f"package:{path}{app.package}{version}{installer}{uid}\n"


@service.command("path")
def path(ctx: Context, args: Arguments) -> Answer:
    """Print the path of a package's APK."""
    name = _package(args)
    if name not in ctx.phone.packages:
        return 1
    return "".join(f"package:{path}\n" for path in ctx.phone.packages.paths(name))


@service.command("clear")
def clear(ctx: Context, args: Arguments) -> str:
    """Clear a package's data."""
    name = _package(args)
    if not name:
        raise Refused("Error: no package specified", 1)
    if name not in ctx.phone.packages:
        raise Refused("Failed", 1)
    ctx.phone.packages.clear(name)
    return "Success\n"


@service.command("grant", "revoke")
def change_permission(ctx: Context, args: Arguments) -> None:
    """Grant or revoke a runtime permission."""
    granted, name, permission = args.last == "grant", _package(args), args.next()
    if not name or not permission:
        raise Refused(f"Error: no {'permission' if name else 'package'} specified", 1)
    try:
        ctx.phone.permissions.grant(name, permission, granted=granted)
    except UnknownPackage as error:
        raise illegal(f"Unknown package: {name}") from error
    except PermissionError as error:
        raise JavaError("SecurityException", str(error)) from error
    except ValueError as error:
        raise illegal(str(error)) from error


CHANGES = {  # the commands, with the states they set
    "enable": "enabled",
    "disable": "disabled",
    "disable-user": "disabled-user",
}


@service.command(*CHANGES)
def change_state(ctx: Context, args: Arguments) -> str:
    """Enable or disable a package or a component."""
    state, name = CHANGES[args.last], _package(args)
    if not name:
        raise Refused("Error: no package or component specified", 1)
    owner, slash, _ = name.partition("/")
    if owner not in ctx.phone.packages:
        raise illegal(f"Unknown package: {owner}")
    if ctx.uid != ROOT and (slash or state not in FOR_SHELL):
        what, number = full(name) if slash else f"{owner}/null", STATES[state]
        message = f"Shell cannot change component state for {what} to {number}"
        raise JavaError("SecurityException", message)
    if slash:
        ctx.phone.packages.switch(full(name), on=state in ("default", "enabled"))
        return f"Component {{{full(name)}}} new state: {state}\n"
    ctx.phone.packages.set_state(owner, state)
    return f"Package {owner} new state: {state}\n"


@service.command("resolve-activity")
def resolve_activity(ctx: Context, args: Arguments) -> str:
    """Print the activity that would handle an intent."""
    intent, options = parse_intent(args, ("--user",), ("--brief", "--components", "--query-flags"))
    found = ctx.phone.packages.resolve(intent)
    if not found:
        return "No activity found\n"
    chosen = ctx.phone.defaults.choose(intent, found)
    if chosen and not {"--brief", "--components"} & {*options}:
        return _resolved(*chosen)
    name = short(chosen[1].component(chosen[0].package)) if chosen else RESOLVER
    head = "" if "--components" in options else f"{MATCH}\n"
    return f"{head}{name}\n"


@service.command("query-activities")
def query_activities(ctx: Context, args: Arguments) -> str:
    """List the activities that would handle an intent."""
    intent, options = parse_intent(args, ("--user",), ("--brief", "--components", "--query-flags"))
    answers = ctx.phone.packages.resolve(intent)
    found = [short(kind.component(app.package)) for app, kind in answers]
    if not found:
        return "No activities found\n"
    if "--components" in options:
        return "".join(f"{name}\n" for name in found)
    brief = "--brief" in options
    told = [f"{MATCH}\n{name}\n" for name in found] if brief else starmap(_resolved, answers)
    blocks = (f"  Activity #{at}:\n{indent(text, '    ')}" for at, text in enumerate(told))
    return f"{len(found)} activities found:\n{''.join(blocks)}"


def _resolved(app: App, kind: type[Activity]) -> str:
    """Describe an activity that would handle an intent."""
    return fill(
        "resolve_info",
        match=MATCH,
        name=kind.component(app.package).partition("/")[2],
        exported=kind.exported,
        app=app,
        folder=data_folder(app),
    )


def data_folder(app: App) -> str:
    """Return an app's data folder as the package manager prints it, with the user's number."""
    return app.data_dir.replace("/data/data/", "/data/user/0/", 1)


@service.command("dump")
async def dump(ctx: Context, args: Arguments) -> None:
    """Print what several services know about a package."""
    name = _package(args)
    if not name:
        raise illegal('Argument expected after "dump"')
    for service in ("package", "activity"):
        await ctx.out(f"DUMP OF SERVICE {service}:\n")
        await ctx.run(["dumpsys", service, name])
        await ctx.out("\n")


def _package(args: Arguments) -> str:
    """Take the package name after any options."""
    args.options(switches=None)
    return args.next() or ""


BUILT_IN = "5f3e"  # the certificate of apps without an APK


@service.dump
def dump_packages(ctx: Context, args: list[str]) -> str:
    """Describe one package, or all."""
    words, phone = [word for word in args if not word.startswith("-")], ctx.phone
    if words[:1] == ["preferred-xml"]:
        chosen = sorted(map(short, phone.defaults.save()["always"].values()))
        items = "".join(f'<item name="{each}" always="true" />\n' for each in chosen)
        return f"<preferred-activities>\n{items}</preferred-activities>\n"
    is_part = words[:1] == ["packages"]  # without the table of activities
    names = [] if is_part else words[:1]
    if names and names[0] not in phone.packages:
        return f"Unable to find package: {names[0]}\n"
    wanted = names or phone.packages.names()
    resolvers = "" if is_part else _table([phone.packages.app(name) for name in wanted])
    packages = "".join(_described(phone, name) for name in wanted)
    return f"{resolvers}\nPackages:\n{packages}"


def _described(phone: Phone, name: str) -> str:
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
