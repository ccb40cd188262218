"""The strict parser of judges' replies.

A reply ends with `Result: 1` (done) or `Result: 0` (not done), as in SPA-Bench (arXiv 2410.15164,
appendix D.4.6 and D.4.7); the text before it is the reason. If the question allows it, a reply can
also end with `Result: wall`: not done, because of a log-in page or a CAPTCHA.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_mobileagent.dialect.markers import without_markers

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import ModelReply

_MARKS = "[*_`]{0,3}"
# A result stands on a line of its own, maybe in Markdown or in Chinese: within a sentence, it may
# be denied, supposed or quoted.
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
        UnreadableReplyError: if the last line has no result, the reply was cut off, or the model
            refused.
    """
    lines = _lines(reply)
    last = _RESULT.fullmatch(lines[-1].strip())
    if last is None or (_is_wall(last) and not wall):
        raise UnreadableReplyError("its last line is not a result")
    reason = _reason(lines[:-1])
    return JudgeResult(last["passed"] == "1", reason, _is_wall(last))


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

    The reply must end with one line `NUMBER: 1` or `NUMBER: 0` for each statement; with `wall`,
    `Result: wall` may follow.

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
