"""Answers from a small closed set: yes and no, on and off, and "none"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.words import CHINESE

if TYPE_CHECKING:
    from pytest_mobileagent.check.answers.reading import PreparedText

_POLARITY = {
    **dict.fromkeys(("yes", "yeah", "yep", "是", "是的", "对", "对的", "true", "有", "有的"), True),
    **dict.fromkeys(("no", "nope", "否", "不是", "不", "不对", "false", "没有", "没"), False),
}
_YES_OR_NO = re.compile(
    rf"(?P<yes>\b(?:yes|yeah|yep|yup|affirmative|indeed|true)\b"
    rf"|(?<![\w{CHINESE}])(?:是的|对的|有的|没错|正确|嗯|(?:是|对|有)(?![^\W\d]?不|没)))"
    rf"|(?P<no>\b(?:no|nope|negative|false)\b(?=\W*$|[,.!;:]| [-\u2013\u2014])"
    rf"|(?<![\w{CHINESE}])(?:不是|不对|不(?=[,.。!;]|\W*$)|没有|没(?!错)|否|未))"
)
_NOT_NOT = re.compile("(?:不是|并非|不会|不能说)(?:没有|不)")
_LEADING_NO = re.compile(r"\W*no\b(?! ?(?:doubt|problem|worries|\d))")
_OPPOSITES = (
    ({"on"}, {"off"}),
    ({"enabled"}, {"disabled"}),
    ({"open", "opened"}, {"closed", "shut"}),
    ({"connected"}, {"disconnected"}),
    ({"checked", "ticked"}, {"unchecked", "unticked"}),
    ({"selected"}, {"unselected", "deselected"}),
    ({"locked"}, {"unlocked"}),
    ({"read"}, {"unread"}),
    ({"available"}, {"unavailable"}),
    ({"active"}, {"inactive"}),
    ({"muted"}, {"unmuted"}),
    ({"installed"}, {"uninstalled"}),
    (
        {"打开", "开启", "启用", "开着", "已开", "开"},
        {"关闭", "关着", "关上", "禁用", "停用", "已关", "关"},
    ),
    ({"连接", "已连接"}, {"断开", "未连接"}),
    ({"静音"}, {"响铃"}),
)
_STATES = {
    word: others
    for one, other in _OPPOSITES
    for words, others in ((one, other), (other, one))
    for word in words
}
_STATED_ON = re.compile(
    r" (?:the|an?|my|your|his|her|its|this|that|these|those|it|top|page|screen|display|behalf|time"
    r"|call|board|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|\w+ \d|\d)\b"
)
_NONE = re.compile(
    r"\A\W*(?:none|nil|nothing|zero)\b(?! of (?!them|these|those|the\b))(?! but)"
    r"|\bnone\b(?: of (?:them|these|those))?(?=\W*$|[.,;!])"
    r"|\b(?:there (?:are|were)|has|have|had|with|contains?|shows?|i see|see|found)"
    r"(?: currently| now)? (?:no|not any|zero) (?:[\w-]+ ){0,2}?[\w-]+s\b(?! (?:about|on|whether))"
    r"|\bthere (?:is|are|were)(?:n['\u2019]?t| not) any\b|\bnot (?:a single one|one single)\b"
    r"|\A\W*no (?:[\w-]+ )?[\w-]+s\W*\Z"
    r"|一[个条封张次位本件部台项首只]?[也都](?:没有?|无)|没有任何|\A\W*(?:没有|无)\W*\Z"
    r"|\A\W*没有(?:任何|未读|未接|新|已)[^,。]{1,10}\W*\Z"
)


def polarity(text: str) -> bool | None:
    """Return whether the text as a whole means yes or no; None if it means neither."""
    return _POLARITY.get(text)


def states_polarity(reading: PreparedText, *, expected: bool) -> bool:
    """Return whether an answer means yes (or no): by its first such word, unless contradicted."""
    named = []
    for found in _YES_OR_NO.finditer(reading.text):
        is_yes = found["yes"] is not None
        if not _is_denied(reading, *found.span()):
            named.append(is_yes)
        elif is_yes:
            return False  # "not yes" is not a clear no either
    if not named and _LEADING_NO.match(reading.text):
        named.append(False)
    if not named or named[0] is not expected or _NOT_NOT.search(reading.text):
        return False
    contrary = re.search(
        r"\b(?:and|or|/) (?:yes|no)\b|\byes\b.*\bno\W*$|\bno\b.*\byes\b", reading.text
    )
    return contrary is None and (len(set(named)) == 1 or not _is_latin(reading.text) or named[0])


def _is_latin(text: str) -> bool:
    return not re.search(f"[{CHINESE}]", text)


def _is_denied(reading: PreparedText, start: int, end: int) -> bool:
    """Return whether a doubt covers a word that is not itself the sign of the doubt."""
    return any(
        doubt.start < end
        and start < doubt.end
        and not (start < doubt.sign_end and doubt.sign < end)
        for doubt in reading.doubts
    )


def is_contradicted(reading: PreparedText, expected: PreparedText) -> bool:
    """Return whether an answer also states the opposite of the expected state."""
    others = _STATES.get("".join(expected.words), set())
    for other in others:
        pattern = re.escape(other) if not _is_latin(other) else rf"\b{re.escape(other)}\b"
        for found in re.finditer(pattern, reading.text):
            if not _is_denied(reading, *found.span()):
                return True
    return False


def is_preposition(reading: PreparedText, expected: PreparedText, end: int) -> bool:
    """Return whether the "on" that ends at a position is a preposition: on the left, on Monday."""
    return expected.words == ("on",) and bool(_STATED_ON.match(reading.text, end))


def states_none(reading: PreparedText) -> bool:
    """Return whether an answer says that there are none, and contains no other number."""
    found = _NONE.search(reading.text)
    if not found or reading.values:
        return False
    return not any(
        doubt.start < found.end()
        and found.start() < doubt.end
        and not (found.start() <= doubt.sign < found.end())
        for doubt in reading.doubts
    )
