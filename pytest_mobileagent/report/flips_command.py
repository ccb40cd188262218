"""`python -m pytest_mobileagent flips`: whether judge, phone or agent makes verdicts differ."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, bad_input, positive, program_name
from pytest_mobileagent.episode import chain
from pytest_mobileagent.episode.importing import import_episode
from pytest_mobileagent.episode.runs import RUN
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import read_json, read_text, write_json, write_text
from pytest_mobileagent.jsonable import printable, to_text
from pytest_mobileagent.report.flips import (
    FlipPlan,
    FlipsError,
    RerunOutcome,
    Reruns,
    lines,
    options_of,
    plan,
    report,
    summary,
)
from pytest_mobileagent.report.html.run_page import write_page
from pytest_mobileagent.report.recorded_run import REPORT, find_run, read_report, recorded_run
from pytest_mobileagent.verdict import VERDICTS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from pytest_mobileagent.report.flips import DecidedEpisode
    from pytest_mobileagent.report.recorded_run import RecordedRun


FLIPS = "flips.json"
_TIMES = 3
_USAGE = 4
_DONE = {0, 1, 5}  # exit statuses of a complete run, whatever the outcomes of its tasks


def main(arguments: Sequence[str]) -> int:
    """Find out why verdicts differ between the epochs of runs, and return the exit status."""
    given = _parser().parse_args(arguments)
    try:
        runs = _runs(given.runs)
        planned = plan(runs, given.times)
        out = sys.stderr if given.format == "json" else sys.stdout
        if planned.flips:
            print(*map(printable, planned.lines()), sep="\n", file=out, flush=True)
        if given.dry_run:
            if not planned.flips:
                print("no verdict differs", file=out)
            return 0
        folder = _folder(runs, given.output) if planned.flips else None
        found = report(planned, {} if folder is None else _rerun(planned, runs, folder, given))
        _write(found, runs, folder)
    except (HostError, RecordError, OSError) as error:
        return bad_input(error)
    if given.format == "json":
        print(to_text(found, 2))
    elif folder is None:
        print("no verdict differs")
    else:
        print(*lines(found), summary(found), f"wrote {folder / FLIPS}", sep="\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("flips"),
        description="Find out why the verdicts of a task differ between epochs or runs: because of "
        "the judge (which is asked again about the same episodes), the environment (if the "
        "recorded replies lead to another verdict on a fresh phone), or the agent. Run it in the "
        "project's folder. The episodes of the runs are not changed.",
    )
    add = parser.add_argument
    add("runs", metavar="RUN", nargs="+", type=Path, help="a run's folder, or a folder of runs")
    times = "how many times judges are asked again about each episode (default: %(default)s)"
    add("--times", metavar="K", type=positive, default=_TIMES, help=times)
    add("--dry-run", action="store_true", help="only show what would be done, and its costs")
    add("--device", metavar="DEVICE", help="where to play episodes again (default: as in the run)")
    add("-n", metavar="N", dest="workers", help="the number of pytest-xdist workers for that")
    add("--format", choices=("text", "json"), default="text", help="of the output (default: text)")
    output = f"the folder for {FLIPS} and all other output (default: beside the first RUN)"
    add("-o", metavar="DIR", dest="output", type=Path, help=output)
    return parser


def _runs(paths: Sequence[Path]) -> list[RecordedRun]:
    runs = [recorded_run(find_run(path)) for path in paths]
    for number, run in enumerate(runs):
        if not run.has_ended:
            msg = f"{run.folder} has not ended, or was cut off: continue it with --mobile-resume"
            raise FlipsError(msg)
        if any(run.folder.name == other.folder.name for other in runs[:number]):
            raise FlipsError(f"{run.folder} is named twice, or another run has its name")
    return runs


def _folder(runs: Sequence[RecordedRun], output: Path | None) -> Path:
    first = runs[0].folder
    folder = (output or first.with_name(f"{first.name}-flips")).absolute()
    if folder.exists():
        raise FlipsError(f"{folder} already exists: name another folder with -o DIR, or delete it")
    folder.mkdir(parents=True)
    return folder


def _rerun(
    planned: FlipPlan, runs: Sequence[RecordedRun], folder: Path, given: argparse.Namespace
) -> dict[tuple[str, str], Reruns]:
    """Play and judge all episodes again, and return the outcomes by `DecidedEpisode.place`."""
    workers = [] if given.workers is None else [f"-n{given.workers}"]
    played: dict[tuple[str, str], RerunOutcome] = {}
    judged: dict[tuple[str, str], list[RerunOutcome]] = {}
    for run in runs:
        to_judge, to_play = planned.of(run)
        rounds = Rounds(run, folder / run.folder.name, workers)
        # Playing comes first: it finds an unknown device, or a judge without a key, at no cost.
        outcomes = rounds.play(to_play, given.device) if to_play else {}
        for each in to_play:
            if each.entry.key in outcomes:
                played[each.place] = outcomes[each.entry.key]
        for number in range(given.times if to_judge else 0):
            outcomes = rounds.judge(to_judge, number)
            for each in to_judge:
                if each.entry.key in outcomes:
                    judged.setdefault(each.place, []).append(outcomes[each.entry.key])
    places = [trial.place for trial in planned.trials]
    return {each: Reruns(tuple(judged.get(each, ())), played.get(each)) for each in places}


def _write(found: dict[str, Any], runs: Sequence[RecordedRun], folder: Path | None) -> None:
    """Write the result to the folder, and into the reports and pages of runs that are writable."""
    if folder is None:
        return
    write_json(folder / FLIPS, found)
    for run in runs:
        with contextlib.suppress(OSError, HostError, RecordError):
            write_json(run.folder / REPORT, {**read_json(run.folder / REPORT), "flips": found})
            chain.add_file(run.folder, "report", REPORT)
            write_page(run.folder, read_report(run.folder / REPORT))


@dataclass(frozen=True, slots=True)
class Rounds:
    """Rounds of judging or playing the episodes of a run again, each in a subfolder of `folder`."""

    run: RecordedRun
    folder: Path
    arguments: Sequence[str] = ()

    def judge(self, trials: Sequence[DecidedEpisode], number: int) -> dict[str, RerunOutcome]:
        """Judge episodes again, and return the outcomes by the keys of their cases.

        Raises:
            FlipsError: if pytest fails.
            OSError, HostError, RecordError: if the run cannot be copied.
        """
        copy = self._copied(trials)
        for verdicts in (copy / "episodes").glob(f"*/{VERDICTS}"):
            verdicts.unlink()  # an earlier verdict might outrank that of the judge
        return self._pytest(f"judged-{number}", trials, f"--mobile-rescore={copy}")

    def play(self, trials: Sequence[DecidedEpisode], device: str | None) -> dict[str, RerunOutcome]:
        """Play episodes again, and return the outcomes by the keys of their cases.

        Raises:
            FlipsError: if pytest fails.
        """
        on = [] if device is None else [f"--mobile-device={device}"]
        replies = f"--mobile-replies={self.run.folder}"
        return self._pytest("played", trials, replies, *on, *self.arguments)

    def _copied(self, trials: Sequence[DecidedEpisode]) -> Path:
        """Return a copy of the run with only these episodes, creating it on the first call."""
        copy = self.folder / "copy"
        if copy.is_dir():
            return copy
        copy.mkdir(parents=True)
        report = read_json(self.run.folder / REPORT)
        keys = {trial.entry.key for trial in trials}
        tasks = [entry for entry in self.run.tasks if entry.key in keys]
        for entry in tasks:
            import_episode(self.run.folder / str(entry.episode), copy, copy / str(entry.episode))
        shutil.copyfile(self.run.folder / RUN, copy / RUN)
        write_json(copy / REPORT, {**report, "tasks": tasks})
        return copy

    def _pytest(
        self, name: str, trials: Sequence[DecidedEpisode], *arguments: str
    ) -> dict[str, RerunOutcome]:
        here = self.folder / name
        here.mkdir(parents=True)
        write_text(here / "tests.txt", "".join(f"{trial.entry.nodeid}\n" for trial in trials))
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
    found = {}
    for entry in run.tasks:
        reason = entry.reason or next(iter(entry.infrastructure), "") or entry.outcome
        found[entry.key] = RerunOutcome(entry.success, reason)
    return found
