"""Who runs a shell, where, and with which streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.virtual.phone import Phone
    from pytest_mobileagent.virtual.shell.streams import Reader, Writer

_PATH = (
    "/product/bin:/apex/com.android.runtime/bin:/apex/com.android.art/bin:/system_ext/bin:"
    "/system/bin:/system/xbin:/odm/bin:/vendor/bin:/vendor/xbin"
)


def default_environment() -> dict[str, str]:
    """Return what adbd hands to every shell."""
    return {
        "ANDROID_ASSETS": "/system/app",
        "ANDROID_DATA": "/data",
        "ANDROID_ROOT": "/system",
        "ANDROID_STORAGE": "/storage",
        "EXTERNAL_STORAGE": "/sdcard",
        "HOME": "/",
        "LOGNAME": "shell",
        "PATH": _PATH,
        "SHELL": "/bin/sh",
        "TERM": "dumb",
        "TMPDIR": "/data/local/tmp",
        "USER": "shell",
    }


@dataclass(slots=True, kw_only=True)
class Session:
    """One process's surroundings: its phone, user, folder, environment and streams."""

    phone: Phone
    uid: int
    stdin: Reader
    stdout: Writer
    stderr: Writer
    cwd: str = "/"
    env: dict[str, str] = field(default_factory=default_environment)
    tty: bool = False
