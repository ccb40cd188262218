"""Packs the screens of a run: the same pixels and hierarchies in a third of the bytes.

A run writes screens as the phone returns them, so that no step waits for an encoder (0.2 s per
screenshot). They are packed while the machine is otherwise idle, by a process of the lowest
priority, until the last task has ended, and later by `mobileagent pack`: HASH.png becomes
HASH.webp, losslessly, and HASH.xml becomes HASH.xml.gz. Names and records stay the same. The
original is removed only after the packed file has been read back, compared and synced to disk. So a
packing process can be killed at any time: every screen exists in one of the two forms, and the next
process continues.

    python -m pytest_mobileagent.episode.packing RUN      until its standard input ends
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import select
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.episode.chain import add
from pytest_mobileagent.episode.screens import CONTENT, FOLDER
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import read_bytes, replacing
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.processes import without_keys
from pytest_mobileagent.screen.picture import as_webp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEAST = 2_000_000  # minimum bytes of screens for which packing pays off
_MOST_SECONDS = 60.0  # of packing by a command that was called for something else
_WORTH_A_WORD = 50  # screens; packing more takes some seconds, which is announced
_PAUSE = 2.0  # seconds between two scans for new screens
_SUFFIXES = {".png": ".webp", ".xml": ".xml.gz"}


def main(arguments: Sequence[str], find_run: Callable[[Path], Path]) -> int:
    """Pack the screens of runs, and return the exit status.

    `find_run` returns the folder of a run, given itself or a folder of runs.
    """
    parser = Parser(
        prog=program_name("pack"),
        description="Pack the screens of runs: screenshots as lossless WebP, view "
        "hierarchies with gzip. Everything that reads runs reads both forms.",
    )
    what = "the folder of a run, or a folder of runs, whose newest run is used"
    parser.add_argument("runs", nargs="+", metavar="RUN", help=what)
    try:
        for folder in [find_run(Path(run)) for run in parser.parse_args(arguments).runs]:
            before = size_of(folder) / 1e6
            pack_run(folder)
            now = f"{before:.1f} MB of screens are now {size_of(folder) / 1e6:.1f} MB"
            sys.stdout.write(printable(f"{folder}: {now}") + "\n")
    except (OSError, RecordError) as error:
        return failed(error)
    return 0


def is_left(run: Path) -> bool:
    """Return whether a run has screens for which packing pays off."""
    return size_of(run) >= LEAST and bool(unpacked(run))


def pack_rest(run: Path) -> None:
    """Pack the screens of a run that a command has read or written, for at most a minute."""
    if (left := len(unpacked(run))) > _WORTH_A_WORD:
        sys.stderr.write(f"packing {left} screens (Ctrl-C leaves them as they are)\n")
    with suppress(KeyboardInterrupt):
        pack_run(run, _MOST_SECONDS)


def unpacked(run: Path) -> list[Path]:
    """Return the screens of a run that are not packed: hierarchies first, which are fast."""
    found = []
    with suppress(OSError), os.scandir(run / FOLDER) as entries:
        for entry in entries:
            path = Path(entry.path)
            is_screen = path.suffix in _SUFFIXES and CONTENT.fullmatch(path.stem)
            if is_screen and not entry.is_symlink():
                with suppress(OSError):  # it has just been packed
                    found.append((path.suffix == ".png", entry.stat().st_mtime_ns, path))
    return [path for *_, path in sorted(found)]


def size_of(run: Path) -> int:
    """Return the bytes of a run's screens, packed or not."""
    size = 0
    with suppress(OSError), os.scandir(run / FOLDER) as entries:
        for entry in entries:
            with suppress(OSError):
                size += entry.stat().st_size
    return size


def pack(screen: Path) -> bool:
    """Pack one screen, and return whether that made it smaller; otherwise it is left as it is.

    Raises:
        OSError: if the screen cannot be read, or its packed file cannot be written.
    """
    content = read_bytes(screen)
    packed = as_webp(content) if screen.suffix == ".png" else gzip.compress(content, 9, mtime=0)
    if packed is None or len(packed) >= len(content):
        return False
    with replacing(screen.with_name(screen.stem + _SUFFIXES[screen.suffix])) as file:
        file.write(packed)
        file.flush()
        os.fsync(file.fileno())  # a loss of power must not destroy both
    if screen.suffix == ".png":  # other packed files show their content's digest when unpacked
        digest = hashlib.sha256(packed).hexdigest()
        with suppress(HostError):
            add(screen.parent.parent, {"packed": f"{screen.stem}.webp", "sha256": digest})
    screen.unlink()
    return True


def pack_run(run: Path, seconds: float = math.inf) -> int:
    """Pack the screens of a run that has ended, and return how many were left for lack of time.

    All processors are used. Screens that cannot be packed or written are left as they are.
    """
    deadline = time.monotonic() + seconds

    def one(screen: Path) -> bool:
        if time.monotonic() > deadline:
            return False
        with suppress(OSError):
            pack(screen)
        return True

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            left = list(pool.map(one, unpacked(run))).count(False)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    relink(run)
    return left


def relink(run: Path) -> None:
    """Update the links in episode folders whose screens have been packed."""
    for link in (run / "episodes").glob(f"*/{FOLDER}/*"):
        if link.is_symlink() and not link.exists():
            _to_packed(link)


def lasting(link: Path) -> Path:
    """Return the path of a screen that stays valid when the screen is packed, given the link to it.

    The link becomes the screen itself: another name of the file, which packing does not remove.
    """
    if not link.is_symlink():
        return link
    part = link.with_name(f".{link.name}")
    with suppress(OSError):  # it has been packed, or the disk has no such names
        os.link(link.resolve(strict=True), part)
        part.replace(link)
    return link if link.exists() else _to_packed(link)


def _to_packed(link: Path) -> Path:
    """Replace a broken link to a screen by one to its packed file; return the link there is now."""
    with suppress(OSError):
        target = link.readlink()
        packed = target.with_name(target.stem + _SUFFIXES.get(target.suffix, ""))
        if CONTENT.fullmatch(target.stem) and (link.parent / packed).is_file():
            now = link.with_suffix(_SUFFIXES[target.suffix])
            with suppress(FileExistsError):
                now.symlink_to(packed)
            link.unlink(missing_ok=True)
            return now
    return link


class IdlePacker:
    """A process that packs the screens of a run in progress while the processors are idle."""

    def __init__(self, run: Path) -> None:
        self._run = run
        # Nothing in the current folder may replace Python's own modules.
        command = [sys.executable, "-P", "-m", __name__, str(run)]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=nowhere, stderr=nowhere, env=without_keys()
        )

    def end(self) -> None:
        """Kill the process immediately, and update the links to the screens it has packed."""
        self._process.kill()
        self._process.communicate()
        relink(self._run)


def _pack_in_time_left(run: Path) -> None:
    """Pack the screens of a run until standard input ends, which the parent process holds open."""
    os.nice(19)  # only use processor and disk time that nothing else wants
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    hopeless: set[Path] = set()
    while True:
        for screen in (each for each in unpacked(run) if each not in hopeless):
            if select.select([sys.stdin], [], [], 0)[0]:
                return
            with suppress(OSError):
                if pack(screen):
                    continue
            hopeless.add(screen)
        if select.select([sys.stdin], [], [], _PAUSE)[0]:
            return


if __name__ == "__main__":
    _pack_in_time_left(Path(sys.argv[1]))
