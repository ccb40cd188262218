"""Writing report.html, the page of a run, with its pictures beside it or packed into it.

Also writes the page of two runs, which shows the episodes of each task side by side. A page is
written completely or not at all. Blocks of unchanged episodes are copied from the existing page.
"""

from __future__ import annotations

import io
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.runs import INDEX
from pytest_mobileagent.errors import HostError
from pytest_mobileagent.fileio import opened
from pytest_mobileagent.report.comparison.compare import compare
from pytest_mobileagent.report.comparison.episode_pairs import BASE, episode_differences
from pytest_mobileagent.report.comparison.pairing import case_of
from pytest_mobileagent.report.html.all_runs_page import add_history
from pytest_mobileagent.report.html.episode import episode_data, words_of
from pytest_mobileagent.report.html.index import VERSION, attempts, index_data, signature
from pytest_mobileagent.report.html.page import ExistingPage, pack, unpack, write
from pytest_mobileagent.report.html.trajectory import pictures_of
from pytest_mobileagent.report.names import names_of
from pytest_mobileagent.report.recorded_run import REPORT, recorded_run, report_of
from pytest_mobileagent.report.text.narration import PAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_mobileagent.report.entry import Entry, Report

    Entries = Iterable[Entry]
    Pair = tuple[Path, Path]  # the folders of two episodes: of the baseline, and of the run
    Block = tuple[str, bytes]  # its name, and its bytes
    Blocks = Iterator[Block]
    Reports = tuple[Report, Report]  # of the baseline, and of the run
    Indexes = tuple[dict[str, Any], dict[str, Any]]  # of the run, and of the baseline


def write_page(run: Path, whole: Report, path: Path | None = None) -> None:
    """Write the page of a run, whose report.json is `whole`, into its folder without a `path`.

    Raises:
        OSError: if the page cannot be written; an existing page is left unchanged.
    """
    page = path or run / PAGE
    index = index_data(run, whole)
    add_history(index, run, page.parent)
    written = episodes(run, whole, page.parent, ExistingPage.of(page))
    write(page, run.name, chain([("index", pack(index))], written))


def episodes(run: Path, whole: Report, page: Path, written: ExistingPage, mark: str = "") -> Blocks:
    """Yield the name and the block of each episode of a run, and those of its words.

    Paths in blocks are relative to the folder `page`. Blocks that are still valid are copied from
    the page `written`. All names get the prefix `mark` (see `index_data`).
    """
    for task in whole["tasks"]:
        folders = attempts(run, task)
        broke = task.infrastructure or ()
        for folder in folders:
            others = [_other(each, broke, mark) for each in folders if each != folder]
            name = f"e:{mark}{folder.name}"
            of = signature(folder, VERSION, name, others)
            block = written.get(name, of)
            block = block or pack(_episode_or_damage(folder, page, name[2:], others), of)
            yield name, block
            words = f"w:{name[2:]}"
            yield words, written.get(words, of) or pack(words_of(unpack(block)), of)


def _other(folder: Path, broke: Sequence[Any], mark: str) -> dict[str, Any]:
    number = folder.name.rpartition(".")[2]
    place = int(number) if number.isdecimal() and len(number) < 9 else len(broke)
    return {"e": mark + folder.name, "reason": str(broke[place]) if place < len(broke) else ""}


