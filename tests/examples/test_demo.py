"""`make demo` ends with the table shown in the README, on any day."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.suite.test_tasks_are_sound import drawn

ROOT = Path(__file__).parents[2]
# Python reads this when it starts, so pytest, its workers and their phones see another day.
OTHER_DAY = """
import os, time
own, shift = time.time, float(os.environ["DEMO_SHIFT"])
time.time = lambda: own() + shift
time.time_ns = lambda: int(time.time() * 1e9)
"""
# The tasks whose goals name a day, run in one process.
ALONE = ("-k", "on_this_weekday or tomorrow_evening", "-n", "0")
NUMBERS = re.compile(r"suite .*|(\w+ +\d+ +[\d.]+% \(\d+/\d+\)).*")


def table(text: str) -> list[str]:
    """Return the lines from the numbers to the failures, without what depends on speed.

    That is the time per step, and the column for it, which is not always shown.
    """
    lines = [line.strip() for line in text.splitlines()]
    start = next(at for at, line in enumerate(lines) if line.startswith("suite  "))
    end = next(at for at, line in enumerate(lines) if line.startswith("Virtual phones"))
    return [" ".join(NUMBERS.sub(r"\1", line).split()) for line in lines[start:end]]


def demo() -> list[str]:
    """Return the arguments of the pytest command that `make demo` runs."""
    told = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "--assume-old=.venv/ready", "demo"],
        cwd=ROOT,
        env={name: each for name, each in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=True,
    )
    program, *words = shlex.split(told.stdout.replace("\\\n", " "))
    assert program.endswith("/pytest"), told.stdout
    return words


def run(words: list[str], days: int, folder: Path) -> list[str]:
    """Run pytest as if it were `days` days later, and return its table."""
    (folder / "sitecustomize.py").write_text(OTHER_DAY)
    shift = {"PYTHONPATH": str(folder), "DEMO_SHIFT": str(days * 86_400)}
    own = [f"--mobile-runs={folder}", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, *own],
        cwd=ROOT,
        env={**os.environ, **shift},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return table(done.stdout)


@pytest.mark.slow
def test_the_demo_is_the_same_on_any_day(tmp_path: Path) -> None:
    shown = table((ROOT / "README.md").read_text("utf-8"))
    told = run(demo(), 400, tmp_path)  # later than the day on which this test runs
    left_out = shown.index("…")
    assert told[:left_out] == shown[:left_out]
    assert told[-4:] == shown[-4:]


@pytest.fixture(scope="module")
def of_a_day(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The table of the tasks that name a day, as of today: both succeed."""
    told = run([*demo(), *ALONE], 0, tmp_path_factory.mktemp("today"))
    assert "(2/2)" in "".join(told), told
    return told


@pytest.mark.slow
@pytest.mark.parametrize("days", drawn([1, 2, 3, 4, 5, 6], 3))  # by the commit
def test_tasks_that_name_a_day_end_the_same_on_any_weekday(
    days: int, tmp_path: Path, of_a_day: list[str]
) -> None:
    assert run([*demo(), *ALONE], days, tmp_path) == of_a_day


@pytest.mark.slow
def test_without_a_fixed_day_tasks_that_name_the_weekday_differ(tmp_path: Path) -> None:
    words = [word for word in demo() if not word.startswith("--mobile-device-time")]
    to_wednesday = (2 - datetime.now(UTC).weekday()) % 7
    told = run([*words, "-k", "on_this_weekday", "-n", "0"], to_wednesday, tmp_path)
    assert any(line.startswith("failed (1):") for line in told)
