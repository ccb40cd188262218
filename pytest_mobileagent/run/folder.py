"""A run's folder: run.json, its index, its screens, and a folder for each attempt at a case.

The process that owns a run holds the folder's lock for as long as it lives; the system releases it
when the process dies, for whatever reason.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from pytest_mobileagent._task.case import Case
from pytest_mobileagent.episode import chain
from pytest_mobileagent.episode.runs import RUN, about, attempts, slug, stem_of
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import PRIVATE, read_json, write_json, writing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path


SCHEMA_VERSION = 2


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of a run's report and episodes."""

    path: Path
    id: str
    started: str
    session: str = ""  # distinguishes a run that is resumed from its earlier sessions
    # Numbers the attempts at a case, by its key, if the run has folders on several machines.
    allot: Callable[[str], int] | None = field(default=None, compare=False)

    @classmethod
    def plan(cls, runs: Path, agent: str) -> RunFolder:
        """Return a new folder in `runs`, named after the time and the agent; `make` creates it."""
        now = datetime.now(UTC)
        name = f"{now:%Y-%m-%dT%H-%M-%S}-{slug(agent)}-{secrets.token_hex(2)}"
        return cls(runs.resolve() / name, name, now.isoformat(timespec="seconds"))

    @property
    def mark(self) -> str:
        """The mark of processes that this session's agents start (see `processes`)."""
        return f"{self.session}{self.id}"

    @property
    def screens(self) -> ScreenStore:
        """The store of all the run's screens."""
        return ScreenStore(self.path / FOLDER)

    def make(self) -> Path:
        """Create the folder if it does not exist, readable by its owner only; return its path.

        Raises:
            HostError: if it cannot be created.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.mkdir(PRIVATE, exist_ok=True)
        except (OSError, ValueError) as error:
            raise HostError(f"cannot create a folder in --mobile-runs: {error}") from error
        return self.path

    def begin(self, about: Callable[[], Mapping[str, Any]], cases: Iterable[Case]) -> None:
        """Write run.json with the run's metadata and cases, unless another process has done so.

        `about` returns the metadata; it is only called by the process that writes the file. Its
        "digests", by the keys of cases, are written beside the cases.

        Raises:
            HostError: if the file cannot be written.
        """
        path = self.make() / RUN
        with self.alone():
            if path.exists():
                return
            head = {"id": self.id, "started": self.started, **about()}
            digests = head.pop("digests", {})
            whole = {"schema_version": SCHEMA_VERSION, "run": head}
            self._write({**whole, "tasks": [case.to_json() for case in cases], "digests": digests})
            chain.begin(self.path)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Lock out other processes of the run, so they do not do the same work at once."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):  # on a file system without locks, they do it again
                descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield

    def go_on(
        self, again: Mapping[str, Any], cases: Iterable[Case], digests: Mapping[str, Any]
    ) -> None:
        """Add an entry to run.json that the run is resumed, and the cases not listed yet.

        `again` is the entry; nothing is written if another process has added it. `digests` are
        those of the cases that are run, by their keys.

        Raises:
            HostError: if the file cannot be read or written.
        """
        path = self.path / RUN
        try:
            whole = read_json(path)
            resumed, tasks = whole["run"].setdefault("resumed", []), whole["tasks"]
            known = {Case.from_json(task).key for task in tasks}
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise HostError(f"cannot go on with {path}: {type(error).__name__}: {error}") from error
        if any(each.get("when") == again["when"] for each in resumed):
            return
        resumed.append(dict(again))
        tasks += [case.to_json() for case in cases if case.key not in known]
        whole["digests"] = {**(whole.get("digests") or {}), **digests}
        self._write(whole)
        chain.add_file(self.path, "plan", RUN)

    def _write(self, whole: Mapping[str, Any]) -> None:
        path = self.path / RUN
        with writing(path):
            write_json(path, whole, indent=None)

    def discard(self) -> None:
        """Delete the folder of a refused run if it contains nothing but what `begin` wrote."""
        with contextlib.suppress(OSError):
            found = list(self.path.iterdir())
            if {path.name for path in found} <= {RUN, *chain.FILES}:
                for path in found:
                    path.unlink()
                self.path.rmdir()

    @property
    def has_begun(self) -> bool:
        """Whether a process of the run has written run.json, as it has cases to run."""
        return (self.path / RUN).exists()

    def about(self) -> dict[str, Any]:
        """Return the run's metadata in run.json; without the file, only its id and start."""
        return about(self.path) or {"id": self.id, "started": self.started}

    def attempt(self, case: Case) -> tuple[Path, int]:
        """Create a folder for a new attempt at a case; return it and the attempt's number, from 0.

        Raises:
            HostError: if it cannot be created.
        """
        at_least = 0 if self.allot is None else self.allot(case.key)
        return new_attempt(self.make(), case.key, at_least)

    def relative(self, path: Path) -> str:
        """Return a path below the folder in the form that reports use."""
        return path.relative_to(self.path).as_posix()


def new_attempt(run: Path, key: str, at_least: int = 0) -> tuple[Path, int]:
    """Create a folder for a new attempt at a case, given by its key; return it and its number.

    Attempts are numbered from 0, or from `at_least`.

    Raises:
        HostError: if the folder cannot be created.
    """
    stem = stem_of(run, key)
    attempt = max(at_least, len(attempts(run, key)))
    while True:
        folder = stem.with_name(f"{stem.name}.{attempt}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            attempt += 1
        except OSError as error:
            raise HostError(f"cannot create a folder for an episode: {error}") from error
        else:
            chain.add(run, {"begun": folder.relative_to(run).as_posix()})
            return folder, attempt


LOCK = ".lock"


def hold(run: Path) -> FileLock:
    """Lock the run in a folder for this process, and return the lock.

    Raises:
        HostError: if another process holds the lock, or the folder is not writable.
    """
    try:
        lock = _lock(run)
        lock.acquire(timeout=0)
    except Timeout:
        raise HostError(f"{run} is still running: another process holds {run / LOCK}") from None
    except (OSError, NotImplementedError) as error:
        raise HostError(f"{run} cannot be written to: {error}") from error
    return lock


def let_go(lock: FileLock) -> None:
    """Release a lock, and delete its file."""
    with contextlib.suppress(OSError):
        os.unlink(lock.lock_file)  # noqa: PTH108 - a string, not a path
    lock.release()


def _lock(run: Path) -> FileLock:
    """Return the lock of a run.

    Raises:
        OSError: if its file is not a regular one but, say, a link, whose target would be truncated.
    """
    path = run / LOCK
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OSError(errno.EINVAL, "it is not a regular file: remove it", str(path))
    return FileLock(path, timeout=0)


def is_held(run: Path) -> bool:
    """Return whether another process holds the lock of the run in a folder."""
    try:
        if not (run / LOCK).exists():
            return False
        with _lock(run):
            return False
    except Timeout:
        return True
    except (OSError, NotImplementedError):  # another user's folder
        return False
