"""Combines several judges into one verdict: the coarse stage, repeated votes, cross-validation.

In the coarse stage, an episode whose screens never show its key components fails without a model.

Source: SPA-Bench (arXiv 2410.15164), section 5.2 and appendix D.1.
"""

from __future__ import annotations

import copy
import re
import threading
import unicodedata
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.errors import JudgeError, ScreenError, TaskError
from pytest_mobileagent.jsonable import cut
from pytest_mobileagent.judge.ask import Opinion, ask
from pytest_mobileagent.judge.evidence import LruCache
from pytest_mobileagent.judge.subtasks import ask_subtasks
from pytest_mobileagent.llm.reference import public_name
from pytest_mobileagent.screen.ocr import read_screenshot
from pytest_mobileagent.screen.text import normalise
from pytest_mobileagent.verdict import CROSS, SINGLE, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.judge.question import Question
    from pytest_mobileagent.llm.model import Model
    from pytest_mobileagent.llm.reference import ModelReference
    from pytest_mobileagent.screen import Screen
    from pytest_mobileagent.screen.ocr import OcrEngine


@dataclass(frozen=True, slots=True)
class Coarse:
    """The result of the coarse stage.

    - `found`: the index in `episode.screens` of the last screenshot with all key components; None
      if no screenshot has them all, which means that the task failed.
    - `nearest`: the index of the screenshot that lacks the fewest components (the last of several);
      `missing`: the components that it lacks. If it lacks none, it is the same as `found`.
    - `read`: the number of different screenshots that were read.
    """

    found: int | None
    missing: tuple[str, ...] = ()
    nearest: int | None = None
    read: int = 0

    @property
    def passed(self) -> bool:
        """Whether a screenshot has all key components, so judges must be asked."""
        return self.found is not None

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON-able data, for a verdict's evidence."""
        places = {"found": self.found, "nearest": self.nearest}
        return {**places, "missing": list(self.missing), "read": self.read}


def coarse(
    episode: EpisodeRecord, components: Sequence[str], read: Callable[[Screen], str] | None = None
) -> Coarse:
    """Look for a screenshot with all key components, from the last one backwards.

    Components and text are compared in lower case, without spaces, quotes and thousands separators,
    and with compatibility forms and dashes unified. A component that begins or ends with a digit
    must not be part of a longer number. All components must be parts of the text of the same
    screenshot. `read` returns a screenshot's text; by default OCR reads it, once for each picture.
    The search stops at the first screenshot that fits. Without components, the last one fits.

    Raises:
        TaskError: if a component has no visible character.
        ScreenError: if a screenshot cannot be decoded, and no other one fits.
        MissingExtraError: if no OCR engine is installed.
    """
    screens = episode.screens
    wanted = {component: _sought(component) for component in components}
    if empty := [component for component, sought in wanted.items() if not sought.pattern]:
        raise TaskError(f"judge: key_components has {empty[0]!r}, which has no visible letter")
    if not wanted:
        return Coarse(len(screens) - 1, nearest=len(screens) - 1)
    read = read or reader()
    nearest: Coarse | None = None
    seen: set[str] = set()
    broken: ScreenError | None = None
    for place in reversed(range(len(screens))):
        screen = screens[place]
        if screen.key in seen:
            continue
        seen.add(screen.key)
        try:
            text = _compared(read(screen))
        except ScreenError as error:
            broken = broken or error
            continue
        missing = tuple(component for component, each in wanted.items() if not each.search(text))
        if not missing:
            return Coarse(place, (), place, len(seen))
        if nearest is None or len(missing) < len(nearest.missing):
            nearest = Coarse(None, missing, place)
    if broken is not None:
        raise broken
    assert nearest is not None  # an episode has a last screen
    return Coarse(None, nearest.missing, nearest.nearest, len(seen))


