"""`python -m pytest_mobileagent flips`: whether judge, phone or agent makes verdicts differ."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import Parser, bad_input, program_name
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import read_json, write_json
from pytest_mobileagent.jsonable import printable, to_text, whole_number
from pytest_mobileagent.report.flips.causes import Reruns, lines, report, summary
from pytest_mobileagent.report.flips.plan import FlipsError, Plan, plan
from pytest_mobileagent.report.flips.rounds import RerunOutcome, Rounds
from pytest_mobileagent.report.html.run_page import write_page
from pytest_mobileagent.report.recorded_run import REPORT, find_run, read_report, recorded_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_mobileagent.report.recorded_run import RecordedRun

FLIPS = "flips.json"
_TIMES = 3


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
    print(to_text(found, 2) if given.format == "json" else "\n".join(_text(found, folder)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("flips"),
        description="Find out why the verdicts of a task differ between epochs or runs: because of "
        "the judge (which is asked again about the same episodes), the environment (if the "
        "recorded replies lead to another verdict on a fresh phone), or the agent. Call it in the "
        "project's folder. The episodes of the runs are not changed.",
    )
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", type=Path, help="a run's folder, or a folder of runs"
    )
    parser.add_argument(
        "--times",
        metavar="K",
        type=_count,
        default=_TIMES,
        help="how many times judges are asked again about each episode (default: %(default)s)",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="only show what would be done, and its costs"
    )
    parser.add_argument(
        "--device", metavar="DEVICE", help="where to play episodes again (default: as in the run)"
    )
    parser.add_argument(
        "-n", metavar="N", dest="workers", help="the number of pytest-xdist workers that play them"
    )
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument(
        "-o",
        metavar="DIR",
        dest="output",
        type=Path,
        help=f"the folder for {FLIPS} and all other output (default: beside the first RUN)",
    )
    return parser


def _count(text: str) -> int:
    if number := whole_number(text):
        return number
    msg = f"{text!r} is not a whole number of at least 1"
    raise argparse.ArgumentTypeError(msg)


def _runs(paths: Sequence[Path]) -> list[RecordedRun]:
    """Read the runs.

    Raises:
        OSError, RecordError: if a run cannot be read.
        FlipsError: if a run has not ended, or is named twice.
    """
    runs = [recorded_run(find_run(path)) for path in paths]
    for number, run in enumerate(runs):
        if not run.has_ended:
            msg = f"{run.folder} has not ended, or was cut off: continue it with --mobile-resume"
            raise FlipsError(msg)
        if any(run.folder.name == other.folder.name for other in runs[:number]):
            msg = f"{run.folder} is named twice, or another run has its name"
            raise FlipsError(msg)
    return runs


def _folder(runs: Sequence[RecordedRun], output: Path | None) -> Path:
    """Create the output folder and return it.

    Raises:
        FlipsError: if it already exists.
        OSError: if it cannot be created.
    """
    first = runs[0].folder
    folder = (output or first.with_name(f"{first.name}-flips")).absolute()
    if folder.exists():
        msg = f"{folder} already exists: name another folder with -o DIR, or delete it"
        raise FlipsError(msg)
    folder.mkdir(parents=True)
    return folder


def _rerun(
    planned: Plan, runs: Sequence[RecordedRun], folder: Path, given: argparse.Namespace
) -> dict[tuple[str, str], Reruns]:
    """Play and judge all episodes again, and return the outcomes by `Trial.place`."""
    workers = [] if given.workers is None else [f"-n{given.workers}"]
    played: dict[tuple[str, str], RerunOutcome] = {}
    judged: dict[tuple[str, str], list[RerunOutcome]] = {}
    for run in runs:
        to_judge, to_play = planned.of(run)
        rounds = Rounds(run, folder / run.folder.name, workers)
        # Playing comes first: it reports an unknown device, or a judge without a key, before
        # anything is paid.
        outcomes = rounds.play(to_play, given.device) if to_play else {}
        for each in to_play:
            if each.entry["key"] in outcomes:
                played[each.place] = outcomes[each.entry["key"]]
        for number in range(given.times if to_judge else 0):
            outcomes = rounds.judge(to_judge, number)
            for each in to_judge:
                if each.entry["key"] in outcomes:
                    judged.setdefault(each.place, []).append(outcomes[each.entry["key"]])
    places = [trial.place for trial in planned.trials]
    return {each: Reruns(tuple(judged.get(each, ())), played.get(each)) for each in places}


def _write(found: dict[str, Any], runs: Sequence[RecordedRun], folder: Path | None) -> None:
    """Write the result into the folder, and into report.json and report.html of each run.

    Runs that cannot be written to are skipped.
    """
    if folder is None:
        return
    write_json(folder / FLIPS, found)
    for run in runs:
        with contextlib.suppress(OSError, RecordError):
            whole = read_json(run.folder / REPORT)
            write_json(run.folder / REPORT, {**whole, "flips": found})
            write_page(run.folder, read_report(run.folder / REPORT))


def _text(found: dict[str, Any], folder: Path | None) -> list[str]:
    if folder is None:
        return ["no verdict differs"]
    return [*lines(found), summary(found), f"wrote {folder / FLIPS}"]
