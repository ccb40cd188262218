"""Whether the records of a run are those that it wrote: by its chain of digests, and by names."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.chain import CHAIN, Link, digest_of, links, sealed_files
from pytest_mobileagent.episode.reader import records_of
from pytest_mobileagent.episode.runs import INDEX, NOTE, RUN, inside
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_bytes, read_text
from pytest_mobileagent.jsonable import expect, mapping, plural
from pytest_mobileagent.report.recorded_run import REPORT
from pytest_mobileagent.verdict import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

FAILED, OPEN, UNPROVEN, HOLDS = "failed", "not verified", "unproven", "holds"


@dataclass(frozen=True, slots=True)
class Finding:
    """What verification found.

    - `state`: `FAILED`, `OPEN` (it could not be verified), `UNPROVEN` (nobody can prove it from a
      bundle) or `HOLDS`.
    - `about`: integrity, completeness or truth.
    - `words`: what, and where.
    """

    state: str
    about: str
    words: str


def integrity(run: Path, known: Collection[str], *, screens: bool) -> Iterator[Finding]:
    """Yield what is wrong with the records of a run, or cannot be proved about them.

    `known` are digests that the run has printed; without one, the chain proves only that it fits.
    """
    for state, words in _integrity(run, known, screens=screens):
        yield Finding(state, "integrity", words)


def _integrity(run: Path, known: Collection[str], *, screens: bool) -> Iterator[tuple[str, str]]:
    try:
        chain = list(links(run))
    except OSError:
        chain = []
    if screens:
        yield from _screens(run, chain)
    else:
        yield OPEN, "the screens are left out, so nothing can be proved about them"
    if not chain:
        yield OPEN, f"there is no {CHAIN}: recorded by an older version, merged, or removed"
        return
    yield from _links(chain, known)
    yield from _whole_files(run, chain)
    yield from _attempts(run, chain)
    yield from _index(run, chain)


def _links(chain: Sequence[Link], known: Collection[str]) -> Iterator[tuple[str, str]]:
    for link in chain:
        if not link.fits and link.content:
            yield FAILED, f"{CHAIN}, link {link.number}: it does not follow from the one before it"
            return
    if damaged := sum(not link.content for link in chain):
        yield UNPROVEN, f"{CHAIN}: {plural(damaged, 'link')} written in part, as a kill leaves it"
    if not known:
        yield UNPROVEN, "the chain could have been computed again: give --digest, as printed"
        return
    places = [link.number for link in chain if link.digest in known]
    if not places:
        yield FAILED, f"{CHAIN}: the digest is not in it: it was computed again, or is another's"
        return
    later = Counter(_kind(link) for link in chain if link.number > places[-1] and link.content)
    packed = later.pop("packed", 0)
    if packed:
        yield (
            UNPROVEN,
            f"the pixels of {plural(packed, 'screen')} that were packed after the digest",
        )
    if later:
        what = ", ".join(f"{kind} ({many})" for kind, many in sorted(later.items()))
        yield OPEN, f"{CHAIN}: added after the digest was printed: {what}"


def _kind(link: Link) -> str:
    kinds = ("plan", "begun", "note", "verdict", "attempt", "packed", "report")
    return next((kind for kind in kinds if kind in link.content), "other")


def _whole_files(run: Path, chain: Sequence[Link]) -> Iterator[tuple[str, str]]:
    for kind, name in (("plan", RUN), ("report", REPORT)):
        digests = [link.content[kind] for link in chain if kind in link.content]
        try:
            own: str | None = digest_of(read_text(run / name, "replace"))
        except OSError:
            own = None
        if own is None and digests:
            yield FAILED, f"{name}: it was removed"
        elif own is not None and own not in digests[-1:]:
            yield FAILED, f"{name}: it was edited, or is that of another run"


def _attempts(run: Path, chain: Sequence[Link]) -> Iterator[tuple[str, str]]:
    kinds = ("begun", "attempt", "verdict", "note")
    begun, sealed, verdicts, notes = (_by_folder(chain, kind) for kind in kinds)
    there = {f"episodes/{path.name}" for path in (run / "episodes").glob("*") if path.is_dir()}
    for name in sorted({*begun, *sealed} - there):
        yield FAILED, f"{name}: this attempt was removed"
    for name in sorted(there):
        if name not in begun and name not in sealed:
            yield FAILED, f"{name}: this run has not recorded it: an attempt of another run?"
            continue
        yield from _records(run / name, name, sealed.get(name, []))
        if name not in begun:
            yield OPEN, f"{name}: taken over from another run, which may have chosen it"
            continue
        if name not in sealed:
            yield UNPROVEN, f"{name}: cut off before its records were sealed"
        yield from _lines(run / name / VERDICTS, name, verdicts.get(name, []))
        if name in notes:
            yield from _lines(run / name / NOTE, name, notes[name][-1:])


def _by_folder(chain: Sequence[Link], kind: str) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = defaultdict(list)
    for link in chain:
        if kind in link.content:
            found[str(link.content[kind])].append(link)
    return found


def _records(folder: Path, name: str, seals: Sequence[Link]) -> Iterator[tuple[str, str]]:
    """Compare the lines of an attempt's records with the digests in its seals."""
    digests: dict[str, list[Any]] = {}
    for link in seals:  # records only grow: a later seal begins with an earlier one
        for file, own in mapping(link.content.get("files")).items():
            before = digests.get(file, [])
            digests[file] = own if isinstance(own, list) else []
            if digests[file][: len(before)] != before:
                yield FAILED, f"{name}/{file}: its seals in {CHAIN}, link {link.number}, differ"
    written = {path.relative_to(folder).as_posix() for path in sealed_files(folder)}
    for file in sorted(written - set(digests)) if seals else ():
        yield UNPROVEN, f"{name}/{file}: written after the attempt was sealed"
    for file, known in digests.items():
        path = inside(folder, file)
        for state, words in _grown([] if path is None else _read_lines(path), known, file):
            yield state, f"{name}/{file}{words}"


