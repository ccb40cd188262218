"""An installation: its options, its parts, and the reasons for which Android refuses it."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.system.packages.packaged import PackagedApp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.apk import Apk
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.properties import Properties

    Refusals = Iterator[tuple[str, str]]  # the error code without INSTALL_, and the message

LEAST_TARGET = 23  # Android 14 rejects apps that target an older SDK
SAYS_EXPORTED = 31  # from this SDK on, components with filters must declare `exported`


class InstallError(Exception):
    """Android's code for an installation error, and its message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an installation."""

    replace: bool = True
    tests: bool = False  # accept test-only apps
    grant: bool = False  # grant all permissions at once
    downgrade: bool = False
    old_target: bool = False  # accept a target SDK that is too old for Android
    inherit: str = ""  # the package that receives new splits
    installer: str | None = None
    size: int = 0  # total bytes to expect, as far as known


@dataclass(slots=True)
class Session:
    """An installation in progress; its parts are stored in a separate folder."""

    number: int
    options: Options
    names: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """The folder that collects the parts until the session is committed."""
        return f"/data/app/vmdl{self.number}.tmp"


def token(package: str, salt: str) -> str:
    """Return the random-looking part of a path."""
    digest = hashlib.sha256(f"{salt}:{package}".encode()).digest()[:16]
    return base64.urlsafe_b64encode(digest).decode()


def check(props: Properties, session: Session, parts: dict[str, Apk], before: App | None) -> None:
    """Check the parts of an app against all of Android's rules; InstallError if one is broken."""
    for code, message in _refusals(props, session, parts, before):
        raise InstallError(f"INSTALL_{code}", message)


def _refusals(
    props: Properties, session: Session, parts: dict[str, Apk], before: App | None
) -> Refusals:
    for name, apk in parts.items():
        if apk.certificate is None:
            why = "Attempt to get length of null array"
            message = f"Failed to collect certificates from {session.folder}/{name}: {why}"
            yield "PARSE_FAILED_NO_CERTIFICATES", message
    for message in _differences(session, parts, before):
        yield "FAILED_INVALID_APK", message
    first = next(iter(parts.values()))
    splits = {apk.manifest.split for apk in parts.values()}
    if any(apk.manifest.split_required for apk in parts.values()) and splits == {""}:
        yield "FAILED_MISSING_SPLIT", f"Missing split for {first.manifest.package}"
    for name, apk in parts.items():
        yield from _of_apk(props, apk, f"{session.folder}/{name}", session.options)
    if before is not None:
        yield from _of_update(props, first, session.options, before)


def _differences(session: Session, parts: dict[str, Apk], before: App | None) -> Iterator[str]:
    """Yield the reasons why the parts are not distinct parts of one version of one app."""
    first, inherit = next(iter(parts.values())), session.options.inherit
    version, package = first.manifest.version_code, inherit or first.manifest.package
    for name, apk in parts.items():
        path, found = f"{session.folder}/{name}", apk.manifest
        if found.package != package:
            yield f"{path} package {found.package} inconsistent with {package}"
        if found.version_code != version:
            yield f"{path} version code {found.version_code} inconsistent with {version}"
        if apk.certificate != first.certificate:
            yield f"{path} signatures are inconsistent"
    splits = Counter(apk.manifest.split for apk in parts.values())
    for split, times in splits.items():
        if times > 1:
            yield f"Split {split or 'null'} was defined multiple times"
    if inherit and before is None:
        yield f"Missing existing base package for {inherit}"
    if not inherit and "" not in splits:
        yield "Full install must include a base package"


def _of_apk(props: Properties, apk: Apk, path: str, options: Options) -> Refusals:
    """Yield the reasons why an APK cannot be installed on this phone."""
    manifest, sdk = apk.manifest, int(props["ro.build.version.sdk"])
    if manifest.min_sdk > sdk:
        where = f"{path} (at Binary XML file line #{manifest.sdk_line})"
        why = f"Requires newer sdk version #{manifest.min_sdk} (current version is #{sdk})"
        yield "FAILED_OLDER_SDK", f"Failed parse during installPackageLI: {where}: {why}"
    if not manifest.split and manifest.target_sdk < LEAST_TARGET and not options.old_target:
        found = f"but found {manifest.target_sdk}"
        message = f"App package must target at least SDK version {LEAST_TARGET}, {found}"
        yield "FAILED_DEPRECATED_SDK_VERSION", message
    for each in (*manifest.activities, *manifest.services, *manifest.receivers):
        if manifest.target_sdk >= SAYS_EXPORTED and each.filters and not each.declared:
            why = (
                "Targeting S+ (version 31 and above) requires that an explicit value for"
                " android:exported be defined when intent filters are present"
            )
            message = f"Failed parse during installPackageLI: {path}: {each.name}: {why}"
            yield "PARSE_FAILED_MANIFEST_MALFORMED", message
    if manifest.test_only and not options.tests:
        yield "FAILED_TEST_ONLY", "Failed to install test-only apk. Did you forget to add -t?"
    if apk.abis and not apk.abis & set(props["ro.product.cpu.abilist"].split(",")):
        yield "FAILED_NO_MATCHING_ABIS", "Failed to extract native libraries, res=-113"


def _of_update(props: Properties, apk: Apk, options: Options, before: App) -> Refusals:
    """Yield the reasons why an APK cannot replace the installed app."""
    name = before.package
    if not options.replace and not options.inherit:
        message = f"Attempt to re-install {name} without first uninstalling."
        yield "FAILED_ALREADY_EXISTS", message
    if not isinstance(before, PackagedApp) or before.apk.certificate != apk.certificate:
        why = "signatures do not match newer version; ignoring!"
        yield "FAILED_UPDATE_INCOMPATIBLE", f"Existing package {name} {why}"
        return
    new, old = apk.manifest.version_code, before.version_code
    debuggable = props["ro.debuggable"] == "1" or before.apk.manifest.debuggable
    if new < old and not (options.downgrade and debuggable):
        message = f"Downgrade detected: Update version code {new} is older than current {old}"
        yield "FAILED_VERSION_DOWNGRADE", message
