"""The reports of a run, written anew whenever a person has decided."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import write_json
from pytest_mobileagent.report.document import REPORT, read_report
from pytest_mobileagent.report.html.writing import write_page
from pytest_mobileagent.report.redecide import redecided
from pytest_mobileagent.review.queue import VerdictFiles, signature_of

if TYPE_CHECKING:
    from concurrent.futures import Future
    from pathlib import Path

    from pytest_mobileagent.review.queue import Signature


class Rewriter:
    """Writes the reports of a run in a thread of its own: those of large runs take seconds."""

    def __init__(self, run: Path) -> None:
        self.problem = ""  # why they could not be written last time
        self._run, self._files = run, VerdictFiles()
        self._pool = ThreadPoolExecutor(1, "reports")
        self._lock = threading.Lock()
        self._closed = False
        self._next: Future[None] | None = None

    def ask(self) -> None:
        """Have the reports written by all verdicts so far, as soon as possible.

        Nothing is written any more after `close`: whoever opens the run next does that.
        """
        with self._lock:
            if self._closed:
                return
            if self._next is None or self._next.running() or self._next.done():
                self._next = self._pool.submit(self._rewrite)

    def close(self) -> None:
        """Write them a last time, and wait for it."""
        self.ask()
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=True)

    def _rewrite(self) -> None:
        try:
            rewrite(self._run, self._files)
        except (OSError, RecordError) as error:
            self.problem = f"the report was not written, the verdicts are kept: {error}"
        except Exception as error:  # noqa: BLE001 - a report may hold anything
            words = f"{type(error).__name__}: {error}"
            self.problem = f"the report was not written, the verdicts are kept: {words}"
        else:
            self.problem = ""


def rewrite(run: Path, files: VerdictFiles) -> None:
    """Write the reports of a run by the verdicts that stand; none where there is none yet.

    Every program that has appended a verdict does so: whoever writes last has looked after having
    written, and so has all verdicts in.

    Raises:
        OSError: a report cannot be read or written.
        RecordError: it is damaged, or of a newer version.
    """
    path, shown, written = run / REPORT, None, None
    while (before := signature_of(path)) is not None:
        report = read_report(path)
        after = redecided(report, lambda task: files.standing(run, task))
        if after["tasks"] != report["tasks"] and after["tasks"] != written:
            _write(path, after, before)
            written = after["tasks"]  # which may be read back as less, as what is nested deeply is
        elif shown == before:
            return
        else:
            write_page(run, report)  # notes change no task, but the page
            shown = before


def _write(path: Path, report: dict[str, Any], before: Signature) -> None:
    """Write a report unless the run, or somebody else, has written one since."""
    own = path.with_name(f".{REPORT}.{os.getpid()}")
    try:
        write_json(own, report)
        if signature_of(path) == before:
            own.replace(path)
    finally:
        own.unlink(missing_ok=True)
