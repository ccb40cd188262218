"""The server of the review page, and the data and decisions that it exchanges with the page.

`loopback` describes who may send requests. Their episodes and screens are numbers, never paths.
"""

from __future__ import annotations

import re
import secrets
import threading
from functools import cache, lru_cache, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, Protocol
from urllib.parse import urlsplit

from pytest_mobileagent import loopback
from pytest_mobileagent.episode import EpisodeRecord
from pytest_mobileagent.episode.reader import read
from pytest_mobileagent.episode.store import STREAM
from pytest_mobileagent.errors import RecordError
from pytest_mobileagent.loopback import RefusedError, is_number
from pytest_mobileagent.report.html.page import served_page
from pytest_mobileagent.report.html.trajectory import mark, opinions, screens, size_of
from pytest_mobileagent.report.human_verdicts import as_run
from pytest_mobileagent.report.names import agent_name, run_name
from pytest_mobileagent.report.text.narration import ending, step_in_words
from pytest_mobileagent.review.queue import Unanswered, signature_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode import Step
    from pytest_mobileagent.review.queue import Item, Queue, Rewriter
    from pytest_mobileagent.verdict import Verdict


_DECISIONS = {"pass": True, "fail": False, "note": None}
LONGEST_NAME = 80  # characters of a person's name
_KEPT = 4  # episodes in memory, with all their screenshots


class UnknownEpisodeError(LookupError):
    """No episode has the requested number."""


class Reviewable(Protocol):
    """The items that people can decide on the page: the episodes of a run, or instructions.

    The buttons are labelled "Pass" and "Fail" unless the queue has `words` with other labels. If
    these include a label for a `text`, the page sends one.
    """

    @property
    def decide(self) -> Callable[..., dict[str, Any]]:
        """A function that records a decision: number, decision, who, note, and text if any."""

    def queue(self) -> dict[str, Any]:
        """Return all items with their decisions (see `ReviewService.queue`)."""

    def episode(self, number: int) -> dict[str, Any]:
        """Return the data of an item for the page (see `ReviewService.episode`)."""

    def screen(self, number: int, index: int) -> bytes | None:
        """Return a screenshot; None if there is no such screen."""