def _grown(lines: Sequence[str], known: Sequence[Any], file: str) -> Iterator[tuple[str, str]]:
    """Compare lines with their digests; there may be more lines, but not in an episode."""
    pairs = enumerate(zip(lines, known, strict=False), 1)
    edited = [at for at, (line, digest) in pairs if digest_of(line) != digest]
    for at in edited[:3]:
        yield FAILED, f", line {at} ({_word(lines[at - 1])}): it was edited"
    more = len(lines) - len(known)
    if more < 0:
        yield FAILED, f": {plural(-more, 'line')} removed"
    elif more:
        state = FAILED if file == "episode.jsonl" else UNPROVEN
        yield state, f": {plural(more, 'line')} added after the attempt was sealed"


def _lines(path: Path, name: str, links: Sequence[Link]) -> Iterator[tuple[str, str]]:
    """Compare the lines of a file with digests that were added one by one."""
    known = [str(link.content.get("line")) for link in links]
    own = [digest_of(line) for line in _read_lines(path) if line]
    for number, digest in enumerate(own, 1):
        if digest not in known:
            yield FAILED, f"{name}/{path.name}, line {number}: it was changed or added"
    if lost := len({*known} - {*own}):
        yield FAILED, f"{name}/{path.name}: {plural(lost, 'line')} removed or changed"


def _index(run: Path, chain: Sequence[Link]) -> Iterator[tuple[str, str]]:
    known = [link.content["index"] for link in chain if "index" in link.content]
    own = [digest_of(line) for line in _read_lines(run / INDEX) if line]
    for number, digest in enumerate(own, 1):
        if digest not in known:
            yield FAILED, f"{INDEX}, line {number}: it was changed or added"
    if lost := len({*map(str, known)} - {*own}):
        yield FAILED, f"{INDEX}: {plural(lost, 'line')} removed or changed"


def _read_lines(path: Path) -> list[str]:
    try:
        return read_text(path, "replace").split("\n")[:-1]
    except OSError:
        return []


def _word(line: str) -> str:
    try:
        record = expect(parse_json(line), dict, "a record")
    except (ValueError, TypeError):
        return "no record"
    return str(record.get("record") or "call")


def _screens(run: Path, chain: Sequence[Link]) -> Iterator[tuple[str, str]]:
    """Compare the screens with their names, which are digests of their contents."""
    kept = (link.content for link in chain if "packed" in link.content)
    packed = {str(each["packed"]): each.get("sha256") for each in kept}
    unknown, store = 0, ScreenStore(run / FOLDER)
    for path in sorted((run / FOLDER).glob("*")):
        stem = path.name.partition(".")[0]
        known = packed.get(path.name) if path.suffix == ".webp" else stem
        unknown += known is None
        try:
            content = store.read(stem, ".xml") if path.suffix == ".gz" else read_bytes(path)
        except (OSError, ValueError) as error:
            yield FAILED, f"{FOLDER}/{path.name}: unreadable: {error}"
            continue
        digest = hashlib.sha256(content).hexdigest()
        if known is not None and known not in {digest, digest[:32]}:
            yield FAILED, f"{FOLDER}/{path.name}: another screen than the one recorded"
    if unknown:
        yield UNPROVEN, f"the pixels of {plural(unknown, 'screen')} that no link of the chain names"
    for folder in sorted((run / "episodes").glob("*")):
        for name, suffix in _shown(folder):
            try:
                store.found(name, suffix)
            except (OSError, ValueError):
                yield OPEN, f"episodes/{folder.name}: its screen {name}{suffix} is missing"


def _shown(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the names and kinds of the screens in the records of an attempt."""
    try:
        records = records_of(folder)
    except RecordError:
        return
    for record in records:
        if record["record"] == "observation":
            for each in (record, mapping(record.get("beneath"))):
                yield from ((str(each[k]), f".{k}") for k in ("png", "xml") if each.get(k))
