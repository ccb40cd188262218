"""What waits for people in a run: its undecided episodes, and questions that nobody answered.

A run collects agents' questions in its questions.jsonl. Answers are added to a file that
`questions(file=…)` reads, so the next run can give them: this is the warm-up round of
Mobile-Bench-v2 (arXiv 2505.11891, section 3.2). Reports are updated for people's verdicts.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode import chain, runs
from pytest_mobileagent.episode.runs import QUESTIONS, inside
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.fileio import append_line, new_lines, parse_json, write_json, writing
from pytest_mobileagent.jsonable import expect, to_line
from pytest_mobileagent.report.entry import Entry
from pytest_mobileagent.report.html.run_page import write_page
from pytest_mobileagent.report.human_verdicts import (
    apply_verdicts,
    as_run,
    decidable,
    was_undecided,
)
from pytest_mobileagent.report.recorded_run import REPORT, read_report
from pytest_mobileagent.verdict import (
    CHECK,
    VERDICTS,
    append,
    by_people,
    effective,
    of_person,
    verdicts,
    withdrawal,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from pytest_mobileagent.report.entry import Report
    from pytest_mobileagent.verdict import Verdict

    Signature = tuple[int, int, int] | None

_SUCCESS = {"passed": True, "failed": False, "review": None}  # by outcome, during a run


@dataclass(frozen=True, slots=True)
class Item:
    """An episode that a person may decide.

    `number` stays the same while this program runs. `task` is the entry in report.json, or is
    derived from the index while the run is still going on.
    """

    number: int
    folder: Path
    task: Entry

    @property
    def name(self) -> str:
        """The name of the case: its id, environment and epoch (see `Case.key`)."""
        return self.task.key


class VerdictFiles:
    """The verdicts of episodes; a file is read again only when it has changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[Signature, Sequence[Verdict]]] = {}

    def of(self, folder: Path) -> Sequence[Verdict]:
        """Return all verdicts on the episode in a folder, the oldest first."""
        signature = signature_of(folder / VERDICTS)
        known = self._known.get(folder)
        if known is None or known[0] != signature:
            known = signature, verdicts(folder) if signature else ()
            self._known[folder] = known
        return known[1]

    def effective(self, run: Path, task: Entry) -> Verdict | None:
        """Return the effective verdict on a task of a run's report."""
        folder = inside(run, task.episode)
        return None if folder is None else effective(self.of(folder))


