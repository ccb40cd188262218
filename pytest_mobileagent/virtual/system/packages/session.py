"""An installation that goes on: how it shall be done, and what has come."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Options:
    """How an app shall be installed."""

    replace: bool = True
    tests: bool = False  # apps that are for tests only
    grant: bool = False  # all permissions at once
    downgrade: bool = False
    old_target: bool = False  # made for an SDK older than Android takes
    inherit: str = ""  # the package that gets new splits
    installer: str | None = None
    size: int = 0  # bytes that will come, as far as it is known


@dataclass(slots=True)
class Session:
    """An installation that has begun; its parts lie in a folder of its own."""

    number: int
    options: Options
    names: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """Where the parts are kept until all is there."""
        return f"/data/app/vmdl{self.number}.tmp"


def token(package: str, salt: str) -> str:
    """Give the part of a path that nobody can guess."""
    digest = hashlib.sha256(f"{salt}:{package}".encode()).digest()[:16]
    return base64.urlsafe_b64encode(digest).decode()
