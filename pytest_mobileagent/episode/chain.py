"""The chain of a run: a digest of everything it records, written while the run goes on.

`chain.jsonl` has a line, a link, for each thing that was recorded, and each link's digest includes
that of the link before it. So whoever knows a later digest, which the run prints at its end, can
tell that nothing before it was changed or removed since:

    {"when":"…","plan":"…","digest":"…"}                 run.json, when it was begun or resumed
    {"when":"…","begun":"episodes/x.0","digest":"…"}      an attempt
    {"when":"…","note":"episodes/x.0","line":"…",…}       how the attempt goes on or has ended
    {"when":"…","verdict":"episodes/x.0","line":"…",…}    a verdict on it
    {"when":"…","attempt":"episodes/x.0","files":{"episode.jsonl":["…",…]},"index":"…",…}
                                                          its records, line by line
    {"when":"…","packed":"9b6f….webp","sha256":"…",…}     a packed screenshot; others are named by
                                                          their content
    {"when":"…","report":"…","digest":"…"}                report.json

Digests are of the text without the paths of this machine (see `portable`), as in a bundle.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.fileio import is_below, parse_json, read_text, write_json, writing
from pytest_mobileagent.jsonable import expect, mapping, to_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHAIN = "chain.jsonl"
_PATHS = ".paths.json"  # the paths that `portable` replaces; not part of a bundle
FILES = (CHAIN, _PATHS)
_FIRST = "0" * 32  # stands for the digest before the first link
_END = re.compile(rb'"digest":"([0-9a-f]{32})"\}\n')
_LONGEST_END = 64  # bytes
_HOMES = re.compile(r"(?<![\w.~/-])/(?:home|Users)/[\w.-]+")
_ABSOLUTE = re.compile(r"(?<![\w.~-])/[^\s,:=]{1,200}")
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a chain: its number, from 1, its content, its digest, and whether it fits."""

    number: int
    content: Mapping[str, Any]
    digest: str
    fits: bool


def digest_of(text: str) -> str:
    """Return the digest of a text, as the links have it."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def begin(run: Path) -> None:
    """Begin the chain of a run whose run.json is written, or go on with it.

    Raises:
        HostError: if it cannot be written.
    """
    home, here = Path.home(), Path.cwd()
    given = {run: "RUN", run.parent: "RUNS", Path(sys.prefix): "PYTHON", here: ".", home: "~"}
    for path in map(Path, _ABSOLUTE.findall(" ".join(sys.argv))):
        known = len(path.parts) < 3 or any(map(path.is_relative_to, given))
        if not known and path.exists():  # such as of an agent elsewhere; not "/data"
            given[path] = path.name
    paths = {str(path): word for path, word in given.items() if path != Path(path.root)}
    with writing(run):
        if not (run / _PATHS).exists():
            write_json(run / _PATHS, paths, indent=None)
        (run / CHAIN).touch(0o644)
    add_file(run, "plan", "run.json")


def add(run: Path, content: Mapping[str, Any]) -> None:
    """Add a link, if the run has a chain; any of the run's processes may call this.

    Raises:
        HostError: if it cannot be written.
    """
    with (
        writing(run / CHAIN),
        suppress(FileNotFoundError),
        os.fdopen(os.open(run / CHAIN, _FLAGS), "r+b", 0) as file,
    ):
        with suppress(OSError):  # a file system without locks: links may then not fit
            fcntl.flock(file, fcntl.LOCK_EX)
        before, is_whole = _last(file.fileno())
        when = datetime.now(UTC).isoformat(timespec="milliseconds")
        body = to_line({"when": when, **content})
        line = f'{body[:-1]},"digest":"{digest_of(before + body)}"}}\n'
        file.write((line if is_whole else f"\n{line}").encode())


def _last(descriptor: int) -> tuple[str, bool]:
    """Return the digest of the last whole link, and whether nothing follows it."""
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, _LONGEST_END, max(0, size - _LONGEST_END))
    # A killed process may have left a part of a link.
    found = _END.findall(tail) or _END.findall(os.pread(descriptor, size, 0))
    return (found[-1].decode() if found else _FIRST), not tail or tail.endswith(b"\n")


def add_file(run: Path, name: str, file: str) -> None:
    """Add a link with the digest of a whole file of the run."""
    with suppress(OSError):
        add(run, {name: _digest_in(run, read_text(run / file, "replace"))})


def add_line(run: Path, kind: str, folder: Path, line: str) -> None:
    """Add a link with the digest of a line that was written to a file of an attempt."""
    if is_below(folder, run) and (run / CHAIN).is_file():
        add(run, {kind: folder.relative_to(run).as_posix(), "line": _digest_in(run, line)})


def seal(run: Path, folder: Path, index: str | None = None) -> None:
    """Add a link with the digests of an attempt's records and index line, but no verdict."""
    if not (run / CHAIN).is_file() or not is_below(folder, run):
        return
    files = {
        path.relative_to(folder).as_posix(): [_digest_in(run, line) for line in lines_of(path)]
        for path in sealed_files(folder)
    }
    link = {"attempt": folder.relative_to(run).as_posix(), "files": files}
    add(run, link if index is None else {**link, "index": _digest_in(run, index)})


