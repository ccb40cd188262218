"""dumpsys package: an installed package with its versions and permissions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.shell.android.resolvers import table
from pytest_mobileagent.virtual.shell.android.services.package import service
from pytest_mobileagent.virtual.system.packages.packaged import PackagedApp
from pytest_mobileagent.virtual.system.packages.packages import STATES
from pytest_mobileagent.virtual.system.packages.permissions import RUNTIME

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.commands import Context

BUILT_IN = "5f3e"  # the certificate of apps that are no APKs


@service.dump
def dump(ctx: Context, args: list[str]) -> str:
    """Tell about one package, or all."""
    names = [word for word in args if not word.startswith("-")]
    phone = ctx.phone
    if names and names[0] not in phone.packages:
        return f"Unable to find package: {names[0]}\n"
    wanted = names[:1] or phone.packages.names()
    resolvers = table([phone.packages.app(name) for name in wanted])
    packages = "".join(_package(phone, name) for name in wanted)
    return f"{resolvers}\nPackages:\n{packages}"


def _package(phone: Phone, name: str) -> str:
    app, installed = phone.packages.app(name), phone.packages[name]
    since, updated = (
        f"{datetime.fromtimestamp(moment, phone.clock.zone):%Y-%m-%d %H:%M:%S}"
        for moment in (installed.since, installed.updated or installed.since)
    )
    least, target, signer, debuggable = _build(app)
    token = f"{installed.uid * 2654435761 & 0xFFFFFF:x}"
    flags = (
        "SYSTEM HAS_CODE"
        if app.system
        else f"{debuggable}HAS_CODE ALLOW_CLEAR_USER_DATA ALLOW_BACKUP"
    )
    at_install = [each for each in app.permissions if each not in RUNTIME]
    runtime = [each for each in app.permissions if each in RUNTIME]
    return "\n".join(
        [
            f"  Package [{name}] ({token}):",
            f"    appId={installed.uid}",
            f"    pkg=Package{{{token} {name}}}",
            f"    codePath={phone.packages.path(name).rpartition('/')[0]}",
            f"    dataDir={app.data_dir}",
            f"    versionCode={app.version_code} minSdk={least} targetSdk={target}",
            f"    versionName={app.version_name}",
            f"    splits=[{', '.join(_splits(phone, name))}]",
            f"    signatures={_signatures(token, signer)}",
            f"    pkgFlags=[ {flags} ]",
            f"    lastUpdateTime={updated}",
            f"    installerPackageName={installed.installer or 'null'}",
            "    requested permissions:",
            *[f"      {each}" for each in app.permissions],
            "    install permissions:",
            *[f"      {each}: granted=true" for each in at_install],
            (
                "    User 0: ceDataInode=131074 installed=true hidden=false"
                " suspended=false distractionFlags=0"
                f" stopped={_word(installed.stopped)} notLaunched={_word(installed.stopped)}"
                f" enabled={STATES[installed.state]} instant=false virtual=false"
            ),
            f"      firstInstallTime={since}",
            "      runtime permissions:",
            *[
                f"        {each}: granted={_word(phone.permissions.granted(name, each))},"
                f" flags=[ {'|'.join(phone.permissions.flags(name, each))}]"
                for each in runtime
            ],
            "",
        ]
    )


def _build(app: App) -> tuple[int, int, str, str]:
    """Give the SDKs that an app was built for, who has signed it, and a flag for debugging."""
    if not isinstance(app, PackagedApp):
        return 24, 34, BUILT_IN, ""
    manifest, signer = app.apk.manifest, (app.apk.certificate or "")[:8]
    return (
        manifest.min_sdk,
        manifest.target_sdk,
        signer,
        "DEBUGGABLE " if manifest.debuggable else "",
    )


def _signatures(token: str, signer: str) -> str:
    return f"PackageSignatures{{{token} version:2, signatures:[{signer}], past signatures:[]}}"


def _splits(phone: Phone, name: str) -> list[str]:
    files = (path.rpartition("/")[2] for path in phone.packages.paths(name)[1:])
    return ["base", *(file.removeprefix("split_").removesuffix(".apk") for file in files)]


def _word(flag: object) -> str:
    return str(flag).lower()
