"""Reads and writes the files of runs: regular files of a reasonable size, without following links.

A run may come from a stranger, in an archive or from CI. If a record's name belongs to a link, a
pipe or a device there, it is refused before anything follows it, waits for it or reads on and on.

The module also creates private folders, which other users of the machine can neither read nor
write: a fixed name among the temporary files may be taken by anybody, for a link or a pipe.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
import stat
import sys
import tempfile
import threading
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from pytest_mobileagent.errors import HostError
from pytest_mobileagent.jsonable import MOST_NESTED, is_nested_deeper, to_text

if TYPE_CHECKING:
    from collections.abc import Iterator


MOST_BYTES = 1 << 28  # maximum size of a file read at once; the largest real ones have about 50 MB
_PIECE = 1 << 16  # bytes that are read at once where nothing is known
PRIVATE = 0o700  # mode of folders with prompts and screens, which other users must not see
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_APPEND = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def opened(path: Path, *, follows: bool = False) -> IO[bytes]:
    """Open a file for reading bytes; its name may belong to a link only if `follows` is set.

    Raises:
        OSError: if the file cannot be read, is a link, or is not a regular file.
    """
    return os.fdopen(_descriptor(path, _READ, follows=follows), "rb")


def read_bytes(path: Path, *, follows: bool = False) -> bytes:
    """Return the content of a file (see `opened`).

    Raises:
        OSError: if the file cannot be read, or is larger than `MOST_BYTES`.
    """
    with opened(path, follows=follows) as file:
        return _at_most(file, path)


def read_text(path: Path, errors: str = "strict", *, follows: bool = False) -> str:
    """Return the text of a UTF-8 file, with its line endings unchanged (see `read_bytes`).

    Raises:
        OSError: if the file cannot be read, or is larger than `MOST_BYTES`.
        UnicodeDecodeError: if the file is not valid UTF-8, and `errors` is "strict".
    """
    return read_bytes(path, follows=follows).decode("utf-8", errors)


def read_json(path: Path) -> Any:
    """Return the value of a JSON file (see `read_bytes` and `parse_json`).

    Raises:
        OSError: if the file cannot be read, or is larger than `MOST_BYTES`.
        ValueError: if the file is not JSON, or is nested too deeply.
    """
    return parse_json(read_bytes(path))


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise OSErrors as a HostError that the file cannot be written."""
    try:
        yield
    except OSError as error:
        raise HostError(f"cannot write {path}: {error}") from error


@contextlib.contextmanager
def new_folder(target: Path, mode: int = 0o777) -> Iterator[Path]:
    """Yield a hidden folder that becomes `target` at the end, unless an error is raised.

    Raises:
        HostError: if there is anything in `target` already, or the folder cannot be written.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise HostError(f"{target} already exists: name a folder that is new or empty")
    place = target.absolute()
    part = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        with writing(target):
            part.mkdir(mode, parents=True)
            yield part
            part.rename(target)  # which is empty, so it is replaced
    finally:
        shutil.rmtree(part, ignore_errors=True)


def read_object(path: Path) -> dict[str, Any]:
    """Return the object in an optional JSON file; {} if it is missing, unreadable or no object."""
    try:
        content = read_json(path)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def parse_json(text: str | bytes) -> Any:
    """Parse a string as JSON.

    Raises:
        ValueError: if the text is not JSON, or is nested more than `MOST_NESTED` levels deep.
    """
    too_deep = f"it is nested more than {MOST_NESTED} levels deep"
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(too_deep) from None
    begins = (b"[", b"{") if isinstance(text, bytes) else ("[", "{")
    may_be = sum(map(text.count, begins)) > MOST_NESTED  # type: ignore[arg-type]
    if may_be and is_nested_deeper(value, MOST_NESTED):
        raise ValueError(too_deep)
    return value


def new_lines(path: Path, offset: int) -> tuple[list[bytes], int]:
    """Return the complete lines of a file from a byte offset, and the offset after them.

    A line that is still being written is left for the next call.

    Raises:
        OSError: if the file cannot be read, or has more than `MOST_BYTES` after the offset.
    """
    with opened(path) as file:
        file.seek(offset)
        *lines, _ = _at_most(file, path).split(b"\n")
    return lines, offset + sum(len(line) + 1 for line in lines)


def is_below(path: Path, folder: Path) -> bool:
    """Return whether a path lies in a folder, without a link on the way to it."""
    own, above = path.parts, folder.parts
    inner = own[len(above) :]
    if own[: len(above)] != above or ".." in inner:
        return False
    _, *on_the_way = accumulate(inner, os.path.join, initial=str(folder))
    return not any(map(os.path.islink, on_the_way))


def append_line(path: Path, line: str) -> None:
    """Append a line to a file; several processes may do so at once.

    If a full disk truncated the previous line, it is left as a separate line.

    Raises:
        OSError: if the file cannot be written, is not a regular file, or the disk becomes full.
    """
    descriptor = _descriptor(path, _APPEND)
    try:
        end = os.lseek(descriptor, 0, os.SEEK_END)
        whole = end == 0 or os.pread(descriptor, 1, end - 1) == b"\n"
        # A single write in append mode is not interleaved with writes of other processes.
        text = (f"{line}\n" if whole else f"\n{line}\n").encode()
        if os.write(descriptor, text) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    finally:
        os.close(descriptor)


def write_json(path: Path, value: Any, indent: int | None = 2) -> None:
    """Write a value to a file as JSON, atomically; `indent=None` is the fastest."""
    write_text(path, to_text(value, indent) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write text to a file, atomically; a link of that name is replaced."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes to a file, atomically; a link of that name is replaced."""
    with replacing(path) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that replaces `path` at the end, unless an error is raised.

    Threads and processes may write the same file at once: the last one's content remains.

    Raises:
        OSError: if the file cannot be written; the existing file is left unchanged.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
    part.unlink(missing_ok=True)
    try:
        with part.open("xb") as file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _descriptor(path: Path, flags: int, *, follows: bool = False) -> int:
    irregular = (errno.EINVAL, "it is not a regular file", str(path))
    try:
        descriptor = os.open(path, flags | (0 if follows else os.O_NOFOLLOW), 0o644)
    except OSError as error:
        if error.errno == errno.ELOOP:
            words = "it is a link, and links are not followed"
            raise OSError(errno.ELOOP, words, str(path)) from None
        if error.errno == errno.ENXIO:  # a socket, or a pipe without a writer
            raise OSError(*irregular) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        if path.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(*irregular)
    return descriptor


