"""Whether the records of a run are those that it wrote: by its chain of digests, and by names."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.chain import CHAIN, Link, digest_of, lines_of, links, sealed_files
from pytest_mobileagent.episode.reader import records_of
from pytest_mobileagent.episode.runs import INDEX, NOTE, RUN, inside
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import parse_json, read_bytes, read_text
from pytest_mobileagent.jsonable import expect, mapping, plural
from pytest_mobileagent.report.recorded_run import REPORT
from pytest_mobileagent.verdict import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    Found = Iterator[tuple[str, str]]  # states, and what was found where

# What is found: it is wrong, it could not be verified, or nobody can prove it from a bundle.
FAILED, OPEN, UNPROVEN = "failed", "not verified", "unproven"
_MOST = 3  # lines of a file that are named


def integrity(run: Path, known: Collection[str], *, screens: bool) -> Found:
    """Yield what is wrong with the records of a run, or cannot be proved about them.

    `known` are digests that the run has printed; without one, the chain proves only that it fits.
    """
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


def _links(chain: Sequence[Link], known: Collection[str]) -> Found:
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
    if packed := later.pop("packed", 0):
        pixels = f"the pixels of {plural(packed, 'screen')}"
        yield UNPROVEN, f"{pixels} that were packed after the digest"
    if later:
        what = ", ".join(f"{kind} ({many})" for kind, many in sorted(later.items()))
        yield OPEN, f"{CHAIN}: added after the digest was printed: {what}"


def _kind(link: Link) -> str:
    return next((name for name in link.content if name != "when"), "other")


def _whole_files(run: Path, chain: Sequence[Link]) -> Found:
    for kind, name in (("plan", RUN), ("report", REPORT)):
        known = [link.content[kind] for link in chain if kind in link.content]
        try:
            own = [digest_of(read_text(run / name, "replace"))]
        except OSError:
            own = []
        if own != known[-1:]:
            what = "it was edited, or is that of another run" if own else "it was removed"
            yield FAILED, f"{name}: {what}"
    there = {path.name for path in run.iterdir() if path.is_file()}
    if pages := sorted(there - {CHAIN, RUN, REPORT, INDEX}):
        yield UNPROVEN, f"what {', '.join(pages)} show: write them again from {REPORT} (`report`)"


def _attempts(run: Path, chain: Sequence[Link]) -> Found:
    """Compare the attempts with those of the chain, and the lines in each with their digests."""
    begun, sealed, verdicts, notes = (
        _by_folder(chain, kind) for kind in ("begun", "attempt", "verdict", "note")
    )
    there = {f"episodes/{path.name}" for path in (run / "episodes").glob("*") if path.is_dir()}
    for name in sorted({*begun, *sealed} - there):
        yield FAILED, f"{name}: this attempt was removed"
    for name in sorted(there):
        if name not in begun and name not in sealed:
            yield FAILED, f"{name}: this run has not recorded it: an attempt of another run?"
            continue
        yield from _records(run / name, name, sealed[name])
        if name not in begun:
            yield OPEN, f"{name}: taken over from another run, which may have chosen it"
            continue
        if name not in sealed:
            yield UNPROVEN, f"{name}: cut off before its records were sealed"
        for file, each in ((VERDICTS, verdicts[name]), (NOTE, notes[name][-1:])):
            yield from _lines(run, f"{name}/{file}", [link.content.get("line") for link in each])
    index = [link.content["index"] for link in chain if "index" in link.content]
    yield from _lines(run, INDEX, index)


def _by_folder(chain: Sequence[Link], kind: str) -> dict[str, list[Link]]:
    found: dict[str, list[Link]] = defaultdict(list)
    for link in chain:
        if kind in link.content:
            found[str(link.content[kind])].append(link)
    return found


def _records(folder: Path, name: str, seals: Sequence[Link]) -> Found:
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
        # Judges may be asked later, but nothing happens in an episode any more.
        more = FAILED if file == STREAM else UNPROVEN
        yield from _lines(folder.parent.parent, f"{name}/{file}", known, more)


def _lines(run: Path, name: str, known: Sequence[Any], more: str = FAILED) -> Found:
    """Compare the lines of a file with their digests; `more` is the state of lines after them.

    The order counts if they were sealed together; processes write the index in any order.
    """
    path = inside(run, name)
    lines = [] if path is None else [line for line in lines_of(path) if line]
    own = [digest_of(line) for line in lines]
    left = Counter(map(str, known))
    left.subtract(own)
    strange = [number for number, digest in enumerate(own) if left[digest] < 0]
    lost = sum(many for many in left.values() if many > 0)
    for place, number in enumerate(strange[:_MOST]):
        state, what = (FAILED, "edited") if place < lost else (more, "added")
        yield state, f"{name}, line {number + 1} ({_word(lines[number])}): it was {what}"
    if lost > len(strange):
        yield FAILED, f"{name}: {plural(lost - len(strange), 'line')} removed"
    elif name != INDEX and not strange and own != list(known):
        yield FAILED, f"{name}: its lines are in another order"


def _word(line: str) -> str:
    """Return what kind of record a line is."""
    try:
        record = expect(parse_json(line), dict, "a record")
    except (ValueError, TypeError):
        return "no record"
    kinds = {"call": "call", "passed": "verdict", "place": "note", "folder": "result"}
    return str(record.get("record") or next((kinds[n] for n in kinds if n in record), "other"))


def _screens(run: Path, chain: Sequence[Link]) -> Found:
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