def reader(engine: str | OcrEngine = "rapidocr") -> Callable[[Screen], str]:
    """Return a function that reads a screenshot's text by OCR, once per picture and process.

    The lines are in reading order, joined by spaces (see `screen.ocr`).
    """

    def read(screen: Screen) -> str:
        def text() -> str:
            # Of a copy, so the episode does not keep decoded pixels.
            lines = read_screenshot(screen.key, lambda: copy.copy(screen).image, engine)
            return " ".join(box.text for box in lines)

        return _texts.get((engine, screen.key), text)

    return read


_texts: LruCache[str] = LruCache(4096)  # a few kB each


_QUOTES = re.compile("[\"'`\u2018-\u201f\u00ab\u00bb\u300c-\u300f]")
_DASHES = re.compile("[\u2010-\u2015\u2212]")


def _compared(text: str) -> str:
    """Return text as it is compared; only spaces between digits are left, as one space."""
    text = _DASHES.sub("-", _QUOTES.sub("", unicodedata.normalize("NFKC", normalise(text)).lower()))
    text = re.sub(r"(?<=\d)[,\u2019 ](?=\d{3}(?!\d))", "", text)
    return re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", text)


def _sought(component: str) -> re.Pattern[str]:
    """Return a pattern of a component in compared text; empty if nothing of it is visible."""
    text = _compared(component)
    before = r"(?<!\d)(?<!\d[.:,])" if text[:1].isdigit() else ""
    after = r"(?![.:,]?\d)" if text[-1:].isdigit() else ""
    return re.compile(before + re.escape(text) + after)


T = TypeVar("T")


def in_background(work: Callable[[], T]) -> Future[T]:
    """Start work in a daemon thread, so the process can end before it is done."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised again by `result`
            future.set_exception(error)

    threading.Thread(target=run, name="judge", daemon=True).start()
    return future


_LONGEST_REASON = 400  # characters in the verdict; judges.jsonl has the whole reply


def decide(
    models: Sequence[Model],
    question: Question,
    episode: EpisodeRecord,
    *,
    runs: int = 1,
    retries: int = 1,
    read: Callable[[Screen], str] | None = None,
) -> Verdict:
    """Return the verdict of one judge, or of two that must agree; a third settles disputes.

    Each judge is asked `runs` times, and the majority of its votes counts; a tie leaves it
    undecided. A judge that fails is asked again up to `retries` times. If two judges disagree, the
    episode is undecided (A3, arXiv 2501.01149, section 3.4.2), unless there is a third. If the
    question has key components and no screenshot shows all of them (see `coarse`, which uses
    `read`), the verdict is "failed", and no model is asked.

    Raises:
        JudgeError: if a judge does not answer, or its replies cannot be read.
        BudgetSpent: if the run's budget is spent.
    """
    scorer = SINGLE if len(models) == 1 else CROSS
    evidence: dict[str, Any] = {"question": question.to_json()}
    if question.key_components:
        candidate = coarse(episode, question.key_components, read)
        evidence["coarse"] = candidate.to_json()
        if not candidate.passed:
            lacking = ", ".join(map(repr, candidate.missing))
            reason = f"no screenshot shows all key components; the nearest lacks {lacking}"
            return Verdict(False, scorer, reason, evidence)
    opinions = _opinions(models[:2], question, episode, runs, retries)
    if _agreed(opinions) is None:
        opinions += _opinions(models[2:3], question, episode, runs, retries)
    return _verdict(scorer, opinions, evidence)


def _opinions(
    models: Sequence[Model], question: Question, episode: EpisodeRecord, runs: int, retries: int
) -> list[Opinion]:
    """Ask all models at the same time, each `runs` times."""
    votes = [
        [in_background(partial(_vote, model, question, episode, retries)) for _ in range(runs)]
        for model in models
    ]
    return [_majority([vote.result() for vote in each]) for each in votes]


def _vote(model: Model, question: Question, episode: EpisodeRecord, retries: int) -> Opinion:
    """Ask a model until its reply is readable; otherwise raise the first and the last error.

    The first error is the important one, as a later attempt may only have failed because a scripted
    model had no reply left.
    """
    ask_one = ask_subtasks if question.subtasks else ask
    failed: list[JudgeError] = []
    for _ in range(retries + 1):
        try:
            return ask_one(model, question, episode)
        except JudgeError as error:
            failed.append(error)
    first, last = str(failed[0]), str(failed[-1])
    if first == last:
        raise failed[-1]
    raise JudgeError(f"{first}. Asked again: {last}") from failed[-1]


def majority(votes: Sequence[bool | None]) -> bool | None:
    """Return the majority of the votes; None if they are tied."""
    balance = sum((vote is True) - (vote is False) for vote in votes)
    return balance > 0 if balance else None


def _majority(votes: Sequence[Opinion]) -> Opinion:
    """Return the majority opinion of one model's votes, with the calls of all votes.

    Votes are put in order by what they say, as they come in any order: the same replies give the
    same opinion, also when recorded ones are used again.
    """
    if len(votes) == 1:
        return votes[0]
    votes = sorted(votes, key=lambda vote: (str(vote.passed), vote.reason))
    result = majority([vote.passed for vote in votes])
    named = next((vote for vote in votes if vote.passed is result), votes[0])
    reason = f"{sum(vote.passed is True for vote in votes)} of {len(votes)} votes: done"
    return Opinion(
        named.model,
        result,
        f"{reason}; {named.reason}" if named.reason else reason,
        tuple(call for vote in votes for call in vote.calls),
        {
            **named.details,
            **({"wall": True} if any(vote.details.get("wall") for vote in votes) else {}),
            "votes": [vote.passed for vote in votes],
        },
    )


def _agreed(opinions: Sequence[Opinion]) -> bool | None:
    """Return the decision that judges agree on, or the third judge's if the first two disagree."""
    if len(opinions) > 2:
        return opinions[-1].passed
    answers = {opinion.passed for opinion in opinions}
    return answers.pop() if len(answers) == 1 else None


