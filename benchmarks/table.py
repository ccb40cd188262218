"""Writes the table in README.md: `make benchmarks`, or `python benchmarks/table.py`.

A row is a `Figure`; a part is a function in `PARTS` that yields rows. A part that cannot be
measured on this machine gets a row with the reason.

Each figure is listed with its limit: a requirement, or a lower bound for this machine. Times are
processor time (user and system), the best of several measurements, so that other programs have
little effect; rows in which they do are marked "elapsed time".
"""

from __future__ import annotations

import gzip
import io
import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import appium_calls
import checks
import device
import fleet
import plugin
import results
import start
import workers
from PIL import Image, ImageDraw
from processes import run_pytest

from pytest_mobileagent.episode.packing import pack_run
from pytest_mobileagent.report.recorded_run import find_run
from pytest_mobileagent.screen.picture import as_png, as_webp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

README = Path(__file__).parent / "README.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
TURNS = 5
SUITE = ("tasks/calculator", "tasks/coursera", "-n2", "-q", "--agent=oracle")


class Figure(NamedTuple):
    """A line of the table."""

    what: str
    measured: str
    asked: str
    limit: str


def seconds(work: Callable[[], object], turns: int = TURNS) -> float:
    """Return the minimum processor time of some work."""
    taken = []
    for _ in range(turns):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def forked() -> None:
    """Fork a process that ends at once, and wait for it."""
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)


def drawn() -> bytes:
    """Return a screenshot of text and colours, 1080x2400 pixels, encoded like on a phone."""
    image = Image.new("RGB", (1080, 2400), "#f7f2fa")
    pen = ImageDraw.Draw(image)
    for row in range(60):
        pen.rectangle((20, row * 40, 1060, row * 40 + 36), fill=(232, 222, 248 - row))
        pen.text(
            (40, row * 40 + 10), f"Row {row} of a list that has {row * row} rows", fill="black"
        )
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


def of_checks() -> Iterator[Figure]:
    """Recorded episodes, checked with all their prefixes."""
    with tempfile.TemporaryDirectory() as temporary:
        folders = checks.record(Path(temporary))
        checks.measure(checks.answered, folders)
        best = [min(sum(checks.measure(body, folders)) for _ in range(3)) for body in checks.BODIES]
    source = checks.made(0)
    from xml.etree import ElementTree as ET

    parsing = seconds(lambda: [ET.fromstring(source) for _ in range(20)]) / 20
    rate = len(best) / sum(best)
    yield Figure(
        "episodes checked per second and core, 10 steps with screens of 194 nodes",
        f"{rate:.0f}",
        "100",
        f"{1 / (11 * parsing):.0f} if all 11 screens were parsed",
    )


def of_pictures() -> Iterator[Figure]:
    """How long packing a screenshot takes, and how much space it saves."""
    png = drawn()
    webp = as_webp(png)
    assert webp is not None
    image = Image.open(io.BytesIO(png))
    image.load()
    plain = seconds(lambda: image.save(io.BytesIO(), "PNG"), 3)
    yield Figure(
        "packing a screenshot, outside of steps",
        f"{1000 * seconds(lambda: as_webp(png), 3):.0f} ms, {len(webp) / len(png):.0%} of the PNG",
        "31 % of the PNG",
        f"{1000 * plain:.0f} ms to encode it as PNG",
    )
    yield Figure(
        "converting a packed screenshot to PNG",
        f"{1000 * seconds(lambda: as_png(webp), 3):.0f} ms",
        "",
        f"{1000 * plain:.0f} ms to encode it as PNG",
    )
    xml = checks.made(0).encode()
    packed = gzip.compress(xml, 9)
    yield Figure(
        "packing a hierarchy of 194 nodes",
        f"{1000 * seconds(lambda: gzip.compress(xml, 9)):.1f} ms, {len(packed) / len(xml):.0%}",
        "",
        f"{1000 * seconds(lambda: gzip.decompress(packed)):.1f} ms to unpack it",
    )


