"""What the benchmarks share: running pytest as a user has it, and what that costs."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[1]


def run_pytest(
    arguments: Sequence[str], folder: Path | str = ROOT, **variables: str
) -> tuple[float, float]:
    """Run pytest, whatever its status, and return the seconds, and those of all processors.

    Bytecode is cached, as it is unless somebody asks for the opposite, and hypothesis's plugin,
    which no user of this one needs, is left out.
    """
    environment = {**os.environ, **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:hypothesispytest",
    ]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False
    )
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
