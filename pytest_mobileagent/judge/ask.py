"""The fine stage: one model judges whether the goal of an episode was met.

A model can also judge whether an answer is a paraphrase of the expected one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_mobileagent.episode.exchanges import ExchangeLog
from pytest_mobileagent.episode.redaction import redacted
from pytest_mobileagent.episode.screens import FOLDER, ScreenStore
from pytest_mobileagent.errors import JudgeError
from pytest_mobileagent.jsonable import printable
from pytest_mobileagent.judge.evidence import windows
from pytest_mobileagent.judge.prompts import wording_of
from pytest_mobileagent.judge.question import (
    UnreadableReplyError,
    read_notes,
    read_result,
    read_statements,
)
from pytest_mobileagent.llm.fence import Data, sealed
from pytest_mobileagent.llm.model import Message, ModelUnavailable, RequestRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pytest_mobileagent.episode import EpisodeRecord
    from pytest_mobileagent.episode.calls import ModelCall
    from pytest_mobileagent.judge.prompts import Wording
    from pytest_mobileagent.judge.question import Question
    from pytest_mobileagent.llm.fence import Part
    from pytest_mobileagent.llm.metered import EpisodeModels, MeteredModel
    from pytest_mobileagent.llm.model import Client, Model, ModelReply
    from pytest_mobileagent.llm.reference import ModelReference


@dataclass(frozen=True, slots=True)
class Opinion:
    """One model's opinion of an episode.

    - `model`: the model's name, PROVIDER:NAME.
    - `passed`: whether the goal was met; None if the model cannot tell, or its votes are tied.
    - `reason`: the reason in the model's words; empty if it gave none.
    - `calls`: all calls, including repairs, whose `line` is that in the episode's judges.jsonl.
    - `details`: JSON-able details of the decision: subtasks, statements of a rubric, votes.
    """

    model: str
    passed: bool | None
    reason: str = ""
    calls: tuple[ModelCall, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


STREAM = "judges.jsonl"  # prompts and replies, beside the episode's calls.jsonl
ROLE = "judge"


def judge_models(
    references: Sequence[ModelReference],
    models: EpisodeModels,
    *,
    folder: Path | None = None,
    clients: Mapping[ModelReference, Client] | None = None,
    calls: list[ModelCall] | None = None,
) -> list[MeteredModel]:
    """Return the judge models of one episode, which share its spending.

    If the episode's `folder` is given, prompts and replies are recorded in it, their pictures in
    the run's folder of screens, and all calls in `calls`. `clients` replace those of some models.

    Raises:
        ValueError: if a model cannot be reached from here.
    """
    recorded = replace(
        models,
        clients=clients or models.clients,
        log=None if folder is None else ExchangeLog(folder, STREAM, calls),
        pictures=None if folder is None else ScreenStore(folder.parent.parent / FOLDER),
    )
    return [recorded.metered(each, ROLE) for each in references]


MOST_TOKENS = 4096  # reasoning counts as output, too, however short the reply is
_SHOWN = 200  # characters of an unreadable reply

T = TypeVar("T")


def converse(
    model: Model, messages: Sequence[Message], parse: Callable[[ModelReply], T], repair: str
) -> tuple[T, tuple[ModelCall, ...]]:
    """Ask a model, and return its reply as parsed by `parse`, and all calls that were made.

    If `parse` cannot read the reply, the model is asked once more with the message `repair`. The
    temperature is 0, as in SPA-Bench; clients leave it out for models that refuse it.

    Raises:
        JudgeError: if the model does not answer, refuses the request, or stays unreadable.
        BudgetSpent: if the budget is spent; this is not an `Exception`.
    """
    first = reply_of(model, messages)
    try:
        return parse(first), (first.call,)
    except UnreadableReplyError as error:
        unread = error
    # Providers refuse messages without content.
    unreadable = [first.message] if first.text.strip() else []
    try:
        second = reply_of(model, [*messages, *unreadable, Message("user", (repair,))])
    except JudgeError as error:
        msg = f"{_unreadable(model, first, unread)}. Asked to repair it: {error}"
        raise JudgeError(msg) from error
    try:
        return parse(second), (first.call, second.call)
    except UnreadableReplyError as error:
        raise JudgeError(_unreadable(model, second, error)) from error


def _unreadable(model: Model, reply: ModelReply, error: UnreadableReplyError) -> str:
    """Return a message about why a reply cannot be read, with its end."""
    text = printable(redacted(reply.text.strip()))
    end = text if len(text) <= _SHOWN else f"…{text[-_SHOWN:]}"
    return f"judge {model.name}: its reply cannot be read, as {error}: {end!r}"


def reply_of(model: Model, messages: Sequence[Message]) -> ModelReply:
    """Return a model's reply, at temperature 0.

    Raises:
        JudgeError: if the model does not answer, or refuses the request.
    """
    try:
        return model.complete(messages, max_tokens=MOST_TOKENS, temperature=0.0)
    except ModelUnavailable as error:
        raise JudgeError(f"judge {model.name} does not answer: {error}") from error
    except RequestRefusedError as error:
        raise JudgeError(f"judge {model.name} refuses the request: {error}") from error


_LONGEST = 8000  # characters of an answer, or of notes
_QUERIES = ("single-frame query", "multi-frame query")
_MAY_ASK = ("cross-app", "open-ended")  # goals that may ask for an answer


def ask(
    model: Model,
    question: Question,
    episode: EpisodeRecord,
    *,
    history: str = "",
    screens: range | None = None,
    task: str | None = None,
    is_last: bool = False,
) -> Opinion:
    """Ask a model whether the goal of an episode was met, and return its opinion.

    The prompt is in the language of the task. `task`, `screens` and `history` restrict it to a part
    of the episode: the subtask, its indices in `episode.screens`, and notes on earlier parts. The
    agent's answer belongs to the part that `is_last`, wherever the agent gave it. With a rubric,
    the model judges each statement, and the result follows from these.

    An episode that is too long for one request is split into windows: the model takes notes on
    each window, receives them with the next one, and judges at the last. A goal met in some window
    (as in A3's first release) is not enough: its parts may be in several, and be undone later.

    Raises:
        JudgeError: if the model does not answer, or unreadably, or there is nothing to show.
        BudgetSpent: if the budget is spent; this is not an `Exception`.
    """
    language = episode.case.task.language
    asked, wording = question.for_language(language), wording_of(language)
    sees_end = is_last or screens is None or len(episode.screens) - 1 in screens
    answer = _answer(episode, wording) if sees_end else []
    head = [*_task(episode, wording, history, task), *answer]
    calls: list[ModelCall] = []
    notes = ""
    parts = windows(asked, episode, screens, wording)
    for evidence, later in parts[:-1]:
        closing: list[Part] = [wording.take_notes.replace("{COUNT}", str(later))]
        messages = _messages([*head, *_notes(notes, wording), *evidence], closing, asked, wording)
        notes, more = converse(model, messages, read_notes, wording.repair_notes)
        calls += more
    judge = _judge_statements if asked.rubric else _judge_goal
    opinion = judge(model, asked, [*head, *_notes(notes, wording), *parts[-1][0]], wording)
    details = {"windows": len(parts)} if len(parts) > 1 else {}
    return replace(opinion, calls=(*calls, *opinion.calls), details={**details, **opinion.details})


def _judge_goal(model: Model, question: Question, parts: list[Part], wording: Wording) -> Opinion:
    """Ask whether the goal was met."""
    form = wording.with_reason if question.reason else wording.result_only
    wall = [wording.wall] if question.wall else []
    closing: list[Part] = [wording.ask, form, *wall, _reminders(question, wording)]
    messages = _messages(parts, closing, question, wording)
    parse = partial(read_result, wall=question.wall)
    result, calls = converse(model, messages, parse, wording.repair_result)
    details = {"wall": True} if result.is_wall else {}
    return Opinion(model.name, result.passed, result.reason, calls, details)


def _judge_statements(
    model: Model, question: Question, parts: list[Part], wording: Wording
) -> Opinion:
    """Ask about each statement of a rubric: all must be true, except those with "must not"."""
    count = len(question.rubric)
    statements = [_as_statement(text) for text in question.rubric]
    lines = (" ".join(text.split()) for text, _ in statements)
    listed = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1))
    closing: list[Part] = [
        wording.statements,
        Data("statements", listed),
        *([wording.statements_reason] if question.reason else []),
        wording.statements_form.replace("{COUNT}", str(count)),
        *([wording.statements_wall] if question.wall else []),
        _reminders(question, wording),
    ]
    messages = _messages(parts, closing, question, wording)
    repair = wording.repair_statements.replace("{COUNT}", str(count))
    parse = partial(read_statements, count=count, wall=question.wall)
    read, calls = converse(model, messages, parse, repair)
    each = zip(read.came_true, statements, strict=True)
    held = [true is not must_not for true, (_, must_not) in each]
    outcomes = list(zip(question.rubric, held, strict=True))
    judged = [{"statement": text, "held": each} for text, each in outcomes]
    details: dict[str, Any] = {"statements": judged, "partial_credit": sum(held) / count}
    if read.is_wall and not all(held):
        details["wall"] = True
    lacking = "; ".join(text for text, each in outcomes if not each)
    reason = read.reason or (lacking and f"does not hold: {lacking}")
    return Opinion(model.name, all(held), reason, calls, details)


def _as_statement(text: str) -> tuple[str, bool]:
    """Return a statement without its "must not", and whether it had one."""
    for prefix in ("must not ", "not "):
        if text.strip().lower().startswith(prefix):
            return text.strip()[len(prefix) :], True
    return text, False


def _task(episode: EpisodeRecord, wording: Wording, history: str, task: str | None) -> list[Part]:
    """Return the parts before the screens: the task, and notes on earlier parts."""
    head: list[Part] = [wording.goal, Data("task", episode.whole_goal)]
    if task is not None:
        head += [wording.part, Data("part", task)]
    if history.strip():
        head += [wording.history, Data("history", _cut(history))]
    return head


def _answer(episode: EpisodeRecord, wording: Wording) -> list[Part]:
    """Return the agent's answer if the goal asks for one; otherwise it only claims success."""
    kind = episode.case.task.kind
    if episode.answer.strip() and kind in (*_QUERIES, *_MAY_ASK):
        return [wording.answer, Data("answer", _cut(episode.answer))]
    return [wording.no_answer] if kind in _QUERIES else []


def _cut(text: str) -> str:
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]}… ({more} more characters)"