def _episode_or_damage(
    folder: Path, page: Path, name: str, others: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    about = {"e": name, "attempts": list(others)}
    try:
        return episode_data(folder, page) | about
    except Exception as error:  # noqa: BLE001 - one episode must not prevent the page of all others
        return {**about, "damaged": f"it cannot be shown: {type(error).__name__}: {error}"}


def page_of(run: Path) -> Path:
    """Return the path of a run's page, writing it first if it is missing or outdated.

    If the run's folder is not writable, the page is written into a new temporary folder.

    Raises:
        OSError: if the page cannot be written anywhere, or the report cannot be read.
        RecordError: if the run's report or its run.json is damaged, or of a newer version.
    """
    page = run / PAGE
    if _is_new(run, page):
        return page
    whole = report_of(run)
    return written_somewhere(page, lambda path: write_page(run, whole, path))


def written_somewhere(page: Path, write: Callable[[Path], object]) -> Path:
    """Write a page, into a new temporary folder if its own is not writable; return its path."""
    try:
        write(page)
    except PermissionError:
        page = Path(tempfile.mkdtemp(prefix="mobileagent-report-"), page.name)
        write(page)
    return page


def _is_new(run: Path, page: Path) -> bool:
    """Return whether a run has ended and its page was written after its last change."""
    try:
        written = page.stat().st_mtime_ns
        return max((run / name).stat().st_mtime_ns for name in (REPORT, INDEX)) <= written
    except OSError:
        return False


WIDTH = 360  # pixels of a packed picture
_QUALITY = 70
_LARGE, _TOO_LARGE = 50_000_000, 100_000_000  # bytes of a page
_BASE64 = 4 / 3


class TooLargeError(HostError):
    """A page would be larger than browsers and servers accept."""


def write_packed(run: Path, whole: Report, path: Path) -> str:
    """Write the page of a run with all its pictures to a file; return a warning if it is large.

    Raises:
        TooLargeError: if the page would be larger than 100 MB; the message says what to do instead.
        OSError: if the page cannot be written; an existing file is left unchanged.
    """
    parts = [(run, episodes(run, whole, run, ExistingPage.of(run / PAGE)))]
    return packed(path, run.name, [("index", pack(index_data(run, whole)))], parts)


def packed(
    path: Path, title: str, before: Sequence[Block], parts: Iterable[tuple[Path, Iterable[Block]]]
) -> str:
    """Write a page with all the pictures that its blocks name; return a warning if it is large.

    The page consists of the blocks `before` and those of all `parts`. A part is the folder of a run
    with blocks, whose paths of pictures are relative to that folder.

    Raises:
        TooLargeError, OSError: see `write_packed`.
    """
    names: dict[str, Path] = {}
    blocks = [block for run, given in parts for block in _collect_pictures(given, run, names)]
    size = sum(len(content) for _, content in blocks) * _BASE64
    write(path, title, chain(before, blocks, _within_limit(_pictures(names), size, len(names))))
    size = path.stat().st_size
    if size < _LARGE:
        return ""
    return f"{path} is large ({size / 1e6:.0f} MB): browsers take a while to open it"


def _collect_pictures(blocks: Iterable[Block], run: Path, names: dict[str, Path]) -> Blocks:
    """Yield the blocks unchanged, adding the pictures that they name to `names`."""
    whole = run.resolve()
    for name, packed in blocks:
        for relative in _picture_paths(unpack(packed)) if name.startswith("e:") else ():
            picture = (run / relative).resolve()
            if picture.is_relative_to(whole):  # the run may come from an untrusted source
                names.setdefault(PurePosixPath(relative).stem, picture)
        yield name, packed


def _picture_paths(episode: Mapping[str, Any]) -> Iterator[str]:
    calls = list(episode.get("judging") or ())
    for frame in episode.get("frames") or ():
        yield from (frame[name] for name in ("png", "after") if frame.get(name))
        calls += frame["calls"]
    yield from pictures_of(calls)


def _pictures(names: Mapping[str, Path]) -> Blocks:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, packed in zip(names, pool.map(_thumbnail, names.values()), strict=True):
            if packed is not None:
                yield f"p:{name}", packed


def _thumbnail(path: Path) -> bytes | None:
    """Return a picture as WebP, no wider than `WIDTH`; None if it cannot be read."""
    from PIL import Image  # a heavy library, loaded only when needed

    packed = path.with_suffix(".webp")  # it may have been packed after the data were created
    try:
        with opened(path if path.exists() else packed) as file, Image.open(file) as image:
            small = image.convert("RGB")
            small.thumbnail((WIDTH, image.height), reducing_gap=2.0)
        encoded = io.BytesIO()
        small.save(encoded, "WEBP", quality=_QUALITY, method=2)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return encoded.getvalue()


def _within_limit(blocks: Iterable[Block], size: float, count: int) -> Blocks:
    """Yield the blocks of `count` pictures while a page that already has `size` bytes has room.

    Raises:
        TooLargeError: if the page would become too large.
    """
    for number, (name, packed) in enumerate(blocks):
        size += len(packed) * _BASE64
        if size > _TOO_LARGE:
            msg = (
                f"the page would be larger than {_TOO_LARGE / 1e6:.0f} MB with {number} of "
                f"{count} pictures: leave out --pack, and put {PAGE} and the folder screens "
                "beside it into a zip file"
            )
            raise TooLargeError(msg)
        yield name, packed


# What names paths of a machine, in a page that is often published.
_OF_A_MACHINE = {"command", "options", "resumed", "merged_from", "rescored_from", "price_table"}


def page_of_two(base: Path, run: Path) -> Path:
    """Write the page of a run and its baseline into the run's folder, and return its path.

    If that folder is not writable, the page is written into a new temporary folder.

    Raises:
        OSError: if the page cannot be written anywhere, or a report cannot be read.
        RecordError: if the report or the run.json of a run is damaged, or of a newer version.
    """
    before, after = recorded_run(base), recorded_run(run)
    wholes = before.current_report(), after.current_report()
    try:
        comparison = compare(before, after)
    except ValueError:  # no task is in both
        comparison = None
    indexes = _indexes(base, run, wholes, comparison)
    page = run / f"beside-{base.name}.html"
    return written_somewhere(page, lambda path: _write(path, base, run, wholes, indexes))


def _indexes(
    base: Path, run: Path, wholes: Reports, comparison: Mapping[str, Any] | None
) -> Indexes:
    """Return the indexes of a run and of its baseline, as `index` and `index2` of their page."""
    before, after = index_data(base, wholes[0], BASE), index_data(run, wholes[1])
    names = names_of([whole["run"] for whole in wholes])
    for index, name in zip((before, after), names, strict=True):
        about = {key: each for key, each in index["run"].items() if key not in _OF_A_MACHINE}
        index["run"] = {**about, "name": name}
    tested = (after["comparison"] or {}).get("baseline", {}).get("id")
    if tested != before["run"].get("id"):
        after["gate"] = None  # it is about another baseline
    after["comparison"] = comparison
    return after, before


def _write(path: Path, base: Path, run: Path, wholes: Reports, indexes: Indexes) -> None:
    before, after = wholes
    written = ExistingPage.of(path)
    pairs = (pair for pair, _ in pairs_of(base, run, before["tasks"], after["tasks"]))
    blocks = (
        episodes(run, after, path.parent, written),
        episodes(base, before, path.parent, written, BASE),
        _divergences(pairs, written),
    )
    write(path, f"{run.name} · {base.name}", chain(_packed(indexes), *blocks))


def _packed(indexes: Indexes) -> list[Block]:
    return [(name, pack(index)) for name, index in zip(("index", "index2"), indexes, strict=True)]


def write_packed_pair(base: Path, run: Path, comparison: Mapping[str, Any], path: Path) -> str:
    """Write a page with the episodes that a comparison names, packed; return a warning if large.

    The page lists all tasks of both runs, but contains episodes only of lost and gained tasks.

    Raises:
        TooLargeError: if the page would be larger than 100 MB; the message says what to do instead.
        OSError, RecordError: see `page_of_two`.
    """
    entries = [each for kind in ("lost", "gained") for each in comparison[kind]]
    named = [each["episodes"] for each in entries if "episodes" in each]
    wholes = report_of(base), report_of(run)
    indexes = _indexes(base, run, wholes, comparison)
    parts = []
    for index, whose, folder, whole, mark in (
        (indexes[0], "run", run, wholes[1], ""),
        (indexes[1], "baseline", base, wholes[0], BASE),
    ):
        chosen = {each[whose] for each in named}
        tasks = [task for task in whole["tasks"] if Path(task.episode or "").name in chosen]
        for row in index["tasks"]:
            if row["e"] is not None and row["e"].removeprefix(mark) not in chosen:
                row["e"] = None
        written = ExistingPage(path, {})
        parts.append((folder, episodes(folder, {**whole, "tasks": tasks}, folder, written, mark)))
    before, after = base / "episodes", run / "episodes"
    pairs = [(before / each["baseline"], after / each["run"]) for each in named]
    parts.append((run, _divergences(pairs, ExistingPage(path, {}))))
    return packed(path, f"{run.name} · {base.name}", _packed(indexes), parts)


def pairs_of(base: Path, run: Path, before: Entries, after: Entries) -> Iterator[tuple[Pair, bool]]:
    """Yield the last episodes of each case in both runs, and whether both have the same success."""
    known = {case_of(task): task for task in before}
    for task in after:
        if (other := known.get(case_of(task))) is not None:
            folders, others = attempts(run, task), attempts(base, other)
            if folders and others:
                yield (others[-1], folders[-1]), task.success == other.success


def _divergences(pairs: Iterable[Pair], written: ExistingPage) -> Blocks:
    """Yield a block for each pair of episodes: where they diverge, and their other differences."""
    for before, after in pairs:
        name = f"d:{after.name}{BASE}{before.name}"
        of = signature(after, VERSION, name, signature(before))
        yield name, written.get(name, of) or pack(episode_differences(before, after), of)
