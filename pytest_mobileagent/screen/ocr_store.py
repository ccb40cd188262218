"""Lines of text that OCR has read in pictures, kept so that each picture is read once.

There are two stores, and a thread uses one of them:

- `SharedLines`, a folder that all processes of a run find by an environment variable. Whoever can
  write to it decides what the others read there: it is for agents, and for commands.
- `SignedLines`, files beside the screens of a run, each with a signature (HMAC-SHA256, RFC 2104)
  under a key that only the processes of the harness know while agents are at work. Checks and
  judges read these: an agent that writes such a file, or changes one, is not believed, and the
  picture is read anew. Once no agent of the run is left, the key is written beside the files, so
  that later runs, also on other machines, can read them.
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

SUFFIX = ".ocr.json"  # of a screen's lines, beside its .png
KEY = "ocr.key"  # beside them

_VARIABLE = "PYTEST_MOBILEAGENT_OCR"
_KEY_BYTES = 32
_NAME = 32  # hexadecimal digits, as in the names of screens
_NAMES = re.compile(f"[0-9a-f]{{{_NAME},}}")


class Store(Protocol):
    """Where lines are kept, by the picture's name and by what has read it, as plain data."""

    def find(self, name: str, reader: Sequence[Any]) -> Any:
        """Return the lines of a picture; None if there are none that can be believed."""

    def keep(self, name: str, reader: Sequence[Any], lines: Sequence[Any]) -> None:
        """Keep the lines of a picture; a folder that cannot be written to keeps none."""


def of_pixels(image: Image) -> str:
    """Return the name of a picture by its pixels, for parts of screens; screens have a `key`."""
    digest = hashlib.sha256(to_line(image.size).encode())
    digest.update(image.convert("RGB").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class SharedLines:
    """Lines in a folder that any process may write to."""

    folder: Path

    def find(self, name: str, reader: Sequence[Any]) -> Any:
        """Return the lines of a picture; None if there are none."""
        try:
            return read_json(self._path(name, reader))
        except (OSError, ValueError):
            return None

    def keep(self, name: str, reader: Sequence[Any], lines: Sequence[Any]) -> None:
        """Keep the lines of a picture; a folder that cannot be written to keeps none."""
        path = self._path(name, reader)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
            write_json(path, lines, indent=None)

    def _path(self, name: str, reader: Sequence[Any]) -> Path:
        key = hashlib.sha256(to_line([*reader, name]).encode()).hexdigest()
        return self.folder / key[:2] / f"{key}.json"


@dataclass(frozen=True, slots=True)
class SignedLines:
    """Lines beside the screens of a run, which are believed if they are signed by its key."""

    folder: Path
    key: bytes = field(default_factory=lambda: secrets.token_bytes(_KEY_BYTES), repr=False)

    @classmethod
    def of_run(cls, screens: Path, *, takes_key: bool) -> SignedLines:
        """Return the lines beside a run's screens, by the key that lies there, or by a new one.

        `takes_key` removes it from there until `publish`: agents are about to work.
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
        """Write the key beside the lines, if there are any: no agent of the run is left."""
        with contextlib.suppress(OSError):
            if any(self.folder.glob(f"*{SUFFIX}")):
                write_bytes(self.folder / KEY, self.key)

    def find(self, name: str, reader: Sequence[Any]) -> Any:
        """Return the lines of a picture; None if there are none, or another signed them."""
        try:
            kept = expect(read_json(self._path(name)), dict, "lines")
            signature = expect(kept["signature"], str, "signature")
            lines = expect(kept["lines"], list, "lines")
        except (OSError, ValueError, LookupError, TypeError):
            return None
        is_ours = hmac.compare_digest(signature.encode(), self._sign(name, reader, lines).encode())
        return lines if is_ours else None

    def keep(self, name: str, reader: Sequence[Any], lines: Sequence[Any]) -> None:
        """Keep the lines of a picture; a folder that cannot be written to keeps none."""
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
            OSError: somebody else's record has a name that is none.
        """
        if not _NAMES.fullmatch(name):
            raise OSError(errno.EINVAL, f"{name!r} is not the name of a picture")
        return self.folder / f"{name[:_NAME]}{SUFFIX}"


_signed: SignedLines | None = None
_thread = threading.local()


def chosen_store() -> Store | None:
    """Return where this thread keeps lines; None if nowhere."""
    if _signed is not None and not getattr(_thread, "shares_only", False):
        return _signed
    folder = os.environ.get(_VARIABLE)
    return None if folder is None else SharedLines(Path(folder))


def share(folder: Path | None) -> None:
    """Keep lines in a folder, in all processes that this one starts from now on, and in this one.

    None keeps nothing, as is the case at first.
    """
    if folder is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = str(folder.absolute())


def share_only() -> None:
    """Have this thread read and keep shared lines only: an agent works in it.

    Nothing that it reads, by whatever engine it has put in place, is signed.
    """
    _thread.shares_only = True


def believe(lines: SignedLines | None) -> None:
    """Have this process read and keep signed lines only; None ends that."""
    global _signed  # noqa: PLW0603 - as the environment, it is of the process
    _signed = lines