def of_pytest() -> Iterator[Figure]:
    """The overhead of the plugin in pytest."""
    with tempfile.TemporaryDirectory() as folder:
        plugin.write_project(folder)
        helps = plugin.in_turns(["--help"], ["--help"], folder, 2 * TURNS)
        ours, plain = (min(each) for each in zip(*helps, strict=True))
        empty = min(run_pytest(["--version", "-p", "no:mobileagent"], folder)[1] for _ in range(3))
        yield Figure(
            "`pytest --help`, additional time with the plugin",
            f"{1000 * (ours - plain):+.0f} ms",
            "20 ms",
            f"{1000 * empty:.0f} ms for `pytest --version`; a fork {1000 * fork():.1f} ms",
        )
        quiet = ["--collect-only", "-qq"]
        taken = plugin.in_turns([*quiet, "test_tasks.py"], [*quiet, "test_plain.py"], folder, 3)
        ours, plain = (min(each) for each in zip(*taken, strict=True))
        yield Figure(
            f"{plugin.ROWS:,} rows collected, relative to plain pytest",
            f"{ours / plain:.2f}",
            "1.2",
            f"{plain:.2f} s for plain pytest",
        )


def fork() -> float:
    """Return the processor time of a fork, of the parent alone."""

    def many() -> None:
        for _ in range(20):
            forked()

    return seconds(many) / 20


NAMES = {"page": "writing the page", "opened": "opening the page in Chromium: elapsed time, heap"}


def of_results() -> Iterator[Figure]:
    """Commands for 10,000 results, whose episodes are elsewhere."""
    taken = results.all_of()
    read = taken.pop("read")
    for name, each in taken.items():
        yield Figure(
            f"{NAMES.get(name, f'`{name}`')}, {results.RESULTS:,} results",
            f"{each.seconds:.1f} s, {each.megabytes:.0f} MB",
            "3 s, 300 MB",
            f"{read.seconds:.2f} s, {read.megabytes:.0f} MB to read the JSON",
        )


def of_fleet() -> Iterator[Figure]:
    """The scheduler with many phones."""
    simulated = fleet.Fleet(fleet.TASKS, fleet.PHONES, 0)
    taken = simulated.run()
    limit = max(simulated.longest, simulated.work / fleet.PHONES)
    yield Figure(
        f"{fleet.TASKS:,} tasks on {fleet.PHONES} phones, simulated, stragglers {fleet.SLOWER:g} "
        "times as slow: makespan",
        f"{taken:,.0f} s",
        f"{1.05 * limit:,.0f} s",
        f"{limit:,.0f} s: work by phones, or the longest episode",
    )
    yield Figure(
        "scheduling of one of them",
        f"{1000 * simulated.scheduling / fleet.TASKS:.2f} ms",
        "1 ms",
        f"{1000 * fork():.1f} ms for a fork",
    )


def of_disk() -> Iterator[Figure]:
    """An episode of the suite on the disk, after its run has been packed."""
    with tempfile.TemporaryDirectory() as folder:
        run_pytest([*SUITE, f"--mobile-runs={folder}"])
        run = find_run(Path(folder))
        count = sum(1 for _ in (run / "episodes").iterdir())
        before = size_of(run) / count
        pack_run(run, 600.0)
        yield Figure(
            "disk space of an episode of the suite",
            f"{size_of(run) / count / 1e6:.2f} MB",
            "0.25 MB",
            f"{before / 1e6:.2f} MB before packing",
        )


def size_of(folder: Path) -> int:
    """Return the total size in bytes of all files below a folder, without links."""
    files = (path for path in folder.rglob("*") if not path.is_symlink() and path.is_file())
    return sum(path.stat().st_size for path in files)


def of_start() -> Iterator[Figure]:
    """The first task of a run, in elapsed time."""
    run = start.measure()
    begins = run.first("task began")
    yield Figure(
        f"first task of `-n 8` begins, {len(run.tasks)} tasks: elapsed time after the command",
        f"{begins:.1f} s; it ends after {run.first('task ended'):.1f} s",
        "4 s",
        f"{run.first('started'):.1f} s until a worker has started, and "
        f"{run.first('collected'):.1f} s until it has collected",
    )


