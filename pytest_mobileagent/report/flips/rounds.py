"""Rounds of pytest that judge recorded episodes again, or play them again on fresh phones.

They work on copies in a separate folder, so the run under investigation is not changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.importing import import_episode
from pytest_mobileagent.episode.runs import RUN
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import read_json, read_text, write_json, write_text
from pytest_mobileagent.report.flips.plan import FlipsError, of_run, options_of
from pytest_mobileagent.report.recorded_run import REPORT, recorded_run
from pytest_mobileagent.screen.ocr_store import KEY, SUFFIX
from pytest_mobileagent.verdict import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.report.flips.plan import Trial
    from pytest_mobileagent.report.recorded_run import RecordedRun

_USAGE = 4
_DONE = {0, 1, 5}  # exit statuses of a complete run, whatever the outcomes of its tasks


@dataclass(frozen=True, slots=True)
class RerunOutcome:
    """The outcome of an episode in a round: whether it succeeded, or why that is unknown."""

    success: bool | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds on one run: `folder` receives their files, `arguments` are passed to pytest."""

    run: RecordedRun
    folder: Path
    arguments: Sequence[str] = ()

    def judge(self, trials: Sequence[Trial], number: int) -> dict[str, RerunOutcome]:
        """Judge episodes again, and return the outcomes by the keys of their cases.

        Raises:
            FlipsError: if pytest fails.
            OSError, HostError, RecordError: if the run cannot be copied.
        """
        copy = self._copied(trials)
        for verdicts in (copy / "episodes").glob(f"*/{VERDICTS}"):
            verdicts.unlink()  # an earlier verdict might outrank that of the judge
        return self._pytest(f"judged-{number}", trials, f"--mobile-rescore={copy}")

    def play(self, trials: Sequence[Trial], device: str | None) -> dict[str, RerunOutcome]:
        """Play episodes again, and return the outcomes by the keys of their cases.

        Raises:
            FlipsError: if pytest fails.
        """
        on = [] if device is None else [f"--mobile-device={device}"]
        replies = f"--mobile-replies={self.run.folder}"
        return self._pytest("played", trials, replies, *on, *self.arguments)

    def _copied(self, trials: Sequence[Trial]) -> Path:
        """Return a copy of the run with only these episodes, creating it on the first call."""
        copy = self.folder / "copy"
        if copy.is_dir():
            return copy
        copy.mkdir(parents=True)
        report = read_json(self.run.folder / REPORT)
        keys = {trial.entry["key"] for trial in trials}
        tasks = [entry for entry in self.run.tasks if entry["key"] in keys]
        for entry in tasks:
            import_episode(
                self.run.folder / str(entry["episode"]), copy, copy / str(entry["episode"])
            )
        screens = ScreenStore(copy / FOLDER)
        for kept in (self.run.folder / FOLDER).glob(f"*{SUFFIX}"):
            if screens.file(kept.name.removesuffix(SUFFIX), ".png").exists():
                shutil.copyfile(kept, copy / FOLDER / kept.name, follow_symlinks=False)
        if (self.run.folder / FOLDER / KEY).is_file():
            shutil.copyfile(self.run.folder / FOLDER / KEY, copy / FOLDER / KEY)
        shutil.copyfile(self.run.folder / RUN, copy / RUN)
        write_json(copy / REPORT, {**report, "tasks": tasks})
        return copy

    def _pytest(
        self, name: str, trials: Sequence[Trial], *arguments: str
    ) -> dict[str, RerunOutcome]:
        here = self.folder / name
        here.mkdir(parents=True)
        write_text(here / "tests.txt", "".join(f"{each}\n" for each in of_run(trials)))
        command = [
            *(sys.executable, "-m", "pytest", f"@{here / 'tests.txt'}", "-q"),
            *("-o", f"cache_dir={here / 'cache'}", f"--mobile-runs={here}"),
            *("--mobile-cache=judges", "--mobile-exit=run", *arguments),
        ]
        environment = {**os.environ, **options_of(self.run.about)}
        with (here / "pytest.txt").open("wb") as log:
            done = subprocess.run(
                command, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
            )
        if done.returncode not in _DONE:
            raise FlipsError(_why(here / "pytest.txt", done.returncode))
        return _outcomes(here, done.returncode)


def _why(log: Path, status: int) -> str:
    """Return why pytest failed: its own error line if it is a usage error."""
    lines = read_text(log, "replace").splitlines()
    errors = [line for line in lines if line.startswith("ERROR: ")]
    if status == _USAGE and errors:
        return errors[0].removeprefix("ERROR: ")
    return f"pytest ended with status {status}: see its output in {log}"


def _outcomes(folder: Path, status: int) -> dict[str, RerunOutcome]:
    """Return the outcomes of the cases in the only run of a folder, by their keys."""
    try:
        (report,) = folder.glob(f"*/{REPORT}")
        run = recorded_run(report.parent)
    except (OSError, ValueError, RecordError):
        raise FlipsError(_why(folder / "pytest.txt", status)) from None
    return {entry["key"]: RerunOutcome(entry["success"], _reason(entry)) for entry in run.tasks}


def _reason(entry: Mapping[str, Any]) -> str:
    return str(entry["reason"] or next(iter(entry["infrastructure"] or ()), "") or entry["outcome"])
