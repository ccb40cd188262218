"""Files to and from a device, through its shell: as text, in pieces that a command line holds."""

from __future__ import annotations

import base64
import binascii
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.device.device import System

_PIECE = 60_000  # characters; Linux allows 128 KiB
_STAGE = "/data/local/tmp/mobileagent-file"


class RootError(Exception):
    """A file of the system's cannot be read or written; why."""


def get_file(system: System, path: str) -> bytes:
    """Read a file.

    Raises:
        RootError: it cannot be read.
    """
    said = system.shell(f"base64 {shlex.quote(path)}")
    try:
        return base64.b64decode("".join(said.split()), validate=True)
    except binascii.Error:
        msg = f"{path} cannot be read: {said.strip()[:200]}"
        raise RootError(msg) from None


def put_file(system: System, path: str, data: bytes, *, owner: str, mode: str) -> None:
    """Put a file into its place in one move, with its owner, mode and security label.

    Raises:
        RootError: it cannot be written.
    """
    text = base64.b64encode(data).decode()
    system.shell(f"rm -f {_STAGE}*")
    for start in range(0, len(text), _PIECE):
        system.shell(f"printf %s '{text[start : start + _PIECE]}' >>{_STAGE}.txt")
    target, near = shlex.quote(path), shlex.quote(f"{path}.new")
    said = system.shell(
        f"base64 -d {_STAGE}.txt >{_STAGE} && cp {_STAGE} {near} && chown {owner} {near}"
        f" && chmod {mode} {near} && mv -f {near} {target}"
        f" && {{ restorecon {target} 2>/dev/null; rm -f {_STAGE}*; echo done; }}"
    ).strip()
    if not said.endswith("done"):
        msg = f"{path} cannot be written: {said[:200]}"
        raise RootError(msg)
