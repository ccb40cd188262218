"""`python -m pytest_mobileagent verify`: check a bundle with the checks of this project.

These are run again on the records (`--mobile-rescore`), in a process of its own. Of a bundle, they
are given data only: which of the project's test files are run is decided by their names, which must
be those of test files below the current folder.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.arguments import BAD_INPUT, Parser, bad_input, program_name
from pytest_mobileagent.episode import runs
from pytest_mobileagent.episode.chain import CHAIN
from pytest_mobileagent.errors import HostError, RecordError
from pytest_mobileagent.fileio import is_below, read_bytes, read_object, write_bytes, write_text
from pytest_mobileagent.jsonable import mapping, plural, printable, to_line, to_wire
from pytest_mobileagent.report.bundle import SUFFIX, is_bundle, read_bundle
from pytest_mobileagent.report.bundle.records import FAILED, OPEN, UNPROVEN, completeness, integrity
from pytest_mobileagent.report.metrics import summarise
from pytest_mobileagent.report.recorded_run import newest_run, recorded_run
from pytest_mobileagent.verdict import CROSS, PERSON, SINGLE, VERDICTS, of_judges, verdicts

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterator, Sequence

    from pytest_mobileagent.report.bundle.records import Found
    from pytest_mobileagent.report.entry import Entry
    from pytest_mobileagent.report.recorded_run import RecordedRun
    from pytest_mobileagent.verdict import Verdict

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

    - `state`: `FAILED`, `OPEN` (not verified), `UNPROVEN` (no bundle can prove it) or `HOLDS`.
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


_REPLIES = "judges.jsonl"  # of judges, beside an episode
_SECONDS = 3600.0  # for all checks of a run
_TEST_FILE = re.compile(r"(?:[\w.-]+/)*(?:test_[\w.-]+|[\w.-]+_test)\.py", re.ASCII)
# Fields of an entry that are not derived from its records, or that name places and reasons.
_OTHER = {
    "nodeid", "reason", "cause", "infrastructure", "attempts", "attempt", "episode", "verdict",
    "official", "roles", "as_run", "extra", "suspect", "node", "versions", "variant",
}  # fmt: skip
_OF_TASK = (
    "goal", "golden_steps", "kind", "language", "level", "step_limit", "success_after_error",
)  # fmt: skip
_MOST_NAMED = 4  # fields and tasks named in a line


def truth(run: RecordedRun, judges: str | None) -> Found:
    """Yield the differences between a run's report and what its records say here.

    `judges` are models (PROVIDER:NAME, with commas between) that judge again; without them, the
    verdicts of judges are derived anew from their recorded replies.
    """
    yield from _tables(run)
    with tempfile.TemporaryDirectory(prefix="mobileagent-verify-") as folder:
        again, why = _scored_again(run, Path(folder), judges)
        if again is None:
            yield OPEN, f"the checks could not be run again: {why}"
            return
        yield from _suite(run, again)
        if (many := sum(task.is_judged for task in run.tasks)) and not judges:
            so = f"that judges replied so about {plural(many, 'task')}"
            yield UNPROVEN, f"{so}: ask with --judges"
        now = {task.key: task for task in again.tasks}
        for task in run.tasks:
            yield from _task(task, now.get(task.key), judges)


def _tables(run: RecordedRun) -> Found:
    """Compare the summary in the report with one that is computed from its tasks."""
    if run.report is None:
        return
    stored, own = run.report["summary"], to_wire(summarise(run.report["tasks"]))
    lacking = [name for name in own if name not in stored]
    wrong = [name for name in own if name in stored and stored[name] != own[name]]
    if lacking:  # which may count differently, too
        words = "the summary was made by another version of pytest-mobileagent: it has no"
        differ = f", and differs in {', '.join(wrong)}" if wrong else ""
        yield OPEN, f"{words} {', '.join(lacking[:_MOST_NAMED])}{differ}"
    elif wrong:
        each = [f"{n} {stored[n]!r}, computed {own[n]!r}"[:200] for n in wrong[:_MOST_NAMED]]
        yield FAILED, f"the summary of the report is not that of its tasks: {'; '.join(each)}"


def _scored_again(
    run: RecordedRun, folder: Path, judges: str | None
) -> tuple[RecordedRun | None, str]:
    """Score the run again into a new run in a folder; return it, or why that was not possible."""
    here = Path.cwd()
    files = sorted({task.nodeid.partition("::")[0] for task in run.tasks})
    known = [
        file
        for file in files
        if _TEST_FILE.fullmatch(file) and is_below(here / file, here) and (here / file).is_file()
    ]
    if not known:
        return None, f"none of its test files is in {here}: run `verify` in the suite's project"
    judging = ["--mobile-cache=recorded"]
    if judges:
        mode = "cross" if "," in judges else "single"
        judging = [f"--llm-judge={mode}", f"--mobile-judges={judges}"]
        judging += ["--mobile-judge-all"] * any(task.judged is not None for task in run.tasks)
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-p", "no:mobileagent-page-writer"),  # the page would take longer than the checks
        *("--continue-on-collection-errors", "--mobile-exit=run", f"--mobile-runs={folder}"),
        f"--mobile-rescore={run.folder}",
        *judging,
        *known,
    ]
    try:
        with without_verdicts(run.folder):
            done = subprocess.run(
                command,
                cwd=here,
                env={n: v for n, v in os.environ.items() if n != "PYTEST_ADDOPTS"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_SECONDS,
                check=False,
            )
    except subprocess.TimeoutExpired:
        return None, f"they took longer than {_SECONDS:.0f} s"
    try:
        made = newest_run(folder)
        return (None, _last(done)) if made is None else (recorded_run(made), "")
    except (OSError, RecordError) as error:
        return None, str(error)


@contextmanager
def without_verdicts(run: Path) -> Iterator[None]:
    """Hide the verdicts of an unpacked run, and at the end undo whatever was appended to its files.

    Earlier verdicts of several judges would outrank new ones. Those of people stay.
    """
    named = (VERDICTS, _REPLIES)
    paths = [run / CHAIN, *(path for name in named for path in run.glob(f"episodes/*/{name}"))]
    kept = {path: read_bytes(path) for path in paths if path.is_file() and is_below(path, run)}
    try:
        for folder in {path.parent for path in kept if path.name == VERDICTS}:
            given = verdicts(folder)
            own = [to_line(each.to_json()) for each in given if each.scorer == PERSON]
            write_text(folder / VERDICTS, "".join(f"{line}\n" for line in own))
            if (replies := kept.get(folder / _REPLIES)) is not None:
                write_bytes(folder / _REPLIES, _counting(replies, given))
        yield
    finally:
        for path, content in kept.items():
            write_bytes(path, content)


def _counting(replies: bytes, given: Sequence[Verdict]) -> bytes:
    """Return the judges' replies without those before the verdict of judges that counts."""
    judged = [each for each in given if each.scorer in {SINGLE, CROSS}]
    counts = of_judges(judged)
    before = judged[: judged.index(counts)] if counts is not None else []
    lines = [call.line or 0 for each in before for call in each.calls]
    return b"".join(replies.splitlines(keepends=True)[max(lines, default=0) :])


