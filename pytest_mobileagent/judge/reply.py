"""The reading of a judge's reply: strictly, or not at all.

A reply ends with `Result: 1` (done) or `Result: 0` (not done), as SPA-Bench demands it (arXiv
2410.15164, appendix D.4.6 and D.4.7); what stands before it is the reason.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_mobileagent.llm.model import ModelReply

_MARKS = "[*_`]{0,3}"
# Judges that answer in Markdown or in Chinese say the same; nothing else is read as a result. A
# reason may stand before it on the same line, but not as a quotation that the result is part of.
_RESULT = re.compile(
    rf"(?P<before>|(?![>|]).*[\s.。…!！?？,，;；:：)）])"
    rf"{_MARKS}(?:Result|结果){_MARKS}\s*[:：]{_MARKS}\s*{_MARKS}(?P<passed>[01]){_MARKS}[.。]?{_MARKS}",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    rf"{_MARKS}(\d{{1,4}}){_MARKS}\s*[:：]{_MARKS}\s*{_MARKS}([01]){_MARKS}[.。]?{_MARKS}"
)
# A line that is quoted, listed or indented is no statement's, but it is in doubt which one counts.
_QUOTING = " \t>|-•`\"'“”「」"
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_REASON = re.compile(r"\A[*_]{0,2}(?:Reason|理由|原因)[*_]{0,2}\s*[:：][*_]{0,2}\s*", re.IGNORECASE)


class UnreadableError(ValueError):
    """A reply has no result that can be relied on; the text says why."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a reply says: whether the goal was met, and why; the reason may be empty."""

    passed: bool
    reason: str = ""


def read_result(reply: ModelReply) -> Result:
    """Return the result in a reply: the last `Result:`, with which its last line has to end.

    What a judge quotes, or reconsiders, on the way there is part of its reason.

    Raises:
        UnreadableError: the last line has no result; the reply was cut off, or the model refused.
    """
    lines = _lines(reply)
    last = _RESULT.fullmatch(lines[-1].strip())
    if last is None:
        msg = "its last line is no result"
        raise UnreadableError(msg)
    return Result(last["passed"] == "1", _reason([*lines[:-1], last["before"]]))


def read_statements(reply: ModelReply, count: int) -> tuple[tuple[bool, ...], str]:
    """Return whether each of `count` numbered statements is true, and the reason.

    There has to be one line `NUMBER: 1` or `NUMBER: 0` for each, at the end of the reply.

    Raises:
        UnreadableError: a line is missing; the reply was cut off, or the model refused.
    """
    lines = _lines(reply)
    found = [_STATEMENT.fullmatch(line.strip()) for line in lines[-count:]]
    said = {int(each[1]): each[2] == "1" for each in found if each is not None}
    if len(found) != count or set(said) != set(range(1, count + 1)):
        msg = f"its last lines are not those of the statements 1 to {count}"
        raise UnreadableError(msg)
    if any(_STATEMENT.fullmatch(line.strip(_QUOTING)) for line in lines[:-count]):
        msg = "it has more than one line for a statement"
        raise UnreadableError(msg)
    return tuple(said[number] for number in range(1, count + 1)), _reason(lines[:-count])


def read_notes(reply: ModelReply) -> str:
    """Return a reply that no program has to interpret, such as notes.

    Raises:
        UnreadableError: it is empty or cut off, or the model refused.
    """
    return "\n".join(_lines(reply)).strip()


def _lines(reply: ModelReply) -> list[str]:
    """Return the lines of a whole reply, the last one not empty, without a model's thoughts."""
    if reply.stop == "length":
        msg = "it was cut off"
        raise UnreadableError(msg)
    if reply.stop == "refusal":
        msg = "the model refused to answer"
        raise UnreadableError(msg)
    text = _THOUGHTS.sub("", reply.text).strip()
    if not text:
        msg = "it is empty"
        raise UnreadableError(msg)
    return text.splitlines()


def _reason(lines: list[str]) -> str:
    return _REASON.sub("", "\n".join(lines).strip()).strip()
