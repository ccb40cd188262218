"""Folders of this user's own, where other users of the machine can neither look nor write.

A fixed name among the temporary files is nobody's own: whoever takes it first decides what lies
there, a link or a pipe, say.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import PRIVATE

_NAME = "pytest-mobileagent"


def own_folder(*names: str) -> Path:
    """Return a folder for what can be made again, made if there is none; `names` lead to it.

    It is in the user's folder for caches (XDG Base Directory Specification), or among the temporary
    files where the user has none that can be written to.

    Raises:
        HostError: it cannot be made, is another user's, or is none but a link, say.
    """
    try:
        try:
            folder = _made(_caches() / _NAME, parents=True)
        except OSError:
            folder = _made(Path(tempfile.gettempdir(), f"{_NAME}-{os.geteuid()}"))
        for name in names:
            folder = _made(folder / name)
    except OSError as error:
        msg = f"cannot make a folder of your own: {error}; name one in XDG_CACHE_HOME"
        raise HostError(msg) from error
    return folder


def _caches() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    default = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    return Path(given) if given.startswith("/") else Path(default).expanduser()


def _made(path: Path, *, parents: bool = False) -> Path:
    """Return a folder, made if it is missing, after a look at whose it is.

    One that belongs to this user stays: nobody else can put another in its place.

    Raises:
        HostError: it is not this user's own.
        OSError: it cannot be made.
    """
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=PRIVATE, parents=parents)
    about = path.lstat()
    if not stat.S_ISDIR(about.st_mode):
        what = "is a link, and none is followed" if path.is_symlink() else "is no folder"
    elif about.st_uid != os.geteuid():
        what = f"belongs to another user (number {about.st_uid}, and you are {os.geteuid()})"
    else:
        if stat.S_IMODE(about.st_mode) & ~PRIVATE:
            path.chmod(PRIVATE)
        return path
    msg = f"{path} {what}: remove it, or name a folder of your own in XDG_CACHE_HOME"
    raise HostError(msg)
