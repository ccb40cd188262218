"""`python -m pytest_mobileagent bundle`: runs in one file that others can check."""

from __future__ import annotations

import sys
import zipfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.episode.chain import CHAIN, last_digest
from pytest_mobileagent.episode.packing import pack_run
from pytest_mobileagent.episode.runs import INDEX, QUESTIONS, RUN
from pytest_mobileagent.episode.screens import FOLDER
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import (
    MOST_BYTES,
    is_below,
    read_bytes,
    read_text,
    replacing,
    writing,
)
from pytest_mobileagent.jsonable import plural, printable, to_text
from pytest_mobileagent.report.bundle.reading import ABOUT, SCHEMA_VERSION, SUFFIX, is_bundle
from pytest_mobileagent.report.bundle.trajectories import publishable, write_trajectories
from pytest_mobileagent.report.html.run_page import write_page
from pytest_mobileagent.report.recorded_run import REPORT, find_run, report_of
from pytest_mobileagent.report.text.narration import PAGE
from pytest_mobileagent.report.text.pull_request import SUMMARY

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

_OF_RUN = (RUN, INDEX, CHAIN, REPORT, PAGE, SUMMARY, QUESTIONS)
_UNPROVEN = (
    "without its screens, nobody can run its checks again, ask judges about it, or see what the "
    "agent saw"
)


def write_bundle(runs: Sequence[Path], target: Path, *, screens: bool = True) -> list[str]:
    """Write the runs in some folders to a bundle; return the names of files that are left out.

    Their screens are packed first. Files that are no text, such as an agent's own, are left out.

    Raises:
        HostError: if a file holds a key, or the bundle cannot be written; there is none then.
        OSError, RecordError: if a run cannot be read.
    """
    if twice := [run for run in runs if [each.name for each in runs].count(run.name) > 1]:
        raise HostError(f"two of the runs are named {twice[0].name}: name each run once")
    left_out: list[str] = []
    with writing(target), replacing(target) as file, zipfile.ZipFile(file, "w") as archive:
        for run in runs:
            if screens:
                pack_run(run)
            if not (run / PAGE).is_file():
                write_page(run, report_of(run))
            for path in _files(run, screens=screens):
                name = f"{run.name}/{path.relative_to(run).as_posix()}"
                content = _content(path, run, name)
                if content is None:
                    left_out.append(name)
                else:
                    is_packed = path.parent.name == FOLDER
                    how = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
                    archive.writestr(zipfile.ZipInfo(name), content, how)
        about = {
            "schema_version": SCHEMA_VERSION,
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": version("pytest-mobileagent"),
            "runs": [run.name for run in runs],
            "screens": screens,
            "left_out": left_out,
        }
        archive.writestr(zipfile.ZipInfo(ABOUT), to_text(about, indent=2) + "\n")
    return left_out


def _files(run: Path, *, screens: bool) -> Iterator[Path]:
    """Yield the files of a run: every attempt, broken and repeated ones, too."""
    yield from (run / name for name in _OF_RUN if (run / name).is_file())
    folders = ("episodes", FOLDER) if screens else ("episodes",)
    for folder in folders:
        for path in sorted((run / folder).rglob("*")):
            is_ours = not path.name.startswith(".") and is_below(path, run)
            is_other_name = folder != FOLDER and path.parent.name == FOLDER  # of a screen
            if is_ours and not is_other_name and path.is_file():
                yield path


def _content(path: Path, run: Path, name: str) -> bytes | None:
    """Return the content of a file for a bundle; None if it is to be left out.

    Raises:
        HostError: if it contains a key.
    """
    if path.parent == run / FOLDER:
        return read_bytes(path)
    if path.stat().st_size > MOST_BYTES:
        return None
    try:
        return publishable(read_text(path), run, name).encode()
    except UnicodeDecodeError:
        return None


def main(arguments: Sequence[str]) -> int:
    """Write a bundle, or trajectories, and return the exit status."""
    given = _parser().parse_args(arguments)
    target = Path(given.output)
    try:
        if not given.trajectories and not target.name.endswith(SUFFIX):
            raise HostError(f"{target}: the name of a bundle ends in {SUFFIX}")  # noqa: TRY301
        if bundled := next((run for run in given.runs if is_bundle(Path(run))), None):
            raise HostError(f"{bundled} is a bundle already")  # noqa: TRY301
        runs = [find_run(Path(run)) for run in given.runs]
        if given.trajectories:
            count = write_trajectories(runs, target, screens=not given.without_screens)
            sys.stdout.write(printable(f"{target}: {plural(count, 'trajectory')}") + "\n")
            return 0
        left_out = write_bundle(runs, target, screens=not given.without_screens)
    except (OSError, HostError, RecordError) as error:
        return failed(error)
    for name in left_out:
        sys.stderr.write(f"note: {printable(name)} is no text, or too large: left out\n")
    if given.without_screens:
        sys.stderr.write(f"note: {_UNPROVEN}\n")
    size = f"{target.stat().st_size / 1e6:.1f} MB"
    sys.stdout.write(printable(f"{target}: {plural(len(runs), 'run')}, {size}") + "\n")
    for run in runs:
        digest = last_digest(run) or "no chain of digests: recorded by an older version"
        sys.stdout.write(printable(f"digest of {run.name}: {digest}") + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("bundle"),
        description="Write runs to one file that others can check (`verify`) and compare: report, "
        "every attempt, prompts, screens, versions and the command. Paths of this machine are "
        "left out; if a file holds a key, nothing is written.",
    )
    add = parser.add_argument
    run = "the folder of a run, or a folder of runs, whose newest run is used"
    add("runs", nargs="+", metavar="RUN", help=run)
    output = f"the file to write, NAME{SUFFIX}; with --trajectories, a folder: new or empty"
    add("-o", "--output", required=True, metavar="FILE", help=output)
    add("--without-screens", action="store_true", help=f"a small bundle: {_UNPROVEN}")
    trajectories = "write the trajectories for publication instead: a folder for each task, with "
    add("--trajectories", action="store_true", help=f"{trajectories}plain JSON and pictures")
    return parser