def _last(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return next((line for line in lines if "ERROR" in line), lines[-1] if lines else "no output")


def _suite(run: RecordedRun, again: RecordedRun) -> Found:
    """Compare the tasks and checks of the run with those of this project."""
    plans = [read_object(each.folder / runs.RUN) for each in (run, again)]
    old, now = ({str(mapping(c).get("key")): mapping(c) for c in p.get("tasks", ())} for p in plans)
    if missing := sorted(set(now) - set(old)):
        chosen = {n: v for n, v in mapping(run.about.get("selection")).items() if n != "paths"}
        state = OPEN if chosen or run.about.get("shard") else FAILED
        why = f"selected by {', '.join(chosen)}" if chosen else "of the same files"
        shown = ", ".join(missing[:_MOST_NAMED]) + " …" * (len(missing) > _MOST_NAMED)
        yield state, f"{plural(len(missing), 'task')} {why} are not in the run: {shown}"
    judged = {task.key for task in run.tasks if task.is_judged}
    for key in sorted(set(old) & set(now)):
        one, other = (
            {**mapping(each[key].get("task")), "parameters": each[key].get("parameters")}
            for each in (old, now)
        )
        names = [name for name in (*_OF_TASK, "parameters") if name in one]
        changed = [name for name in names if one[name] != other.get(name)]
        digests = [mapping(mapping(p.get("digests")).get(key)).get("check") for p in plans]
        if digests[0] != digests[1] and key not in judged and None not in digests:
            changed.append("check")
        if changed:
            yield OPEN, f"{key}: the suite here differs in: {', '.join(changed)}"


def _task(task: Entry, now: Entry | None, judges: str | None) -> Found:
    if task.outcome == "not run" or task.as_run is not None:
        return
    if now is None:
        yield OPEN, f"{task.key}: it is not in the suite here"
        return
    if task.success is not None and now.outcome in {"review", "error", "skipped", "not run"}:
        yield OPEN, f"{task.key}: {task.outcome} in the report, {now.outcome} here ({now.reason})"
        return
    before, after = (_compared(each, judges) for each in (task, now))
    wrong = [name for name in before if name in after and before[name] != after[name]]
    if wrong:
        each = ", ".join(f"{n} {before[n]!r}, here {after[n]!r}"[:120] for n in wrong[:_MOST_NAMED])
        yield FAILED, f"{task.key}: the report says {each}"


def _compared(task: Entry, judges: str | None) -> dict[str, Any]:
    """Return what is compared of an entry; judges that are asked again need not say the same."""
    compared = {n: each for n, each in to_wire(task.to_json()).items() if n not in _OTHER}
    if judges:
        compared.pop("judged")
    elif task.verdict is not None and task.is_judged:
        compared["judges' verdict"] = [task.verdict["scorer"], task.verdict["reason"]]
    return compared
