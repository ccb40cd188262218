"""The folders that a program uses in an episode: a fresh copy of its own, and one for notes.

Packages that the program needs are installed in a virtual environment, which later runs reuse.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from pytest_mobileagent.episode.secrets import HIDDEN, secret_bytes
from pytest_mobileagent.errors import AgentError, HostError
from pytest_mobileagent.fileio import own_folder
from pytest_mobileagent.processes import die_with_parent
from pytest_mobileagent.program import fill, fill_file, passable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_mobileagent.program import Adapter, Values


_LARGE = 8_000_000  # bytes: files of this size or more are linked instead of copied
_LINKED = {".git", ".hg", ".svn", "node_modules"}
_MOST_FILES, _MOST_BYTES = 50_000, 1_000_000_000  # limits for the copy of each episode
_MOST_SAVED_FILES, _MOST_SAVED_BYTES = 200, 10_000_000
_PREFIX = "mobileagent-program-"

_Marks = dict[str, tuple[int, int]]  # when each file was written, and its size


@dataclass(slots=True)
class Workplace:
    """The folder in which a program runs, and the folder for its notes, such as goal and answer.

    `copied` says whether the former is a copy, which is removed when the episode ends. `stdin` is
    the file that the program reads, set by `prepare`.
    """

    folder: Path
    notes: Path
    copied: bool
    stdin: Path | None = None
    _before: _Marks = field(default_factory=dict)

    def prepare(self, adapter: Adapter, values: Values) -> dict[str, str]:
        """Fill in the adapter's files, and write the goal; return the variables for the notes.

        Raises:
            AgentError: if a file cannot be filled in.
        """
        for name in adapter.files:
            fill_file(self.folder / name, values)
        if adapter.stdin:
            self.stdin = self.notes / "stdin"
            self.stdin.write_text(fill(adapter.stdin, values), "utf-8", newline="")
        goal = self.notes / "goal"
        goal.write_text(passable(values.goal), "utf-8", newline="")
        if self.copied:
            self._before = _marks(self.folder)
        return {
            "MOBILEAGENT_GOAL_FILE": str(goal),
            "MOBILEAGENT_ANSWER_FILE": str(self.notes / "answer"),
            "MOBILEAGENT_IMPOSSIBLE_FILE": str(self.notes / "impossible"),
        }

    def save(self, target: Path, secrets: Iterable[str] = ()) -> None:
        """Save the files that the program has written in its copy, without secrets.

        At most 200 files and 10 MB are saved. Nothing is saved if the folder is not a copy, because
        then it is unknown which files the program has written.
        """
        if not self.copied:
            return
        hidden = secret_bytes(secrets)
        files, room = 0, _MOST_SAVED_BYTES
        for name, mark in sorted(_marks(self.folder).items()):
            is_new = self._before.get(name) != mark and "__pycache__" not in Path(name).parts
            if is_new and files < _MOST_SAVED_FILES and mark[1] <= room:
                with contextlib.suppress(OSError):  # the file may be unreadable
                    data = (self.folder / name).read_bytes()
                    for secret in hidden:
                        data = data.replace(secret, HIDDEN.encode())
                    (target / name).parent.mkdir(parents=True, exist_ok=True)
                    (target / name).write_bytes(data)
                    files, room = files + 1, room - mark[1]


@contextlib.contextmanager
def workplace(adapter: Adapter, here: Path, parent: Path | None = None) -> Iterator[Workplace]:
    """Yield a workplace for one episode, and remove it afterwards with everything in it.

    A program without its own folder runs in `here`. The workplace is created in `parent`, by
    default in the folder for temporary files.

    Raises:
        AgentError: if the program's folder cannot be copied.
        HostError: if this machine has not enough disk space.
    """
    try:
        place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)).resolve()
    except OSError as error:
        raise HostError(f"cannot create a folder for a program: {error}") from error
    try:
        notes = place / "notes"
        notes.mkdir()
        folder = adapter.folder or here
        copied = adapter.folder is not None and adapter.copy
        if copied:
            source, folder = folder, place / "work" / folder.name
            folder.parent.mkdir()
            _copy(source, folder)
        yield Workplace(folder, notes, copied)
    finally:
        _remove(place)


def _copy(source: Path, target: Path) -> None:
    try:
        _Copy(source.resolve(), target).folder(source.resolve(), target)
    except OSError as error:
        if error.errno in _NO_ROOM:
            msg = f"there is not enough disk space for a copy of {source}: {error.strerror}"
            raise HostError(msg) from error
        msg = f"cannot copy {error.filename or source}: {error.strerror or error}"
        raise AgentError(msg) from error


_NO_ROOM = {28, 122}  # ENOSPC, EDQUOT


class _Copy:
    """Copies a folder; large files, repositories and installed packages are linked instead."""

    def __init__(self, source: Path, target: Path) -> None:
        self.source, self.target = source, target
        self.files = self.bytes = 0

    def folder(self, source: Path, target: Path) -> None:
        target.mkdir()
        with os.scandir(source) as entries:
            for entry in entries:
                self._entry(entry, target / entry.name)

    def _entry(self, entry: os.DirEntry[str], target: Path) -> None:
        if entry.is_symlink():
            target.symlink_to(self._goal(Path(entry.path)))
        elif entry.is_dir():
            path = Path(entry.path)
            is_environment = (path / "pyvenv.cfg").exists() or (path / "conda-meta").exists()
            if entry.name in _LINKED or is_environment:
                target.symlink_to(path)
            elif not self.target.is_relative_to(path):
                self.folder(path, target)
        elif entry.is_file():
            self._file(entry, target)
        # Sockets and pipes are not copied.

    def _file(self, entry: os.DirEntry[str], target: Path) -> None:
        size = entry.stat().st_size
        if size >= _LARGE:
            target.symlink_to(entry.path)
            return
        self.files, self.bytes = self.files + 1, self.bytes + size
        if self.files > _MOST_FILES or self.bytes > _MOST_BYTES:
            raise AgentError(
                f"{self.source} is too large to be copied for each episode: name a folder that "
                "contains only the program, or set copy = false"
            )
        shutil.copy2(entry.path, target)

    def _goal(self, link: Path) -> Path:
        """Return the target of a link in the copy: within the copy if the original's is within."""
        goal = link.readlink()
        within = Path(os.path.normpath(link.parent / goal)).is_relative_to(self.source)
        return goal if within and not goal.is_absolute() else link.parent / goal