class ReviewService:
    """Serves a run's queue and episodes to the page; `who` decides if the page sends no name."""

    def __init__(
        self, queue: Queue, rewriter: Rewriter, who: str, questions: Unanswered | None = None
    ) -> None:
        self.queue_of_run, self._rewriter, self._who = queue, rewriter, who
        self.questions = Unanswered(queue.run) if questions is None else questions
        self._stamp = secrets.token_hex(4)  # in the URLs of screens, which browsers cache
        self._lock = threading.Lock()
        self._ended = queue.has_ended
        self.decided: set[int] = set()  # decided through this service, and not withdrawn

    def queue(self) -> dict[str, Any]:
        """Return all items, with the decisions of the run and of people."""
        queue = self.queue_of_run
        decisions = queue.decisions()
        if queue.has_ended and not self._ended:
            self._rewriter.ask()  # the new report does not contain people's decisions yet
        self._ended = queue.has_ended
        return {
            "run": queue.run.name,
            "agent": run_name(queue.about) if queue.about else "",
            "who": self._who,
            "stamp": self._stamp,
            "goes_on": not queue.has_ended and not queue.problem,
            "problem": queue.problem or self._rewriter.problem,
            "left": queue.left(),
            "broken": queue.left("error"),
            "items": [_line(*each, queue.unclear(each[0])) for each in decisions],
            "questions": self.questions.lines(),
        }

    def episode(self, number: int) -> dict[str, Any]:
        """Return an episode and all verdicts on it, or the reason why it cannot be shown."""
        item = self._item(number)
        plain = {"number": number, "name": item.name, "told": as_run(item.task).reason or ""}
        try:
            plain |= trajectory(self._record(item.folder))
        except RecordError as error:
            plain |= {"damaged": str(error)}
        return {**plain, "opinions": opinions(self.queue_of_run.verdicts(item))}

    def screen(self, number: int, index: int) -> bytes | None:
        """Return a screenshot; None if the episode has no such screen."""
        found = screens(self._record(self._item(number).folder))
        return (found[index].png or None) if index < len(found) else None

    def screen_of_question(self, number: int) -> bytes | None:
        """Return the screenshot on which a question was asked; None if there is none."""
        asked = self.questions.item(number)
        if asked is None or asked.folder is None:
            return None
        found = screens(self._record(asked.folder))
        return (found[asked.screen].png or None) if asked.screen < len(found) else None

    def answer(self, number: Any, answer: str, who: str) -> dict[str, Any]:
        """Record an answer to a question, and return all questions.

        Raises:
            LookupError, ValueError: if there is no such question, or the answer is empty.
            HostError: if the answer cannot be written.
        """
        asked = self.questions.item(number)
        if asked is None:
            raise LookupError(f"there is no question {number}")
        self.questions.answer(asked, answer, who.strip()[:LONGEST_NAME] or self._who)
        return {"questions": self.questions.lines()}

    def decide(self, number: Any, decision: Any, who: str, note: str) -> dict[str, Any]:
        """Record a verdict, a note, or the withdrawal of a verdict; return the episode's opinions.

        Raises:
            LookupError, TypeError, ValueError: if there is no such episode or decision.
            RecordError: if the episode cannot be read, so no reviewer can have seen it.
            HostError: if the decision cannot be written.
        """
        item, who = self._item(number), who.strip()[:LONGEST_NAME] or self._who
        if decision == "undo":
            if not self.queue_of_run.withdraw(item, who, note.strip()):
                raise ValueError(f"{who} has no decision here to undo")
        else:
            passed = _DECISIONS[decision]
            if passed is None and not note.strip():
                raise ValueError("the note is empty")
            self._record(item.folder)
            self.queue_of_run.decide(item, passed, who, note.strip())
        if decision != "note":
            open_again = self.queue_of_run.decision(item) is None
            (self.decided.discard if open_again else self.decided.add)(item.number)
        self._rewriter.ask()
        return {"opinions": opinions(self.queue_of_run.verdicts(item))}

    def _item(self, number: Any) -> Item:
        item = self.queue_of_run.item(number)
        if item is None:
            raise UnknownEpisodeError(f"there is no episode {number}")
        return item

    def _record(self, folder: Path) -> EpisodeRecord:
        with self._lock:  # a browser requests all screens at once
            return _read(folder, signature_of(folder / STREAM))


def _line(item: Item, decision: Verdict | None, unclear: Sequence[dict[str, Any]]) -> list[Any]:
    """Return an item's number and name, the run's and people's verdicts, and its unclear answer."""
    who = None if decision is None else decision.evidence.get("who")
    passed = None if decision is None else decision.passed
    line = [item.number, item.name, as_run(item.task).outcome, passed, who]
    return [*line, _answer(unclear)] if unclear else line


_AROUND = 600  # characters before and after the first mark in an answer; `t` shows all of it


