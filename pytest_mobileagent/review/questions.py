"""Agents' questions that a run could not answer, and people's answers to them.

A run collects the questions in its questions.jsonl. Answers are added to a file that
`questions(file=…)` reads, so the next run can give them: this is the warm-up round of
Mobile-Bench-v2 (arXiv 2505.11891, section 3.2).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.episode.runs import QUESTIONS, inside
from pytest_mobileagent.fileio import append_line, new_lines, parse_json, writing
from pytest_mobileagent.jsonable import expect, to_line

if TYPE_CHECKING:
    from pathlib import Path


ANSWERS = "answers.jsonl"  # in the run's folder, unless another file is given
_LONGEST = 2000  # characters of an answer


@dataclass(frozen=True, slots=True)
class Question:
    """An unanswered question of a task; each question of a task occurs once.

    - `page`: the id of the recorded page on which it was asked; "" on a live device.
    - `step`: the number of the step, from 1.
    - `folder`: the folder of the first episode in which it was asked; `screen`: the number of the
      screen in that episode, from 0.
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
        known = self.answers()
        return [
            {
                "number": each.number,
                "task": each.task,
                "question": each.question,
                "step": each.step,
                "has_screen": each.folder is not None,
                "answer": known.get((each.task, each.question), {}).get("answer"),
                "who": known.get((each.task, each.question), {}).get("who"),
            }
            for each in self.items()
        ]

    def _add(self, line: bytes) -> None:
        """Add the question in a line of the run's file, which is not trusted."""
        try:
            given = expect(parse_json(line), dict, "a question")
            key = (
                expect(given["task"], str, "task"),
                expect(given["question"], str, "question"),
            )
            page = expect(given.get("page", ""), str, "page")
            step, screen = (expect(given.get(name, 0), int, name) for name in ("step", "screen"))
            folder = inside(self._run, f"episodes/{expect(given.get('episode', ''), str, 'it')}")
            folder = folder if folder is not None and given.get("episode") else None
        except (ValueError, LookupError, TypeError):
            return
        if key not in self._found:
            number = len(self._found)
            self._found[key] = Question(number, *key, page, step, folder, max(0, screen))