def _verdict(scorer: str, opinions: Sequence[Opinion], evidence: dict[str, Any]) -> Verdict:
    judges = [
        {
            "model": opinion.model,
            "passed": opinion.passed,
            "reason": opinion.reason,
            "details": opinion.details,
            "lines": [call.line for call in opinion.calls if call.line is not None],
        }
        for opinion in opinions
    ]
    each = (opinion.details.get("partial_credit") for opinion in opinions)
    known = [credit for credit in each if credit is not None]
    return Verdict(
        _agreed(opinions),
        scorer,
        "   ".join(map(_in_words, opinions)),
        {"judges": judges, **evidence},
        partial_credit=sum(known) / len(known) if known else None,
        calls=tuple(call for opinion in opinions for call in opinion.calls),
    )


def _in_words(opinion: Opinion) -> str:
    answer = {True: "done", False: "not done", None: "cannot tell"}[opinion.passed]
    if opinion.passed is False and opinion.details.get("wall"):
        answer += ", for a wall"
    name = public_name(opinion.model)
    model = name.partition(":")[2] or name
    reason = cut(" ".join(opinion.reason[: 4 * _LONGEST_REASON].split()), _LONGEST_REASON)
    return f'{model}: {answer}, "{reason}"' if reason else f"{model}: {answer}"


def with_own_models(
    verdict: Verdict, judges: Sequence[ModelReference], episode: EpisodeRecord
) -> Verdict:
    """Return a verdict whose evidence names the judges that are also models of the agent."""
    asked = {_bare(call.model.partition(":")[2]) for call in episode.calls}
    asked |= {_bare(call.model) for call in episode.calls}  # programs do not name a provider
    own = [judge.id for judge in judges if _bare(judge.name) in asked]
    if not own or "judges" not in verdict.evidence:
        return verdict
    return replace(verdict, evidence={**verdict.evidence, "own_models": own})


def _bare(name: str) -> str:
    """Return a model's name without its vendor, which resellers put before it."""
    return name.rpartition("/")[2].lower()