def _answer(unclear: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return an unclear answer as texts, of which every second one resembles what is expected."""
    goal, answer = (str(unclear[0].get(name, "")) for name in ("goal", "answer"))
    said = {str(text) for each in unclear for text in each.get("said") or () if text}
    words = "|".join(re.escape(text) for text in sorted(said, key=len, reverse=True)) or "(?!)"
    pattern = re.compile(f"(?<![0-9A-Za-z])({words})(?![0-9A-Za-z])", re.IGNORECASE)
    first = found.start() if (found := pattern.search(answer)) else 0
    start, end = max(0, first - _AROUND), first + _AROUND
    shown = f"{'…' * (start > 0)}{answer[start:end]}{'…' * (end < len(answer))}"
    expected = ", ".join(dict.fromkeys(str(each.get("expected", "")) for each in unclear))
    return {"goal": goal, "expected": expected, "answer": pattern.split(shown)}


@lru_cache(_KEPT)
def _read(folder: Path, signature: object) -> EpisodeRecord:  # noqa: ARG001 - for the cache
    return read(folder, EpisodeRecord)


# The scripts of the page: first those of the page of a run, then its own. Each may use the
# definitions of those before it.
_SHARED = ("elements.js", "marks.js", "opinions.js")
_SCRIPTS = ("state.js", "trajectory.js", "unclear.js", "list.js", "questions.js", "main.js")


@cache
def page() -> str:
    """Return the page (see `served_page`)."""
    return served_page(__package__, _SHARED, _SCRIPTS)


_MOST = 100_000  # bytes of a request's body


class ReviewServer(loopback.Server):
    """Serves the page of a service on a port; 0 selects a free port.

    Raises:
        OSError: if the port is in use.
    """

    def __init__(self, service: Reviewable, port: int = 0) -> None:
        super().__init__(_Handler, "review", port)
        self.service = service


class _Handler(loopback.Handler):
    server: ReviewServer
    statuses: ClassVar = {**loopback.Handler.statuses, UnknownEpisodeError: HTTPStatus.NOT_FOUND}

    def get(self, path: str) -> None:
        service, parts = self.server.service, path.split("/")[1:]
        match parts:
            case [""]:
                self.send_scripted_page(page())
            case ["queue"]:
                self.send_news(service.queue())
            case ["episode", episode] if is_number(episode):
                self.send_json(service.episode(int(episode)))
            case ["screen", episode, screen] if is_number(episode) and is_number(screen):
                self._picture(service.screen(int(episode), int(screen)))
            case ["question", asked] if is_number(asked) and isinstance(service, ReviewService):
                self._picture(service.screen_of_question(int(asked)))
            case _:
                raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")

    def post(self) -> None:
        path = urlsplit(self.path).path
        if path not in {"/verdict", "/answer"}:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")
        self.answer_json(_MOST, "the decision", partial(self._save, path))

    def _save(self, path: str, given: dict[str, Any]) -> dict[str, Any]:
        """Record a decision, or an answer to a question, and return the new state for the page."""
        service, who = self.server.service, str(given.get("who", ""))
        if path == "/answer":
            if not isinstance(service, ReviewService):
                raise LookupError(path)
            return service.answer(given["question"], str(given["answer"]), who)
        note = str(given.get("note", ""))
        text = {"text": str(given["text"])} if "text" in given else {}
        return service.decide(given["episode"], given["decision"], who, note, **text)

    def _picture(self, png: bytes | None) -> None:
        if png is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is no such screen")
        self.send(HTTPStatus.OK, "image/png", png, {"Cache-Control": "private, max-age=3600"})


def trajectory(episode: EpisodeRecord) -> dict[str, Any]:
    """Return the data of an episode for the page.

    Each frame is a screen with the actions on it: in words, and as marks in its pixels.
    """
    steps = list(episode.steps)
    frames = []
    for number, screen in enumerate(screens(episode)):
        step = steps[number] if number < len(steps) else None
        frames.append({"size": size_of(screen), "app": screen.package, **_frame(step, number)})
    return {
        "goal": episode.goal,
        "agent": agent_name(episode.agent),
        "device": f"{episode.device.model}, Android {episode.device.android}",
        "ending": ending(episode),
        "error": episode.error,
        "answer": episode.answer,
        "frames": frames,
    }


def _frame(step: Step | None, number: int) -> dict[str, Any]:
    if step is None:
        return {"title": "At the end", "words": "", "marks": []}
    done, screen = len(step.done), step.screen
    marks = [
        {**found, "done": place < done}
        for place, action in enumerate(step.actions)
        if (found := mark(action, screen)) is not None
    ]
    return {
        "title": f"Step {number + 1}",
        "words": step_in_words(step),
        "said": step.said,
        "notice": "; ".join(filter(None, (step.notice, screen.notice))),
        "reply": step.reply,
        "marks": marks,
    }