def sealed_files(folder: Path) -> list[Path]:
    """Return the files of an attempt that are sealed."""
    found = (path for path in folder.rglob("*.jsonl") if path.name != "verdicts.jsonl")
    return sorted(path for path in found if path.is_file() and is_below(path, folder))


def close(run: Path) -> None:
    """Seal the attempts whose process died or was on another machine, and add report.json."""
    if not (run / CHAIN).is_file():
        return
    known = [link.content for link in links(run)]
    sealed = {content.get("attempt") for content in known}
    lines = {content.get("line") for content in known}
    index = {_folder_in(line): line for line in lines_of(run / "index.jsonl")}
    for folder in sorted((run / "episodes").glob("*")):
        name = folder.relative_to(run).as_posix()
        if name in sealed or not folder.is_dir():
            continue
        for line in lines_of(folder / "verdicts.jsonl"):
            if _digest_in(run, line) not in lines:
                add_line(run, "verdict", folder, line)
        seal(run, folder, index.get(name))
    add_file(run, "report", "report.json")


def _folder_in(line: str) -> Any:
    try:
        return mapping(parse_json(line)).get("folder")
    except ValueError:
        return None


def lines_of(path: Path) -> list[str]:
    """Return the whole lines of a file; none if it cannot be read."""
    try:
        return read_text(path, "replace").split("\n")[:-1]
    except OSError:
        return []


def links(run: Path) -> Iterator[Link]:
    """Yield the links of a run's chain; a line that is no link fits nowhere.

    Raises:
        OSError: if there is no chain.
    """
    before = _FIRST
    for number, line in enumerate(read_text(run / CHAIN, "replace").split("\n")[:-1], 1):
        try:
            content = expect(parse_json(line), dict, "a link")
            digest = expect(content.pop("digest"), str, "digest")
        except (ValueError, LookupError, TypeError):
            yield Link(number, {}, "", fits=False)
            continue
        body = line.removesuffix(f',"digest":"{digest}"}}') + "}"
        yield Link(number, content, digest, fits=digest == digest_of(before + body))
        before = digest


def last_digest(run: Path) -> str:
    """Return the last digest of a run's chain; "" without a chain."""
    try:
        return next((link.digest for link in reversed(list(links(run))) if link.digest), "")
    except OSError:
        return ""


def portable(text: str, run: Path) -> str:
    """Return a text without paths of the machine: of the run, the project, Python and homes."""
    for path, word in _paths(run):
        if path in text:  # much faster than the pattern
            pattern = rf"(?<![\w.~/-]){re.escape(path)}(?![\w.-])"
            text = re.sub(pattern, word.replace("\\", ""), text)
    return _HOMES.sub("~", text) if "/home/" in text or "/Users/" in text else text


def _digest_in(run: Path, text: str) -> str:
    return digest_of(portable(text, run))


@lru_cache(8)
def _paths(run: Path) -> list[tuple[str, str]]:
    """Return the paths that are replaced in the files of a run, with their replacements."""
    try:
        given = dict(expect(parse_json(read_text(run / _PATHS)), dict, _PATHS))
    except (OSError, ValueError, TypeError):  # a run of an older version
        given = {str(run): "RUN", str(run.parent): "RUNS", str(Path.home()): "~"}
    longest_first = sorted(map(str, given), key=len, reverse=True)
    return [(path, str(given[path])) for path in longest_first]
