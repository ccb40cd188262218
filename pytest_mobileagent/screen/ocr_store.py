"""Cache of text lines that OCR has read, so that each picture is read once.

There are two stores, and each thread uses one of them:

- `SharedLines`, a folder that all processes of a run find by an environment variable. Anything that
  can write to it decides what the others read there: it is for agents, and for commands.
- `SignedLines`, files beside the screens of a run, each with a signature (HMAC-SHA256, RFC 2104)
  under a key that only the processes of the harness know while agents are running. Checks and
  judges read these: files that an agent writes or changes are rejected, and the picture is read
  again. Once no agent of the run is left, the key is written beside the files, so that later runs,
  also on other machines, can verify them.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import re
import secrets
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pytest_mobileagent.fileio import PRIVATE, read_bytes, read_json, write_bytes, write_json
from pytest_mobileagent.jsonable import expect, to_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PIL.Image import Image

SUFFIX = ".ocr.json"  # of the file with a screen's lines, beside its .png
KEY = "ocr.key"  # beside the lines

_VARIABLE = "PYTEST_MOBILEAGENT_OCR"
_KEY_BYTES = 32
_NAME = 32  # hexadecimal digits, as in the names of screens
_NAMES = re.compile(f"[0-9a-f]{{{_NAME},}}")


class Store(Protocol):
    """A cache of text lines, as plain data, by the picture's name and by the reader."""

    def find(self, name: str, reader: Sequence[Any]) -> Any:
        """Return the lines of a picture, or None if there are no trustworthy ones."""

    def put(self, name: str, reader: Sequence[Any], lines: Sequence[Any]) -> None:
        """Store the lines of a picture, if the folder is writable."""


def of_pixels(image: Image) -> str:
    """Return a name for a picture without a `key`, such as a part of a screen, from its pixels."""
    digest = hashlib.sha256(to_line(image.size).encode())
    digest.update(image.convert("RGB").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class SharedLines:
    """Lines in a folder that any process may write to."""

    folder: Path

    def find(self, name: str, reader: Sequence[Any]) -> Any:
        """Return the lines of a picture, or None."""
        try:
            return read_json(self._path(name, reader))
        except (OSError, ValueError):
            return None

    def put(self, name: str, reader: Sequence[Any], lines: Sequence[Any]) -> None:
        """Store the lines of a picture, if the folder is writable."""
        path = self._path(name, reader)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            write_json(path, lines, indent=None)

    def _path(self, name: str, reader: Sequence[Any]) -> Path:
        key = hashlib.sha256(to_line([*reader, name]).encode()).hexdigest()
        return self.folder / key[:2] / f"{key}.json"


@dataclass(frozen=True, slots=True)
class SignedLines:
    """Lines beside the screens of a run, which are trusted if signed with the run's key."""

    folder: Path
    key: bytes = field(default_factory=lambda: secrets.token_bytes(_KEY_BYTES), repr=False)

    @classmethod
    def of_run(cls, screens: Path, *, takes_key: bool) -> SignedLines:
        """Return the store beside a run's screens, with the existing key or a new one.

        `takes_key` removes the key from the folder until `publish`, because agents are about to
        run.
        """
        path = screens / KEY
        try:
            key = read_bytes(path)
        except OSError:
            key = b""
        if takes_key:
            with contextlib.suppress(OSError):
                path.unlink()
        return cls(screens, key) if len(key) == _KEY_BYTES else cls(screens)

    def publish(self) -> None:
        """Write the key beside the lines, if there are any. No agent of the run may be left."""
        with contextlib.suppress(OSError):
            if any(self.folder.glob(f"*{SUFFIX}")):
                write_bytes(self.folder / KEY, self.key)

    def find(self, name: str, reader: Sequence[Any]) -> Any:
        """Return the lines of a picture, or None if there are none with a valid signature."""
        try:
            stored = expect(read_json(self._path(name)), dict, "lines")
            signature = expect(stored["signature"], str, "signature")
            lines = expect(stored["lines"], list, "lines")
        except (OSError, ValueError, LookupError, TypeError):
            return None
        is_ours = hmac.compare_digest(signature.encode(), self._sign(name, reader, lines).encode())
        return lines if is_ours else None

    def put(self, name: str, reader: Sequence[Any], lines: Sequence[Any]) -> None:
        """Store the lines of a picture, if the folder is writable."""
        signed = {"reader": reader, "lines": lines, "signature": self._sign(name, reader, lines)}
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(self._path(name), signed, indent=None)

    def _sign(self, name: str, reader: Sequence[Any], lines: Sequence[Any]) -> str:
        content = to_line([name, list(reader), lines])
        return hmac.new(self.key, content.encode(), "sha256").hexdigest()

    def _path(self, name: str) -> Path:
        """Return the file of a picture's lines.

        Raises:
            OSError: if the name, which may come from a foreign record, is invalid.
        """
        if not _NAMES.fullmatch(name):
            raise OSError(errno.EINVAL, f"{name!r} is not the name of a picture")
        return self.folder / f"{name[:_NAME]}{SUFFIX}"


_signed: SignedLines | None = None
_thread = threading.local()


def chosen_store() -> Store | None:
    """Return the store that this thread uses, or None."""
    if _signed is not None and not getattr(_thread, "shares_only", False):
        return _signed
    folder = os.environ.get(_VARIABLE)
    return None if folder is None else SharedLines(Path(folder))


def share(folder: Path | None) -> None:
    """Share lines in a folder, in this process and all that it starts from now on.

    None disables the cache, which is the default.
    """
    if folder is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = str(folder.absolute())


def share_only() -> None:
    """Restrict this thread to shared lines, because an agent runs in it.

    Nothing that it reads, possibly with its own engine, is signed.
    """
    _thread.shares_only = True


def believe(lines: SignedLines | None) -> None:
    """Use signed lines only in this process, or, with None, no longer."""
    global _signed  # noqa: PLW0603 - a setting of the process, like the environment
    _signed = lines
