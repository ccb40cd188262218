"""The user whom agents can ask: prepared answers, or a model that knows the whole goal.

This module describes the user of a task; `run.user` plays it in an episode.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_mobileagent._task.wording import display_path, fill
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import why_unreadable

if TYPE_CHECKING:
    from pytest_mobileagent.screen import Screen


NO_USER = "The user does not answer."
THRESHOLD = 60.0  # minimum similarity of a question to a known question, from 0 to 100
SAME = 90.0  # minimum similarity at which a question counts as a repetition of another
MODES = ("asked", "told", "silent")


@dataclass(frozen=True, slots=True)
class ExpectedQuestion:
    """A question that the user expects, and the answer.

    - `question`: "" for any question on the `page`, or in the `step`.
    - `page`: where the question may be asked: the id of a recorded page, an activity, or the
      criteria of an element on it (see `Selector`), as pairs of name and value; "" for any page.
    - `step`: the number of the step, from 1, in which it may be asked; None for any step.
    - `task`: the id of the only task that the pair belongs to; "" for any task.
    - `is_literal`: whether braces in the texts are no placeholders, as in texts that people wrote.
    """

    question: str
    answer: str
    page: str | tuple[tuple[str, Any], ...] = ""
    step: int | None = None
    task: str = ""
    is_literal: bool = False

    def fits(self, screen: Screen, step: int, task: str = "") -> bool:
        """Return whether the question may be asked on this screen, in this step, of this task."""
        if self.step not in {None, step} or (self.task and self.task != task):
            return False
        if isinstance(self.page, tuple):
            return bool(screen.find_all(**dict(self.page)))
        activity = screen.activity.rpartition("/")[2]
        is_there = activity == self.page or activity.endswith(f".{self.page.lstrip('.')}")
        return (
            not self.page
            or self.page in {getattr(screen, "page", ""), screen.activity}
            or (bool(activity) and is_there)
        )

    def filled(self, values: Mapping[str, Any]) -> ExpectedQuestion:
        """Return the pair with its placeholders filled (see `wording.fill`)."""
        if self.is_literal:
            return self
        question, answer = (fill(text, values) for text in (self.question, self.answer))
        return replace(self, question=question, answer=answer, is_literal=True)


@dataclass(frozen=True, slots=True)
class Questions:
    """A user with prepared answers, who gives the answer to the most similar known question.

    Below the similarity `threshold` (see `question_similarity`) the user does not answer.
    """

    pairs: tuple[ExpectedQuestion, ...] = ()
    threshold: float = THRESHOLD


@dataclass(frozen=True, slots=True)
class Person:
    """A user played by a model, in the role `user`.

    - `full`: everything that the user wants, as a template like a goal.
    - `may_say`: facts that the user may reveal, one per question; by default those in `full`.
    """

    full: str
    may_say: tuple[str, ...] = ()


User: TypeAlias = "str | Mapping[str, str] | Questions | Person"
_KEYS = {"question", "answer", "page", "step", "task"}
_OTHERS = {"who", "when"}  # keys that the review page adds


def questions(
    pairs: Iterable[Any] = (), *, file: str | Path | None = None, threshold: float = THRESHOLD
) -> Questions:
    """Return a user with prepared answers: pairs of question and answer.

    Each pair is a tuple `("Which colour?", "Green.")`, or a dictionary with "question", "answer",
    and optionally where the question may be asked: "page" (the id of a recorded page, an activity,
    or the criteria of an element on the page, as a dictionary) and "step" (from 1). With either of
    these, "question" may be left out: the answer is then given to any question there that no other
    pair answers. The texts may have placeholders, like goals.

    `file` is a JSONL file with more such pairs, possibly for many tasks: "task" names the task that
    a line belongs to. The review page writes its answers to a run's questions there
    (docs/vague-goals.md). A relative path is resolved against the folder of the calling file.

    Raises:
        TaskError: if the file cannot be read or a pair is invalid, such as one without an answer.
    """
    if not isinstance(pairs, Iterable) or isinstance(pairs, str | Mapping):
        raise TaskError(f"questions({pairs!r}) must be a list of pairs of question and answer")
    found = [_pair(each, f"questions([…]): pair {n}") for n, each in enumerate(pairs, 1)]
    if file is not None:
        caller = Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - as in `rows`
        found += _pairs_in(caller / file)
    if not isinstance(threshold, int | float) or not 0 < threshold <= 100:
        raise TaskError(f"questions([…], threshold={threshold!r}) must be above 0, and at most 100")
    return Questions(tuple(found), float(threshold))


def person(full: str, may_say: Sequence[str] = ()) -> Person:
    """Return a user played by a model, in the role `user`, that knows the `full` goal.

    The user answers only the question asked, and reveals one fact of `may_say` per question.

    Raises:
        TaskError: if `full` is not a string, or `may_say` is not a list of strings.
    """
    if not isinstance(full, str) or not full.strip():
        raise TaskError(f"person({full!r}) needs the whole goal in words")
    is_listed = isinstance(may_say, Sequence) and not isinstance(may_say, str)
    if not is_listed or not all(isinstance(fact, str) and fact.strip() for fact in may_say):
        raise TaskError(f"person(…, may_say={may_say!r}) must be a list of texts")
    return Person(full, tuple(may_say))


def _pair(given: Any, where: str, *, is_literal: bool = False) -> ExpectedQuestion:
    """Return the pair that a tuple or a dictionary describes.

    Raises:
        TaskError: if the value does not describe a pair.
    """
    if isinstance(given, ExpectedQuestion):
        given = {name: getattr(given, name) for name in _KEYS}
    elif isinstance(given, tuple | list) and len(given) in {1, 2}:
        given = dict(zip(("question", "answer"), given, strict=False))
    if not isinstance(given, Mapping) or (unknown := sorted(given.keys() - _KEYS - _OTHERS)):
        what = f"has {unknown[0]!r}" if isinstance(given, Mapping) else f"is {given!r}"
        known = ", ".join(sorted(_KEYS))
        raise TaskError(f"{where} {what}; a pair is (question, answer), or may only have {known}")
    step, task = given.get("step"), given.get("task") or ""
    page: Any = given.get("page") or ""
    texts = {name: given.get(name) for name in ("question", "answer")}
    for name, text in texts.items():
        if name == "question" and not text and (page or step):
            continue
        if not isinstance(text, str) or not text.strip():
            asked = f" to {texts['question']!r}" if name == "answer" and texts["question"] else ""
            raise TaskError(f"{where} has no {name}{asked}")
    if step is not None and (type(step) is not int or step < 1):
        raise TaskError(f"{where}: step={step!r} must be a whole number from 1")
    if not isinstance(page, str):
        if not isinstance(page, Mapping | tuple):
            raise TaskError(f"{where}: page={page!r} must be a string, or criteria of an element")
        from pytest_mobileagent.screen.selector import Selector

        page = tuple(dict(Selector.of(dict(page)).criteria).items())
    question, reply = str(texts["question"] or ""), str(texts["answer"])
    return ExpectedQuestion(question, reply, page, step, str(task), is_literal)


def _pairs_in(file: Path) -> list[ExpectedQuestion]:
    from pytest_mobileagent.fileio import parse_json

    path = display_path(file)
    try:
        lines = file.read_text("utf-8-sig").split("\n")
    except FileNotFoundError:
        raise TaskError(f"there is no file {path} of answers: create an empty one first") from None
    except (OSError, ValueError) as error:
        raise TaskError(f"cannot read the answers in {path}: {error}") from error
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                given = parse_json(line)
            except (ValueError, RecursionError) as error:
                raise TaskError(f"{where} is not JSON: {why_unreadable(error)}") from error
            found.append(_pair(given, where, is_literal=True))
    return found


def user_of_cell(value: Any) -> User:
    """Return the user that a table cell describes: one answer, or a list of pairs.

    Raises:
        ValueError: if the value is neither.
        TaskError: if a pair is invalid, for example without an answer.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        raise ValueError(value)
    return questions(value)