class Queue:
    """The episodes of a run that people may decide: the undecided ones, or with `everything` all.

    Thread-safe. Each access reads what other programs, and a run that still goes on, have written.
    """

    def __init__(self, run: Path, *, everything: bool = False) -> None:
        self.run = run
        self.files = VerdictFiles()
        self.problem = ""  # why report.json cannot be used
        self.about: Mapping[str, Any] = {}  # "run" in report.json
        self.has_ended = False
        self._fits = decidable if everything else was_undecided
        self._lock = threading.Lock()
        self._seen: tuple[Signature, Signature] | None = None
        self._numbers: dict[Path, int] = {}
        self._items: dict[int, Item] = {}

    def items(self) -> list[Item]:
        """Return all items in the order of the report."""
        with self._lock:
            seen = signature_of(self.run / REPORT), signature_of(self.run / runs.INDEX)
            if seen != self._seen:
                found = (self._item(task) for task in self._tasks() if self._fits(task))
                self._items = {item.number: item for item in found if item is not None}
                self._seen = seen
            return list(self._items.values())

    def item(self, number: int) -> Item | None:
        """Return the item with a number; None if there is none."""
        self.items()
        return self._items.get(number)

    def verdicts(self, item: Item) -> Sequence[Verdict]:
        """Return all verdicts on an item, the oldest first."""
        return self.files.of(item.folder)

    def decision(self, item: Item) -> Verdict | None:
        """Return the effective verdict of a person; None if no person has decided."""
        people = by_people(self.verdicts(item))
        return people[-1] if people else None

    def decisions(self) -> list[tuple[Item, Verdict | None]]:
        """Return all items with people's verdicts (see `decision`), unclear answers first."""
        found = [(item, self.decision(item)) for item in self.items()]
        return sorted(found, key=lambda each: not self.unclear(each[0]))

    def unclear(self, item: Item) -> Sequence[dict[str, Any]]:
        """Return the unclear answers because of which a check did not decide an item."""
        own = [verdict for verdict in self.verdicts(item) if verdict.scorer == CHECK]
        given = own[-1].evidence.get("unclear") if own and own[-1].passed is None else None
        return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []

    def left(self, outcome: str = "review") -> int:
        """Return how many items with this outcome of the run, or "error", wait for a person."""
        return sum(
            decision is None and as_run(item.task).outcome == outcome
            for item, decision in self.decisions()
        )

    def decide(self, item: Item, passed: bool | None, who: str, note: str = "") -> None:
        """Append a person's verdict; with `passed=None` it is only a note.

        Raises:
            HostError: if the verdict cannot be written.
        """
        append(item.folder, of_person(passed, who, note))

    def withdraw(self, item: Item, who: str, note: str = "") -> bool:
        """Withdraw the last verdict of a person; return False if they have none in effect.

        Raises:
            HostError: if the withdrawal cannot be written.
        """
        own = [v for v in by_people(self.verdicts(item)) if v.evidence.get("who") == who]
        if own:
            append(item.folder, withdrawal(who, note))
        return bool(own)

    def _item(self, task: Entry) -> Item | None:
        folder = inside(self.run, task.episode)
        if folder is None:
            return None
        return Item(self._numbers.setdefault(folder, len(self._numbers)), folder, task)

    def _tasks(self) -> list[Entry]:
        self.problem, self.has_ended, self.about = "", False, {}
        try:
            report = read_report(self.run / REPORT)
        except FileNotFoundError:
            return self._indexed()
        except (OSError, RecordError) as error:
            self.problem = f"the report cannot be read, and is left unchanged: {error}"
            return self._indexed()
        self.has_ended, self.about = True, report["run"]
        return list(report["tasks"])

    def _indexed(self) -> list[Entry]:
        """Return entries of the cases' last attempts from the index, if there is no report."""
        last = {line.case: line for line in runs.entries(self.run)}
        return [
            Entry(id=name, outcome=end, success=_SUCCESS.get(end), episode=line.folder)
            for name, line in last.items()
            for end in [line.outcome]
        ]