def _marks(folder: Path) -> _Marks:
    """Return the mark of each file in a folder, except for links."""
    marks = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = Path(where, name)
            with contextlib.suppress(OSError):
                if path.is_file() and not path.is_symlink():
                    about = path.stat()
                    marks[str(path.relative_to(folder))] = (about.st_mtime_ns, about.st_size)
    return marks


def _remove(folder: Path) -> None:
    """Remove a folder, even if a program has made folders in it read-only."""
    for where, names, _ in os.walk(folder):
        for name in names:
            path = Path(where, name)
            with contextlib.suppress(OSError):
                if not path.is_symlink():
                    path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


_INCLUDES = re.compile(r"\s*(?:-r|-c|--requirement|--constraint)[\s=]*(\S+)")
_LAST_LINES = 15


def install(requirements: Path) -> Path:
    """Return the virtual environment in which the packages of a requirements file are installed.

    It is created once for the file's content and this Python, even if several processes need it.

    Raises:
        HostError: if the environment cannot be created; the message ends with pip's last lines.
    """
    try:
        link = own_folder("environments") / _digest(requirements)
        with FileLock(f"{link}.lock"):
            if not link.exists():
                _make(link, requirements)
        environment = link.resolve(strict=True)
    except OSError as error:
        raise HostError(f"cannot install {requirements}: {error}") from error
    return environment


def environment_variables(environment: Path, inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that put an environment before the inherited PATH."""
    folders = [str(environment / "bin"), *filter(None, [inherited.get("PATH")])]
    return {"VIRTUAL_ENV": str(environment), "PATH": os.pathsep.join(folders)}


def _digest(requirements: Path) -> str:
    digest = hashlib.sha256(f"{sys.version}\0{sys.executable}\0{sys.platform}\0".encode())
    for path in _files(requirements, set()):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:20]


def _files(requirements: Path, seen: set[Path]) -> Iterator[Path]:
    """Yield a requirements file and those that it includes, if they are files on this machine."""
    if requirements in seen:
        return
    seen.add(requirements)
    yield requirements
    for line in requirements.read_text("utf-8", "replace").splitlines():
        if included := _INCLUDES.match(line):
            path = (requirements.parent / included[1]).resolve()
            if path.is_file():
                yield from _files(path, seen)


def _make(link: Path, requirements: Path) -> None:
    """Create an environment, and link it when it is complete.

    First remove incomplete ones, which killed processes have left, possibly with a running pip.
    """
    for left in link.parent.glob(f"{link.name}-*"):
        shutil.rmtree(left, ignore_errors=True)
    environment = link.with_name(f"{link.name}-{secrets.token_hex(4)}")
    try:
        _run([sys.executable, "-m", "venv", str(environment)], requirements)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--no-input"]
        pip += ["--disable-pip-version-check", "--requirement", str(requirements)]
        _run(pip, requirements)
    except BaseException:
        shutil.rmtree(environment, ignore_errors=True)
        raise
    link.unlink(missing_ok=True)  # a dangling link
    link.symlink_to(environment.name)


def _run(command: list[str], requirements: Path) -> None:
    """Run a command in the folder of the requirements, which may refer to packages in it."""
    own = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PIP_TARGET", "PIP_PREFIX", "PIP_USER"}
    done = subprocess.run(
        command,
        cwd=requirements.parent,
        env={name: value for name, value in os.environ.items() if name not in own},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        preexec_fn=die_with_parent,
    )
    if done.returncode != 0:
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()[-_LAST_LINES:]
        output = "\n  ".join(lines) or "no output"
        raise HostError(f"cannot install {requirements} (status {done.returncode}):\n  {output}")