# Words that appear in most questions, whatever they ask for.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """a an any and are as at be by can could do does done exactly for from have how i if in
        into is it its kind like may me my need of on one or particular please prefer say shall
        should so some specific tell that the their them there this to up us use used using want
        wanted was we were what which whose will with would you your""",
    )
)
_COMMON_CHINESE = re.compile(
    "请问|请|您|你|我们|我|需要|需|想要|想|要|应该|该|可以|能否|能|是否|哪一个|哪个|哪些|哪里|哪儿|哪家|哪种|哪|"
    "什么|怎么|怎样|多少|几|吗|呢|吧|啊|的|了|是|有|一个|个|在|用|把|给|告诉|知道"
)
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")


def words_of(text: str) -> list[str]:
    """Return the content words of the text, or all of its words if it has none.

    Chinese, which has no spaces, is split at its common words.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    every = _WORD.findall(folded)
    words = [w for w in _WORD.findall(_COMMON_CHINESE.sub(" ", folded)) if w not in _COMMON]
    return words or every


def question_similarity(one: str, other: str) -> float:
    """Return the similarity of two questions, from 0 to 100, by their content words in any order.

    This is the mean of rapidfuzz's `token_set_ratio`, which treats a question as similar to any
    part of it, and `token_sort_ratio`, which penalises the extra words. Each Chinese character
    counts as a word.
    """
    from rapidfuzz import fuzz  # heavy, so imported only when needed

    first, second = (
        " ".join(" ".join(w) if re.match(f"[{_CJK}]", w) else w for w in words_of(text))
        for text in (one, other)
    )
    if not first or not second:
        return 0.0
    return (fuzz.token_set_ratio(first, second) + fuzz.token_sort_ratio(first, second)) / 2


def says(known: str, text: str) -> bool:
    """Return whether `known` covers the text: whether it contains all of its content words."""
    within = unicodedata.normalize("NFKC", known).casefold()
    words = set(_WORD.findall(within))
    return all(
        word in (within if re.match(f"[{_CJK}]", word) else words) for word in words_of(text)
    )