def of_workers() -> Iterator[Figure]:
    """8 workers compared with one, with an agent that thinks, in elapsed time."""
    few, all_of_them = workers.measure(1, workers.FEW), workers.measure(8)
    one = few.start + few.end + few.working * all_of_them.thinking
    yield Figure(
        f"8 workers, {all_of_them.tasks} tasks, {all_of_them.thinking:.0f} s of thinking: elapsed "
        "time",
        f"{all_of_them.wall:.0f} s, {all_of_them.start:.1f} s before the first task, "
        f"{all_of_them.end:.1f} s after the last",
        f"{all_of_them.thinking / 947 * 132:.0f} s",
        f"{all_of_them.least:.0f} s: thinking by 8, or {all_of_them.processor:.0f} s computed by "
        f"{os.cpu_count()}",
    )
    yield Figure(
        f"the same, speed-up over one worker, estimated from {few.tasks} tasks",
        f"{one / all_of_them.wall:.1f}",
        "7.2",
        f"{one / all_of_them.least:.1f} without other work",
    )


def of_steps() -> Iterator[Figure]:
    """Steps on a virtual phone, in elapsed time."""
    of = device.steps()
    yield Figure(
        "a step through adb, from action to observation: elapsed time",
        f"{of.step:.0f} ms, {of.trips:.0f} round trips, {of.step / of.five:.2f} of AppAgent's "
        "five calls",
        "0.50 of them",
        f"{of.trip:.1f} ms for a round trip through adb",
    )
    yield Figure(
        "the same without screenshots",
        f"{of.unseen:.0f} ms, {of.unseen / of.five:.2f} of AppAgent's five calls",
        "",
        f"{of.trip:.1f} ms for a round trip through adb",
    )
    if appium_calls.HOME.is_dir():
        calls = appium_calls.measure()
        yield Figure(
            "a step through Appium: calls to the server",
            f"{calls.local:.1f}, {calls.local / calls.plain:.2f} of a plain client's; "
            f"{calls.hub:.1f} without adb",
            "1.1 of them",
            f"{calls.plain:.1f} of a plain client: the action, a screenshot, the page source",
        )


def of_driver() -> Iterator[Figure]:
    """The driver of a cluster, with actors that do nothing."""
    program = Path(__file__).with_name("driver_memory.py")
    alone = results.measure(["-c", "import ray"])
    ran = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=False, timeout=600
    )
    driver, actor = (re.search(f"{who}: ([0-9]+) MB", ran.stdout) for who in ("driver", "an actor"))
    if driver is None or actor is None:
        msg = f"{program.name} failed: {ran.stderr.strip().rpartition(chr(10))[2]}"
        raise RuntimeError(msg)
    yield Figure(
        "memory of a Ray driver with 64 idle actors",
        f"{driver[1]} MB, and {actor[1]} MB for each actor",
        "1,500 MB",
        f"{alone.megabytes:.0f} MB to import Ray",
    )


PARTS = (
    of_checks, of_pictures, of_disk, of_steps, of_pytest, of_start, of_workers, of_results,
    of_fleet, of_driver,
)  # fmt: skip


def measured(part: Callable[[], Iterator[Figure]]) -> Iterator[Figure]:
    """Yield the rows of a part; the last says what went wrong, if anything did."""
    try:
        yield from part()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever this machine lacks
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200].replace("|", "/")
        yield Figure(f"{part.__name__.removeprefix('of_')}, in part", "not measured", "", why)


def written(figures: list[Figure]) -> str:
    """Return the table in Markdown, with the machine and the day."""
    today = date.today().isoformat()  # noqa: DTZ011 - the day here
    version = ".".join(map(str, sys.version_info[:3]))
    machine = f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}"
    lines = [
        f"Measured on {today} with Python {version}: {machine}.",
        "",
        "| benchmark | measured | target | for comparison |",
        "| --- | --- | --- | --- |",
        *(f"| {' | '.join(each)} |" for each in figures),
    ]
    return "\n".join(lines)


def main(names: list[str]) -> None:
    """Measure all, or the parts that are named, and write the table into README.md."""
    figures: list[Figure] = []
    for part in PARTS:
        if not names or part.__name__.removeprefix("of_") in names:
            begun = time.perf_counter()
            for figure in measured(part):
                sys.stdout.write(f"{figure.what}: {figure.measured} ({figure.limit})\n")
                figures.append(figure)
            sys.stdout.write(f"    {time.perf_counter() - begun:.0f} s\n")
            sys.stdout.flush()
    if names:
        return
    text = README.read_text("utf-8")
    table = f"{BEGIN}\n\n{written(figures)}\n\n{END}"
    README.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: table, text, flags=re.DOTALL), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