def up_to(file: IO[bytes], most: int, expected: int = 0) -> bytes:
    """Return up to `most` bytes of a stream, without asking for the memory before they are there.

    If it has as many as `expected`, they are read at once.
    """
    parts, read = list[bytes](), 0
    while part := file.read(min(max(expected - read, _PIECE), most - read)):
        parts.append(part)
        read += len(part)
    return b"".join(parts)


def _at_most(file: IO[bytes], path: Path) -> bytes:
    # The size is only what it was: other processes append to some files.
    size = os.fstat(file.fileno()).st_size - file.tell()
    try:
        content = up_to(file, MOST_BYTES + 1, size) if size <= MOST_BYTES else b""
    except MemoryError:
        words = f"there is no memory for its {size / 1e6:.0f} MB"
        raise OSError(errno.ENOMEM, words, str(path)) from None
    if max(len(content), size) > MOST_BYTES:
        words = f"it holds more than {MOST_BYTES >> 20} MB"
        raise OSError(errno.EFBIG, words, str(path))
    return content


_NAME = "pytest-mobileagent"


def own_folder(*names: str) -> Path:
    """Return a private folder for files that can be recreated; create it if necessary.

    It is below the user's cache folder (XDG Base Directory Specification), or among the temporary
    files if that folder is not writable. `names` are its subfolders.

    Raises:
        HostError: if the folder cannot be created, belongs to another user, or is, e.g., a link.
    """
    try:
        try:
            folder = _made(_caches() / _NAME, parents=True)
        except OSError:
            folder = _made(Path(tempfile.gettempdir(), f"{_NAME}-{os.geteuid()}"))
        for name in names:
            folder = _made(folder / name)
    except OSError as error:
        msg = f"cannot create a private folder: {error}; name another one in XDG_CACHE_HOME"
        raise HostError(msg) from error
    return folder


def _caches() -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    default = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    return Path(given) if given.startswith("/") else Path(default).expanduser()


def _made(path: Path, *, parents: bool = False) -> Path:
    """Return a folder, created if missing, after checking its owner.

    Nobody else can replace a folder that belongs to this user.

    Raises:
        HostError: if the folder is not this user's own.
        OSError: if the folder cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=PRIVATE, parents=parents)
    about = path.lstat()
    if not stat.S_ISDIR(about.st_mode):
        what = "is a link, and links are not followed" if path.is_symlink() else "is not a folder"
    elif about.st_uid != os.geteuid():
        what = f"belongs to another user (its owner is {about.st_uid}, you are {os.geteuid()})"
    else:
        if stat.S_IMODE(about.st_mode) & ~PRIVATE:
            path.chmod(PRIVATE)
        return path
    raise HostError(f"{path} {what}: remove it, or name your own folder in XDG_CACHE_HOME")