def _notes(notes: str, wording: Wording) -> list[Part]:
    return [wording.notes, Data("notes", _cut(notes))] if notes else []


def _messages(
    parts: list[Part], closing: list[Part], question: Question, wording: Wording
) -> list[Message]:
    """Return the system and the user message, with all untrusted text fenced."""
    of_actions = () if question.actions == "none" else wording.action_rules
    rules = f"{wording.role}\n\n{_list((*wording.rules, *of_actions))}"
    return sealed(rules, wording.guard, [*parts, *closing])


def _reminders(question: Question, wording: Wording) -> str:
    """Return the end of a prompt, after the form of the reply (SPA-Bench, appendix D.4.3)."""
    of_actions = () if question.actions == "none" else wording.action_reminders
    return _list((*wording.reminders, *of_actions, wording.data_reminder))


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


_ROLE = "You decide whether two answers to a question mean the same."
_RULES = (
    "The answers may differ in wording, order, language and notation. Numbers, dates, names and "
    "amounts must be the same: if one is rounded, vague or missing, the answers differ. Additional "
    "information in the given answer does not matter unless it contradicts the expected answer."
)
_FORM = (
    "Reply with a single line and nothing else: `Result: 1` if the given answer says what is "
    "expected, `Result: 0` if it does not."
)


def is_paraphrase(model: Model, question: str, answer: str, expected: str) -> bool:
    """Return whether a model considers an answer a paraphrase of the expected one.

    Raises:
        JudgeError: if the model does not answer, or its reply is unreadable.
        BudgetSpent: if the budget is spent; this is not an `Exception`.
    """
    if not answer.strip():
        return False
    wording = wording_of("en")
    parts: list[Part] = [
        *("The question:", Data("question", question)),
        *("The expected answer:", Data("expected", expected)),
        *("The given answer:", Data("given", answer)),
        _FORM,
    ]
    messages = sealed(f"{_ROLE}\n\n{_RULES}", wording.guard, parts)
    result, _ = converse(model, messages, read_result, wording.repair_result)
    return result.passed
