"""`python -m pytest_mobileagent pack`: pack the screens of runs."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import Parser, failed, program_name
from pytest_mobileagent.episode import packing
from pytest_mobileagent.episode.packing import pack_run, size_of, unpacked
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.report.recorded_run import find_run

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_SECONDS = 60.0  # of packing by a command that was called for something else
_WORTH_A_WORD = 50  # screens; packing more takes some seconds, which is announced


def main(arguments: Sequence[str]) -> int:
    """Pack the screens of runs, and return the exit status."""
    parser = Parser(
        prog=program_name("pack"),
        description="Pack the screens of runs: screenshots as lossless WebP, view "
        "hierarchies with gzip. Everything that reads runs reads both forms.",
    )
    run = "the folder of a run, or a folder of runs, whose newest run is used"
    parser.add_argument("runs", nargs="+", metavar="RUN", help=run)
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
    return size_of(run) >= packing.LEAST and bool(unpacked(run))


def pack_rest(run: Path) -> None:
    """Pack the screens of a run that a command has read or written, for at most a minute."""
    if (left := len(unpacked(run))) > _WORTH_A_WORD:
        sys.stderr.write(f"packing {left} screens (Ctrl-C leaves them as they are)\n")
    with suppress(KeyboardInterrupt):
        pack_run(run, _MOST_SECONDS)
