"""The package installer: sessions, their parts, and the reasons for which Android refuses them."""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.system.packages.packaged import KNOWN, PackagedApp, token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.virtual.apk import Apk
    from pytest_mobileagent.virtual.app.app import App
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.kernel.properties import Properties
    from pytest_mobileagent.virtual.system.packages.packages import Packages

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
            needed = (
                "an explicit value for android:exported be defined when intent filters are present"
            )
            why = f"Targeting S+ (version 31 and above) requires that {needed}"
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
    if name in KNOWN and not isinstance(before, PackagedApp):
        return  # what is built in stands for any APK of this app
    if not isinstance(before, PackagedApp) or before.apk.certificate != apk.certificate:
        why = "signatures do not match newer version; ignoring!"
        yield "FAILED_UPDATE_INCOMPATIBLE", f"Existing package {name} {why}"
        return
    new, old = apk.manifest.version_code, before.version_code
    debuggable = props["ro.debuggable"] == "1" or before.apk.manifest.debuggable
    if new < old and not (options.downgrade and debuggable):
        message = f"Downgrade detected: Update version code {new} is older than current {old}"
        yield "FAILED_VERSION_DOWNGRADE", message


class UnknownSession(LookupError):
    """There is no open session with this number."""


@dataclass(eq=False)
class Installer(Kept):
    """The part of the package service that installs APKs."""

    KEPT = ("_begun", "_sessions")

    files: FileSystem
    props: Properties
    packages: Packages
    _begun: int = 0
    _sessions: dict[int, Session] = field(default_factory=dict)

    def create(self, options: Options) -> Session:
        """Begin an installation; OSError if there is not enough storage."""
        files = self.files
        if options.size > files.capacity - files.used:
            raise OSError("Requested internal only, but not enough space")
        self._begun += 1
        number = zlib.crc32(f"session {self._begun}".encode()) & 0x7FFFFFFF
        session = self._sessions[number] = Session(number, options)
        files.mkdir(session.folder, 0o775, uid=1000, gid=1000)
        return session

    def session(self, number: int) -> Session:
        """Return an open session."""
        if number not in self._sessions:
            raise UnknownSession(number)
        return self._sessions[number]

    def write(self, session: Session, name: str, data: bytes) -> None:
        """Add a part."""
        self.files.write(f"{session.folder}/{name}", data, mode=0o644, uid=1000, gid=1000)
        if name not in session.names:
            session.names.append(name)

    def abandon(self, session: Session) -> None:
        """End a session without installing anything."""
        self._sessions.pop(session.number, None)
        if self.files.exists(session.folder):
            self.files.rmtree(session.folder)

    def commit(self, session: Session) -> str:
        """Install a session's parts and return the package; InstallError if Android refuses it."""
        try:
            parts = self._parts(session)
            package = next(iter(parts.values())).manifest.package
            packages = self.packages
            before = packages.app(package) if package in packages else None
            check(self.props, session, parts, before)
            options, code = session.options, self._move(session, parts, package)
            packages.install(package, code, installer=options.installer, grant=options.grant)
        finally:
            self.abandon(session)
        return package

    def _parts(self, session: Session) -> dict[str, Apk]:
        """Read the parts, by the file names under which they were sent."""
        from pytest_mobileagent.virtual.apk import BadApk, read_apk  # seldom used

        parts: dict[str, Apk] = {}
        for name in session.names:
            path = f"{session.folder}/{name}"
            try:
                parts[name] = read_apk(self.files.read(path), path)
            except BadApk as error:
                raise InstallError(error.code, str(error)) from error
        if not parts:
            message = f"Session {session.number} has no packages staged"
            raise InstallError("INSTALL_FAILED_INVALID_APK", message)
        return parts

    def _move(self, session: Session, parts: dict[str, Apk], package: str) -> str:
        """Move the parts, and existing ones that they extend, to a new folder of the app."""
        files, packages = self.files, self.packages
        outer = f"/data/app/~~{token(package, f'outer {session.number}')}"
        folder = f"{outer}/{package}-{token(package, f'inner {session.number}')}"
        files.mkdir(outer, 0o771, uid=1000, gid=1000)
        files.mkdir(folder, 0o755, uid=1000, gid=1000)
        for name, apk in parts.items():
            split = apk.manifest.split
            own = f"split_{split}.apk" if split else "base.apk"
            files.rename(f"{session.folder}/{name}", f"{folder}/{own}")
        for path in packages.paths(package) if session.options.inherit else ():
            name = path.rpartition("/")[2]
            if not files.exists(f"{folder}/{name}"):
                files.write(f"{folder}/{name}", files.read(path), mode=0o644, uid=1000, gid=1000)
        return folder