def signature_of(path: Path) -> Signature:
    """Return a value that changes whenever a file changes; None if the file does not exist."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class Rewriter:
    """Updates the reports of a run in a thread, because large reports take seconds."""

    def __init__(self, run: Path) -> None:
        self.problem = ""  # why the last update failed
        self._run, self._files = run, VerdictFiles()
        self._pool = ThreadPoolExecutor(1, "reports")
        self._lock = threading.Lock()
        self._closed = False
        self._next: Future[None] | None = None

    def ask(self) -> None:
        """Request an update of the reports with all verdicts so far.

        Nothing is written after `close`; the next program that opens the run will do so.
        """
        with self._lock:
            if self._closed:
                return
            if self._next is None or self._next.running() or self._next.done():
                self._next = self._pool.submit(self._rewrite)

    def close(self) -> None:
        """Update the reports a last time, and wait for it."""
        self.ask()
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=True)

    def _rewrite(self) -> None:
        try:
            rewrite(self._run, self._files)
        except Exception as error:  # noqa: BLE001 - a report may contain anything
            is_known = isinstance(error, OSError | RecordError)
            words = str(error) if is_known else f"{type(error).__name__}: {error}"
            self.problem = f"the report was not written, the verdicts are kept: {words}"
        else:
            self.problem = ""


def rewrite(run: Path, files: VerdictFiles) -> None:
    """Update the reports of a run for the effective verdicts, if the run has reports yet.

    Every program that has appended a verdict does this, and checks for new verdicts after writing.
    The program that writes last therefore includes all of them.

    Raises:
        OSError: if a report cannot be read or written.
        RecordError: if the report is damaged, or of a newer version.
    """
    path, shown, written = run / REPORT, None, None
    while (before := signature_of(path)) is not None:
        report = read_report(path)
        after = apply_verdicts(report, lambda task: files.effective(run, task))
        if after["tasks"] != report["tasks"] and after["tasks"] != written:
            _write(path, after, before)
            written = after["tasks"]  # reading them back may cut deeply nested data
        elif shown == before:
            return
        else:
            write_page(run, report)  # notes change the page, but no task
            shown = before


def _write(path: Path, report: Report, before: Signature) -> None:
    """Write a report unless the run or another program has written one in the meantime."""
    own = path.with_name(f".{REPORT}.{os.getpid()}")
    try:
        write_json(own, report)
        if signature_of(path) == before:
            own.replace(path)
            chain.add_file(path.parent, "report", REPORT)
    finally:
        own.unlink(missing_ok=True)


ANSWERS = "answers.jsonl"  # in the run's folder, unless another file is given
_LONGEST = 2000  # characters of an answer


@dataclass(frozen=True, slots=True)
class Question:
    """An unanswered question of a task; each question of a task occurs once.

    - `page`: the id of the recorded page on which it was asked; "" on a live device.
    - `step`: the number of the step, from 1.
    - `folder`: that of the first episode in which it was asked; `screen`: a number in it, from 0.
    """

    number: int
    task: str
    question: str
    page: str = ""
    step: int = 0
    folder: Path | None = None
    screen: int = 0


class Unanswered:
    """The questions of a run, with the answers from a file; thread-safe."""

    def __init__(self, run: Path, answers: Path | None = None) -> None:
        self._run, self.path = run, answers or run / ANSWERS
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str], Question] = {}
        self._read = 0

    def items(self) -> list[Question]:
        """Return all questions in the order in which they were first asked."""
        with self._lock:
            try:
                lines, self._read = new_lines(self._run / QUESTIONS, self._read)
            except OSError:
                lines = []
            for line in lines:
                self._add(line)
            return list(self._found.values())

    def answers(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Return the last answer to each question, by task and question."""
        try:
            lines, _ = new_lines(self.path, 0)
        except OSError:
            return {}
        found = {}
        for line in lines:
            try:
                given = expect(parse_json(line), dict, "an answer")
                found[str(given["task"]), str(given["question"])] = given
            except (ValueError, LookupError, TypeError):
                continue  # the task that reads the file reports this line
        return found

    def left(self) -> int:
        """Return the number of questions without an answer."""
        known = self.answers()
        return sum((each.task, each.question) not in known for each in self.items())

    def item(self, number: object) -> Question | None:
        """Return the question with a number; None if there is none."""
        return next((each for each in self.items() if each.number == number), None)

    def answer(self, question: Question, text: str, who: str) -> None:
        """Record an answer.

        Raises:
            ValueError: if the answer is empty or too long.
            HostError: if the answer cannot be written.
        """
        words = text.strip()
        if not words or len(words) > _LONGEST:
            raise ValueError(f"an answer must have 1 to {_LONGEST} characters")
        line = {
            "task": question.task,
            "question": question.question,
            "answer": words,
            **({"page": question.page} if question.page else {}),
            "who": who,
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        with writing(self.path):
            append_line(self.path, to_line(line))

    def lines(self) -> list[dict[str, Any]]:
        """Return the data of each question for the page."""
        known, found = self.answers(), []
        for each in self.items():
            given = known.get((each.task, each.question), {})
            plain = {name: getattr(each, name) for name in ("number", "task", "question", "step")}
            answered = {name: given.get(name) for name in ("answer", "who")}
            found.append({**plain, "has_screen": each.folder is not None, **answered})
        return found

    def _add(self, line: bytes) -> None:
        try:
            given = expect(parse_json(line), dict, "a question")
            key = expect(given["task"], str, "task"), expect(given["question"], str, "question")
            page = expect(given.get("page", ""), str, "page")
            step, screen = (expect(given.get(name, 0), int, name) for name in ("step", "screen"))
            folder = inside(self._run, f"episodes/{expect(given.get('episode', ''), str, 'it')}")
            folder = folder if folder is not None and given.get("episode") else None
        except (ValueError, LookupError, TypeError):
            return
        if key not in self._found:
            number = len(self._found)
            self._found[key] = Question(number, *key, page, step, folder, max(0, screen))
