"""The question that judges answer about an episode, the evidence that they see, and their reply.

A reply ends with `Result: 1` (done) or `Result: 0` (not done), as in SPA-Bench (arXiv 2410.15164,
appendix D.4.6 and D.4.7); the text before it is the reason. If the question allows it, a reply can
also end with `Result: wall`: not done, because of a log-in page or a CAPTCHA. It is read strictly.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from pytest_mobileagent.dialect.parts import without_markers
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.jsonable import to_wire

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_mobileagent.llm.model import ModelReply


Actions = Literal["text", "image", "none"]
Evidence = Literal["screens", "xml"]
ACTIONS = ("text", "image", "none")
EVIDENCE = ("screens", "xml")


@dataclass(frozen=True, slots=True)
class Subtask:
    """A part of a cross-app task, done in one app (SPA-Bench, arXiv 2410.15164, appendix E.1).

    - `app`: the package in which it is done, or several, separated by |; `task`: what to do there.
    - `history`: whether it depends on the notes about an earlier subtask.
    - `memory`: what a judge must note about this subtask for later ones; empty for nothing.

    Raises:
        TaskError: if a field is invalid.
    """

    app: str
    task: str
    history: bool = False
    memory: str = ""

    def __post_init__(self) -> None:
        for name in ("app", "task", "memory"):
            value = getattr(self, name)
            if not isinstance(value, str) or not (value.strip() or name == "memory"):
                raise TaskError(f"subtask: {name}={value!r} must be a string")
        if not isinstance(self.history, bool):
            raise TaskError(f"subtask: history={self.history!r} must be True or False")


@dataclass(frozen=True, slots=True)
class Question:
    """The question to judges about an episode, other than its goal, and the evidence that they see.

    - `key_components`: texts that the final screen of a success shows. Unless one screenshot shows
      all of them, the task failed, and no model is asked (SPA-Bench, section 5.2 and appendix D.1).
    - `rubric`: statements that must be true, or false if they begin with "not " or "must not ".
    - `subtasks`: the parts of a cross-app task, judged in order (SPA-Bench, appendix E).
    - `actions`: how judges see the agent's actions: as `text`, drawn into the `image`, or not at
      all (`none`). None: as is best for the language (SPA-Bench, Table 9); `none` for hierarchies.
    - `evidence`: `screens` for screenshots, `xml` for view hierarchies (A3, arXiv 2501.01149,
      section 3.4.2).
    - `reason`: whether judges give a reason before the result; None: as is best for the language.
    - `window`: the maximum number of screenshots in a request, at least 2. Each request begins with
      the last one of the previous request (A3, section 3.4.2: 4). None: as many as models accept.
    - `wall`: whether judges may report that a log-in page or a CAPTCHA kept the agent from the
      goal; such a wall is then tried (docs/walls.md).

    Raises:
        TaskError: if a field is invalid.
    """

    key_components: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()
    subtasks: tuple[Subtask, ...] = ()
    actions: Actions | None = None
    evidence: Evidence = "screens"
    reason: bool | None = None
    window: int | None = None
    wall: bool = False

    def __post_init__(self) -> None:
        for name in ("key_components", "rubric"):
            texts = getattr(self, name)
            whole = isinstance(texts, tuple) and all(
                isinstance(t, str) and t.strip() for t in texts
            )
            if not whole:
                raise TaskError(f"judge: {name}={texts!r} must be a list of texts")
        if not isinstance(self.subtasks, tuple) or not all(
            isinstance(each, Subtask) for each in self.subtasks
        ):
            raise TaskError(f"judge: subtasks={self.subtasks!r} must be a list of subtask(…)")
        if self.actions is not None and self.actions not in ACTIONS:
            raise TaskError(f"judge: actions={self.actions!r} is not one of {', '.join(ACTIONS)}")
        if self.evidence not in EVIDENCE:
            msg = f"judge: evidence={self.evidence!r} is not one of {', '.join(EVIDENCE)}"
            raise TaskError(msg)
        for name, value in (("reason", self.reason), ("wall", self.wall)):
            if not isinstance(value, bool) and (name, value) != ("reason", None):
                raise TaskError(f"judge: {name}={value!r} must be True or False")
        if self.window is not None and (type(self.window) is not int or self.window < 2):
            msg = f"judge: window={self.window!r} must be a number of screenshots, at least 2"
            raise TaskError(msg)
        if self.rubric and self.subtasks:
            raise TaskError("judge: a task has either a rubric or subtasks")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Question:
        """Return the question with the given fields; lists become tuples.

        Raises:
            TaskError: if an argument is unknown or invalid.
        """
        known = cls.__dataclass_fields__
        if unknown := [name for name in given if name not in known]:
            msg = f"judge() has no argument {unknown[0]!r} (available: {', '.join(known)})"
            raise TaskError(msg)
        lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
        return cls(**{**given, **lists})

    def to_json(self) -> dict[str, Any]:
        """Return the question as JSON-able data for `from_json`, without default values."""
        given = dict(to_wire(asdict(self)))
        return {name: value for name, value in given.items() if value != _BY_DEFAULT[name]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Question:
        """Return the question from data that `to_json` has returned.

        Raises:
            TaskError, TypeError: if the data is not a question, or is from another version.
        """
        subtasks = tuple(Subtask(**each) for each in data.get("subtasks", ()))
        return cls.of({**data, "subtasks": subtasks})

    def for_language(self, language: str) -> Question:
        """Return the question with open settings filled in by the best mode in SPA-Bench's Table 9.

        English: actions in the image, and the result only. Chinese: actions as text, and a reason
        first. With view hierarchies, judges do not see the actions, as in A3.
        """
        chinese = language.partition("-")[0].lower() == "zh"
        best: Actions = "text" if chinese else "image"
        actions: Actions = self.actions or ("none" if self.evidence == "xml" else best)
        reason = chinese if self.reason is None else self.reason
        return replace(self, actions=actions, reason=reason)


_BY_DEFAULT: dict[str, Any] = dict(to_wire(asdict(Question())))


def subtask(app: str, task: str, *, history: bool = False, memory: str = "") -> Subtask:
    """Describe a part of a cross-app task for a judge (see `Subtask`)."""
    return Subtask(app, task, history, memory)


_MARKS = "[*_`]{0,3}"
# A result has a line of its own, maybe in Markdown: in a sentence, it may be denied or quoted.
_RESULT = re.compile(
    rf"{_MARKS}(?:Result|结果){_MARKS}\s*[:：]{_MARKS}\s*{_MARKS}(?P<passed>[01]|wall){_MARKS}[.。]?{_MARKS}",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    rf"{_MARKS}(\d{{1,4}}){_MARKS}\s*[:：]{_MARKS}\s*{_MARKS}([01]){_MARKS}[.。]?{_MARKS}"
)
# A quoted, listed or indented line does not answer a statement, but makes the answer ambiguous.
_QUOTING = " \t>|-•`\"'“”「」"
_FENCE = re.compile(r"(?m)^[ \t]*```\w*[ \t]*$\n?")
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_REASON = re.compile(r"\A[*_]{0,2}(?:Reason|理由|原因)[*_]{0,2}\s*[:：][*_]{0,2}\s*", re.IGNORECASE)


class UnreadableReplyError(ValueError):
    """A reply has no reliable result; the message says why."""


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """A reply's result: whether the goal was met, and the reason, which may be empty.

    `is_wall`: whether the goal was not met because of a log-in page or a CAPTCHA.
    """

    passed: bool
    reason: str = ""
    is_wall: bool = False


def read_result(reply: ModelReply, *, wall: bool = False) -> JudgeResult:
    """Return the result in a reply: its last line, which must consist of it.

    Special tokens and a code fence around it do not count. Earlier results, which a judge quotes or
    reconsiders, are part of its reason. `wall`: whether `Result: wall` is allowed.

    Raises:
        UnreadableReplyError: if the last line is no result, or the reply was cut off or refused.
    """
    lines = _lines(reply)
    last = _RESULT.fullmatch(lines[-1].strip())
    if last is None or (_is_wall(last) and not wall):
        raise UnreadableReplyError("its last line is not a result")
    return JudgeResult(last["passed"] == "1", _reason(lines[:-1]), _is_wall(last))


def _is_wall(result: re.Match[str] | None) -> bool:
    return result is not None and result["passed"].lower() == "wall"


@dataclass(frozen=True, slots=True)
class Statements:
    """Whether each statement of a rubric is true, the reason, and `is_wall` (see `JudgeResult`)."""

    came_true: tuple[bool, ...]
    reason: str = ""
    is_wall: bool = False


def read_statements(reply: ModelReply, count: int, *, wall: bool = False) -> Statements:
    """Return a reply's results for `count` numbered statements.

    It must end with `NUMBER: 1` or `NUMBER: 0` for each; with `wall`, `Result: wall` may follow.

    Raises:
        UnreadableReplyError: if a line is missing, the reply was cut off, or the model refused.
    """
    lines = _lines(reply)
    is_wall = wall and _is_wall(_RESULT.fullmatch(lines[-1].strip()))
    if is_wall:
        lines = "\n".join(lines[:-1]).rstrip().splitlines()
    found = [_STATEMENT.fullmatch(line.strip()) for line in lines[-count:]]
    results = {int(each[1]): each[2] == "1" for each in found if each is not None}
    if len(found) != count or set(results) != set(range(1, count + 1)):
        raise UnreadableReplyError(f"its last lines are not the results of statements 1 to {count}")
    if any(_STATEMENT.fullmatch(line.strip(_QUOTING)) for line in lines[:-count]):
        raise UnreadableReplyError("it has more than one line for a statement")
    came_true = tuple(results[number] for number in range(1, count + 1))
    return Statements(came_true, _reason(lines[:-count]), is_wall)


def read_notes(reply: ModelReply) -> str:
    """Return the text of a reply that is not parsed, such as notes.

    Raises:
        UnreadableReplyError: if the reply is empty or cut off, or the model refused.
    """
    return "\n".join(_lines(reply)).strip()


def _lines(reply: ModelReply) -> list[str]:
    """Return the lines of a complete reply without the model's thinking; the last is not empty."""
    if reply.stop == "length":
        raise UnreadableReplyError("it was cut off")
    if reply.stop == "refusal":
        raise UnreadableReplyError("the model refused to answer")
    text = _FENCE.sub("", _THOUGHTS.sub("", without_markers(reply.text))).strip()
    if not text:
        raise UnreadableReplyError("it is empty")
    return text.splitlines()


def _reason(lines: list[str]) -> str:
    return _REASON.sub("", "\n".join(lines).strip()).strip()
