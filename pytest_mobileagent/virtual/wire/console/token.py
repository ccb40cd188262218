"""The secret that unlocks the emulator console: a file in the home folder."""

from __future__ import annotations

import base64
import os
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def token_file(home: Path) -> Path:
    """Return the path in a home folder where `adb emu` looks for the token."""
    return home / ".emulator_console_auth_token"


def create_token(file: Path) -> None:
    """Write a new token, readable only by its owner, unless the file exists.

    The file appears with its content at once: an empty file would mean that no token is needed.
    """
    if file.exists():
        return
    draft = file.with_name(f"{file.name}.{os.getpid()}.{secrets.token_hex(4)}")
    draft.touch(0o600)
    draft.write_bytes(base64.b64encode(secrets.token_bytes(12)))
    try:
        os.link(draft, file)
    except FileExistsError:
        pass  # another emulator was faster
    finally:
        draft.unlink()


def read_token(file: Path) -> str:
    """Read the token, which is empty if none is needed; OSError if the file cannot be read."""
    return file.read_text().strip()
