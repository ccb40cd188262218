"""What an app must be like to be installed, and in which words Android refuses it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.packages.packaged import PackagedApp

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.apk import Apk
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.properties import Properties
    from pytest_mobileagent.virtual.system.packages.session import Options, Session

LEAST_TARGET = 23  # Android 14 takes no app that was made for an older SDK
SAYS_EXPORTED = 31  # from this SDK on components with filters say whether they are exported


class InstallError(Exception):
    """Android's name for what is wrong, and what it says about it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")


def file_of(apk: Apk) -> str:
    """Give the name of an installed app's file."""
    return f"split_{apk.manifest.split}.apk" if apk.manifest.split else "base.apk"


def check(props: Properties, session: Session, parts: dict[str, Apk], before: App | None) -> None:
    """Demand of the parts of an app all that Android demands; InstallError."""
    for name, apk in parts.items():
        _check_signed(apk, f"{session.folder}/{name}")
    _check_alike(session, parts, before)
    for name, apk in parts.items():
        _check_apk(props, apk, f"{session.folder}/{name}", session.options)
    if before is not None:
        _check_update(props, next(iter(parts.values())), session.options, before)


def _check_signed(apk: Apk, path: str) -> None:
    if apk.certificate is None:
        why = "Attempt to get length of null array"
        message = f"Failed to collect certificates from {path}: {why}"
        raise InstallError("INSTALL_PARSE_FAILED_NO_CERTIFICATES", message)


def _check_alike(session: Session, parts: dict[str, Apk], before: App | None) -> None:
    """Demand that the parts are all of one version of one app, and no two the same one."""
    first = next(iter(parts.values()))
    wanted, inherit = first.manifest, session.options.inherit
    for name, apk in parts.items():
        path, found = f"{session.folder}/{name}", apk.manifest
        package = inherit or wanted.package
        if found.package != package:
            raise _invalid(f"{path} package {found.package} inconsistent with {package}")
        if found.version_code != wanted.version_code:
            versions = f"{found.version_code} inconsistent with {wanted.version_code}"
            raise _invalid(f"{path} version code {versions}")
        if apk.certificate != first.certificate:
            raise _invalid(f"{path} signatures are inconsistent")
    splits = Counter(apk.manifest.split for apk in parts.values())
    twice = next((split for split, times in splits.items() if times > 1), None)
    if twice is not None:
        raise _invalid(f"Split {twice or 'null'} was defined multiple times")
    if inherit and before is None:
        raise _invalid(f"Missing existing base package for {inherit}")
    if not inherit and "" not in splits:
        raise _invalid("Full install must include a base package")
    if any(apk.manifest.split_required for apk in parts.values()) and set(splits) == {""}:
        message = f"Missing split for {wanted.package}"
        raise InstallError("INSTALL_FAILED_MISSING_SPLIT", message)


def _invalid(message: str) -> InstallError:
    return InstallError("INSTALL_FAILED_INVALID_APK", message)


def _check_apk(props: Properties, apk: Apk, path: str, options: Options) -> None:
    """Demand that this phone can run an APK, and that it is meant for it."""
    manifest, sdk = apk.manifest, int(props["ro.build.version.sdk"])
    if manifest.min_sdk > sdk:
        where = f"{path} (at Binary XML file line #{manifest.sdk_line})"
        why = f"Requires newer sdk version #{manifest.min_sdk} (current version is #{sdk})"
        message = f"Failed parse during installPackageLI: {where}: {why}"
        raise InstallError("INSTALL_FAILED_OLDER_SDK", message)
    if not manifest.split and manifest.target_sdk < LEAST_TARGET and not options.old_target:
        found = f"but found {manifest.target_sdk}"
        message = f"App package must target at least SDK version {LEAST_TARGET}, {found}"
        raise InstallError("INSTALL_FAILED_DEPRECATED_SDK_VERSION", message)
    _check_exported(apk, path)
    if manifest.test_only and not options.tests:
        message = "Failed to install test-only apk. Did you forget to add -t?"
        raise InstallError("INSTALL_FAILED_TEST_ONLY", message)
    if apk.abis and not apk.abis & set(props["ro.product.cpu.abilist"].split(",")):
        message = "Failed to extract native libraries, res=-113"
        raise InstallError("INSTALL_FAILED_NO_MATCHING_ABIS", message)


def _check_exported(apk: Apk, path: str) -> None:
    """Demand of apps for Android 12 that they say what other apps may start."""
    manifest = apk.manifest
    if manifest.target_sdk < SAYS_EXPORTED:
        return
    for each in (*manifest.activities, *manifest.services, *manifest.receivers):
        if each.filters and not each.declared:
            why = (
                "Targeting S+ (version 31 and above) requires that an explicit value for"
                " android:exported be defined when intent filters are present"
            )
            message = f"Failed parse during installPackageLI: {path}: {each.name}: {why}"
            raise InstallError("INSTALL_PARSE_FAILED_MANIFEST_MALFORMED", message)


def _check_update(props: Properties, apk: Apk, options: Options, before: App) -> None:
    """Demand that what is installed may be replaced by this."""
    name = before.package
    if not options.replace and not options.inherit:
        message = f"Attempt to re-install {name} without first uninstalling."
        raise InstallError("INSTALL_FAILED_ALREADY_EXISTS", message)
    if not isinstance(before, PackagedApp) or before.apk.certificate != apk.certificate:
        why = "signatures do not match newer version; ignoring!"
        message = f"Existing package {name} {why}"
        raise InstallError("INSTALL_FAILED_UPDATE_INCOMPATIBLE", message)
    new, old = apk.manifest.version_code, before.version_code
    allowed = options.downgrade and (
        props["ro.debuggable"] == "1" or before.apk.manifest.debuggable
    )
    if new < old and not allowed:
        message = f"Downgrade detected: Update version code {new} is older than current {old}"
        raise InstallError("INSTALL_FAILED_VERSION_DOWNGRADE", message)
