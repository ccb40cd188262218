"""`python -m pytest_mobileagent verify`: check a bundle with the checks of this project."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mobileagent.arguments import BAD_INPUT, Parser, bad_input, program_name
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.jsonable import plural, printable
from pytest_mobileagent.report.bundle.completeness import completeness
from pytest_mobileagent.report.bundle.integrity import FAILED, OPEN, UNPROVEN, integrity
from pytest_mobileagent.report.bundle.reading import SUFFIX, is_bundle, read_bundle
from pytest_mobileagent.report.bundle.truth import truth
from pytest_mobileagent.report.recorded_run import recorded_run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Sequence

HOLDS = "holds"
_STATUSES = {FAILED: 1, OPEN: 8}
_ORDER = (FAILED, OPEN, UNPROVEN, HOLDS)
_HOLD = {
    "integrity": "the records are those that the chain of digests names",
    "completeness": "every task and every attempt is there, and each task was decided once",
    "truth": "the checks here give the same results and tables: 0 differences",
}
_NEVER = (  # what no bundle can prove
    "that the model was the one that is named",
    "that nothing was left out by never recording it",
)


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


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a bundle: what was found, the worst first, and when."""

    findings: tuple[Finding, ...]
    when: str

    @property
    def status(self) -> int:
        """The exit status: 0 if all was verified, 1 if something is wrong, else 8."""
        return max((_STATUSES.get(each.state, 0) for each in self.findings), key=(0, 8, 1).index)

    @property
    def in_words(self) -> str:
        """The verification in a cell of a table: whether, by whom, and when."""
        word = {0: "yes", 1: "no", 8: "in part"}[self.status]
        return f"{word}: this machine, {self.when[:10]}"


def verify(
    path: Path, *, digests: Collection[str] = (), reruns: bool = False, judges: str | None = None
) -> Verification:
    """Verify a bundle with the project in the current folder.

    `digests` are those that its runs printed; with `reruns`, tasks may have been decided more than
    once; `judges` are models that judge again (see `truth`).

    Raises:
        RecordError, OSError: if it cannot be read.
    """
    bundle = read_bundle(path)
    recorded = [recorded_run(run) for run in bundle.runs]
    screens = bool(bundle.about["screens"])
    parts = {
        "integrity": [integrity(run, digests, screens=screens) for run in bundle.runs],
        "completeness": [completeness(recorded, reruns=reruns)],
        "truth": [truth(run, judges) for run in recorded],
    }
    findings = [Finding(UNPROVEN, "truth", words) for words in _NEVER]
    for about, part in parts.items():
        own = [Finding(state, about, words) for found in part for state, words in found]
        if not any(each.state in _STATUSES for each in own):
            own.append(Finding(HOLDS, about, _HOLD[about]))
        findings += own
    findings.sort(key=lambda each: _ORDER.index(each.state))
    when = datetime.now(UTC).isoformat(timespec="seconds")
    return Verification(tuple(dict.fromkeys(findings)), when)


@lru_cache(32)
def verified(path: Path) -> str:
    """Return in words whether a bundle is verified, for a table; it is verified once a process."""
    return verify(path).in_words


def main(arguments: Sequence[str]) -> int:
    """Verify a bundle, print what was found, and return the exit status."""
    given = _parser().parse_args(arguments)
    path = Path(given.bundle)
    try:
        if not is_bundle(path):
            raise RecordError(f"{path} is not a bundle, i.e. a file NAME{SUFFIX}")  # noqa: TRY301
        digests = {each.strip() for text in given.digest for each in text.split(",")}
        found = verify(path, digests=digests, reruns=given.reruns, judges=given.judges)
    except (OSError, HostError, RecordError) as error:
        return bad_input(error)
    if given.format == "json":
        whole = {
            "bundle": path.name,
            "status": found.status,
            "verified": found.in_words,
            "when": found.when,
            "findings": list(map(asdict, found.findings)),
        }
        sys.stdout.write(json.dumps(whole, ensure_ascii=False, indent=2) + "\n")
        return found.status
    for each in found.findings:
        sys.stdout.write(printable(f"{each.state:<13} {each.about:<13} {each.words}") + "\n")
    counts = Counter(each.state for each in found.findings)
    word = {0: "VERIFIED", 1: "WRONG", 8: "NOT VERIFIED"}[found.status]
    sys.stdout.write(f"{word}: {plural(counts[FAILED], 'difference')}, {counts[OPEN]} open\n")
    return found.status


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=program_name("verify"),
        description="Check a bundle with the project in the current folder: whether its records "
        "were changed, whether something is missing, and whether the project's own checks give the "
        "same results. Nothing in the bundle is executed. The exit status is 0 if all is "
        "verified, 1 if something is wrong, 8 if something could not be verified, and "
        f"{BAD_INPUT} if it is not a bundle.",
    )
    add = parser.add_argument
    add("bundle", metavar="BUNDLE", help=f"a file that `bundle` has written, NAME{SUFFIX}")
    digest = "the digest that the run printed at its end; without it, whoever changed the records "
    digest += "could have computed the chain again. May be repeated"
    add("--digest", metavar="DIGEST", action="append", default=[], help=digest)
    reruns = "accept tasks that were decided more than once, and runs with pytest's --reruns"
    add("--reruns", action="store_true", help=reruns)
    judges = "judge again: one model, or two or three that must agree (default: judges' recorded "
    add("--judges", metavar="MODEL,…", help=f"{judges}replies are read again)")
    add("--format", choices=("text", "json"), default="text", help="of the output (default: text)")
    return parser
