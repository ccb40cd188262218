"""The package installer: sessions that collect the parts of an app and install them."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.snapshots import Kept
from pytest_mobileagent.virtual.system.packages.installation import (
    InstallError,
    Options,
    Session,
    check,
    token,
)

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.apk import Apk
    from pytest_mobileagent.virtual.kernel.files import FileSystem
    from pytest_mobileagent.virtual.kernel.properties import Properties
    from pytest_mobileagent.virtual.system.packages.packages import Packages


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
            packages.install(package, self._move(session, parts, package), session.options)
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
