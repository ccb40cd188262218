"""Parts of an answer that are denied, questioned, only supposed, or taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_mobileagent.check.answers.doubts import Doubt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_mobileagent.check.answers.doubts import Value

Span = tuple[int, int]

_SENTENCE_END = re.compile(
    r"[!?。;\u203d]+|\.{2,}|(?<!\b[ap]\.m)(?<!\b[ap])(?<!\bapprox)(?<!\bno)(?<!\bca)(?<!\bvs)(?<!\bmr)"
    r"(?<!\bdr)(?<!\bst)(?<!e\.g)(?<!i\.e)\.(?=[\s\"'\u201d\u2019)]|$)"
)
_CLAUSE_END = re.compile(
    r",(?!\d)|[()\u2014]| [-\u2013] |\b(?:(?<!anything )(?<!nothing )but|however|although|though"
    r"|whereas|while|because|so(?! (?:far|many|much)))\b"
    r"|但是?|不过|然而|而是|而(?!且)|可是|因为|所以"
)
_CONTRACTED = (
    r"(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should|must|need|ai)"
    r"n['\u2019]?t"
)
_NOT = re.compile(
    rf"\b(?:not|never|neither|nor|cannot|without|hardly|barely|scarcely|none|nobody|nothing"
    r"|no longer|except(?: for)?|excluding|other than|apart from|besides|instead of|rather than"
    r"|unlike|anything but|fail(?:s|ed)? to|unable to|(?:far|different) from|as opposed to"
    rf"|{_CONTRACTED}|ca n['\u2019]t)\b"
    r"|\bnon-(?=\w)|\bno\b(?!\.)(?= ?(?!doubt|problem|worries|one\b|idea)[^\W_])"
)
_CHINESE_NOT = re.compile(
    r"并?不是|并非|不再是?|没有|没能|没|未能|未(?!读|接|来|婚|知|必|名|命名|成年|完待)|无法"
    r"|(?<![虚毫])无(?!线|声|锡|限|障|论|聊|痕|人机|印|条件|疑|须|需)"
    r"|(?<![差要是能会有])(?<!对)不(?!错|过|仅|但|只|止|到|足|同|久|少于|多于|超过|低于|高于|论|管|客气|断"
    r"|锈|动产|好意思|妨|愧|得不)|而非|除了|除去|除(?=.{1,12}(?:以外|之外))|(?:错|误)以为|别(?=是|有)|(?<!除)非(?!常|洲|凡|遗|但)"
)
_IS_NOT = re.compile(
    rf"\b(?:is|are|was|were|do|does|did|has|have|can|could|will|should) not\b|\b{_CONTRACTED}\b"
    r"|\bcannot\b|不是"
)
_BARE_SUBJECT = re.compile(r"\W*(?:the )?[^\s是有共]+\s*")
_IS_NONE = re.compile("没有?|未(?!读|接|来|知)|不(?!错|过|仅|但|只|止|到|足|同)")
_BARE_NAME = re.compile(r"\W*[^\W\d是有共]{1,4}")
_WRONG = re.compile(
    r"\b(?:is|are|was|were|would be|looks|seems|being)(?: \w+)? (?:wrong|incorrect|false|invalid"
    r"|outdated|a mistake|an error|mistaken|untrue|impossible|unlikely)\b"
    r"|(?:\bnot|n['\u2019]t)(?: \w+)? (?:right|correct|true|accurate|it"
    r"|the (?:\w+ )?(?:answer|number|one|value|result|case))\b"
    r"|\b(?:is|are|was|were|seems?) (?:\w+ )?too (?:many|much|few|little|high|low|long|short)\b"
    r"|的(?:一半|[\d一二两三四五六七八九十几]+(?:分之|倍|成))"
    r"|是?(?:错的|错误的|不对的?|不正确的?|错了)|不是(?:正确|答案|对的)|不是$|不是(?=[,。])"
)
# These words put the whole sentence in doubt, including what follows "but".
_PERHAPS = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|might|may be|may have|could be"
    r"|could have been|likely|not (?:sure|certain|clear|known)|unsure|uncertain|unclear|unknown"
    r"|(?:i|my)(?: \w+)? guess|i['\u2019]d guess|would|unlikely|(?<!no )doubt(?:s|ed|ful)?"
    r"|i estimate"
    r"|guessing|supposedly|allegedly|not only|not just|not merely"
    r"|(?:do|does|did|could|can)(?: not|n['\u2019]?t) (?:know|tell|say|remember|recall)|no idea"
    r"|(?:can|could)(?:not| not|n['\u2019]?t) (?:be (?:sure|certain|determined|confirmed|verified)"
    r"|confirm|verify|determine)"
    r"|if i (?:remember|recall)|assuming|hopefully|(?:fairly|pretty|almost|quite) (?:sure|certain)"
    r"|before i could|(?:i|we)(?: need to| want to| will| tried to| am going to"
    r"|['\u2019]ll)(?: \w+)?"
    r" (?:find|look|count|check|search|see))\b|% (?:sure|certain|confident)\b"
    r"|可能|也许|或许|说不定|不确定|不知道?|不清楚|不能确定|无法确定|无法确认|不晓得|好像|似乎|大概是|估计是|猜测?|没准"
    r"|不仅|不光|不单"
)
# A report of failure contains no answer, whatever numbers it mentions.
_FAILED = re.compile(
    r"\b(?:task|attempt|operation|request|search|query)s?(?: has| have)? (?:failed|timed out"
    r"|aborted)\b"
    r"|\b(?:gave|given|giving) up\b|\bn/a\b|\berror:? (?:code )?#?\d|\bstep limit\b"
    r"|\b(?:could(?: not|n['\u2019]?t)|can(?:not| not|['\u2019]?t)|unable to|failed to"
    r"|was(?: not|n['\u2019]t) able to|did(?: not|n['\u2019]t)(?: manage to)?)(?: \w+)?"
    r" (?:complete|finish|accomplish|perform|carry out|fulfill?)(?: \w+)?"
    r" (?:task|it|this|that|request)\b"
    r"|(?:任务|操作|执行|查询|搜索)(?:已经?)?(?:失败|超时|中止)|失败了|(?:没有?|未能|无法)(?:\w{0,4})?(?:成功|完成)"
    r"|放弃了?|出错了?|发生错误|不适用"
)
_AFTER_ALL = re.compile(r"\b(?:but|however|then|later|finally|in the end)\b|但|不过|后来|最后|最终")
_LIST_PRICE = re.compile(r"原价[^,;。]*(?=.*(?:现价|现在|折后|优惠价|实付|券后|到手))")
_ALL_BUT = re.compile(r"\b(?:every|all|any|each)(?:thing|one|body|where| \w+)? but\b")
_CHANGED = re.compile(
    r"\b(?:changed|switched|moved|updated|renamed|edited|set|went|rescheduled|turned|converted)\b"
    r"[^,.;]{0,20}?\bfrom\b(?P<old>[^.;]{1,40}?)\bto\b|从(?P<older>[^,。;]{1,16}?)[改变换调切转][成为到换]?"
)
# An insertion, as in "not, however, on", does not end the scope of the negation.
_INSERTED = re.compile(r"\s*,\s*(?!it|they|he|she|there|this|that|but|i )(?:[\w']+ ?){1,3},")
# For example "Instead of 7 there are 6".
_IN_PLACE_OF = ("instead of", "rather than", "other than", "besides", "apart from", "unlike")
_OWN = re.compile(r"\b(?:there|it|they|i|we)\b")
_WHETHER = re.compile(
    r"\bwhether\b|\b(?:false|wrong|untrue|incorrect|a (?:lie|myth)) that\b"
    r"|\bif\b(?! so)|\bunless\b|\bin case\b|是否|是不是|有没有|如果|假如|要是|除非"
)
_EITHER = re.compile(r"\beither\b|\bor\b(?! else)|或者?|还是(?=[^没有不,。])|或(?=[^许])|要么")
_ASKED = re.compile(r"吗|呢\s*$")
_ONCE = re.compile(
    r"\b(?:used to|formerly|originally|initially|previously|once was|earlier|at first|first thought"
    r"|before(?: that| this| now|:| it was)|back then|in the past|last (?:week|month|year)"
    r"|yesterday(?=.*\btoday\b)|no longer)\b"
    r"|原来|原本|以前|(?<![\d日点号月天周年时分])之前|曾经?|过去|本来|起初|最初|刚才|上次"
)
_WAS = re.compile(r"\b(?:was|were|had)\b")
# A belief that is then corrected: "I thought 6, but it is 7."
_BELIEVED = re.compile(
    r"\b(?:thought|said|says|expected|assumed|believed|supposed|claimed"
    r"|looks?(?:ed)? like|seem(?:s|ed))\b"
    r"|以为|认为|看起来|看上去|本想|说是"
)
_HOWEVER = re.compile(
    r"\W*(?:but|however|actually|in fact|it turns out|turns out)\b|\W*(?:但|不过|其实|实际)"
)
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|presently|at present|today|has become|became|is)\b"
    r"|现在|目前|如今|当前"
)
_ONLY_NOW = re.compile(
    r"\b(?:now|nowadays|currently|at present|has become|became)\b|现在|目前|如今|当前"
)
_RATHER = re.compile(
    r"(?:(?<=[,.!?;:()\u2014-])|(?<=[,.!?;:()\u2014-] )|(?<=\.\.\. )|(?<= no ))"
    r"(?:no(?:,|\.| wait| sorry)|nope|actually|correction|sorry|i mean|i meant|wait"
    r"|or rather|rather|make that|scratch that|oops|my mistake|in fact(?=,? (?:it|there|the)))\b"
    r"|(?:(?<=[,。!?;:])|(?<=[,。!?;:] ))"
    r"(?:不对|不,|不是,|更正|纠正|说错了|我错了|抱歉|应该是|其实是?|准确地?说)"
)
_SO = re.compile(
    r"(?:\A|(?<=[.!?;,:。\n])|(?<=[.!?;,:。] ))(?:so|therefore|thus|hence|in total|altogether"
    r"|in conclusion|overall|finally|to sum up|(?:the |my )?(?:final )?(?:answer|result)(?: is|:)"
    r"|final answer|所以|因此|总之|最终|综上|结论|答案是|最后(?:是|的?答案))"
)


def sentences(text: str) -> list[Span]:
    """Return the spans of a folded text's sentences, including their final punctuation."""
    return _parted(text, (0, len(text)), _SENTENCE_END, includes_end=True)


def doubts_of_polarity(text: str, values: Sequence[Value]) -> Iterator[Doubt]:
    """Yield the parts that are denied, questioned, supposed, or no longer true."""
    spans = sentences(text)
    for span in spans:
        yield from _of_sentence(text, span)
    yield from _failed(text)
    yield from _once(text, spans)
    yield from _taken_back(text, values)


def _of_sentence(text: str, span: Span) -> Iterator[Doubt]:
    start, end = span
    is_asked = _ASKED.search(text, start, end) or re.compile(r"\?").search(text, start, end)
    if is_asked:
        yield Doubt(start, end, *is_asked.span())
    for found in _ALL_BUT.finditer(text, start, end):
        yield Doubt(found.end(), end, *found.span())
    for found in _CHANGED.finditer(text, start, end):
        old = "old" if found["old"] else "older"
        yield Doubt(*found.span(old), found.end(old), found.end())
    for found in _PERHAPS.finditer(text, start, end):
        yield Doubt(start, end, *found.span())
    for clause in _parted(text, span, _CLAUSE_END, includes_end=False):
        yield from _of_clause(text, clause)
    for found in _EITHER.finditer(text, start, end):
        yield _alternatives(text, span, found)


def _failed(text: str) -> Iterator[Doubt]:
    """Yield what precedes the remedy of a reported failure, or all of it; also, list prices."""
    for found in _FAILED.finditer(text):
        after_all = _AFTER_ALL.search(text, found.end())
        yield Doubt(0, after_all.start() if after_all else len(text), *found.span())
    for found in _LIST_PRICE.finditer(text):
        yield Doubt(*found.span(), *found.span())


def _of_clause(text: str, clause: Span) -> Iterator[Doubt]:
    start, end = clause
    for found in _NOT.finditer(text, start, end):
        inserted = _INSERTED.match(text, found.end())
        reach = _SENTENCE_END.search(text, inserted.end()) if inserted else None
        stops = (reach.start() if reach else len(text)) if inserted else end
        if found[0] in _IN_PLACE_OF and (own := _OWN.search(text, found.end(), stops)):
            stops = own.start()
        yield Doubt(found.start(), stops, *found.span())
    for found in _CHINESE_NOT.finditer(text, start, end):
        is_then = re.compile("(?<![不是])是(?!不)").search(text, found.end(), end)
        stops = is_then.start() if is_then and found[0].endswith("不是") else end
        yield Doubt(found.start(), stops, *found.span())
    for found in _WHETHER.finditer(text, start, end):
        yield Doubt(found.start(), end, *found.span())
    for found in _WRONG.finditer(text, start, end):
        yield Doubt(start, found.end(), *found.span())
    for found in _IS_NOT.finditer(text, start, end):
        if _BARE_SUBJECT.fullmatch(text[start : found.start()]):
            yield Doubt(start, found.start(), *found.span())
    for found in _IS_NONE.finditer(text, start, end):
        if _BARE_NAME.fullmatch(text[start : found.start()]):
            yield Doubt(start, found.start(), *found.span())


def _alternatives(text: str, span: Span, found: re.Match[str]) -> Doubt:
    """Return the alternatives of an "or": a few words before it, and what follows up to a comma."""
    if found[0] in ("either", "要么"):
        return Doubt(found.start(), span[1], *found.span())
    before = text[max(span[0], found.start() - 80) : found.start()]
    before = re.split(r",(?=\s*\S)", before)[-1]
    left = " ".join(re.split(r"\s+", before.rstrip())[-4:])
    start = found.start() - len(before) + before.rindex(left)
    comma = text.find(",", found.end() + 1, span[1])
    return Doubt(start, span[1] if comma < 0 else comma, *found.span())


def _once(text: str, spans: Sequence[Span]) -> Iterator[Doubt]:
    """Yield what was true only before: always where stated, otherwise where a "now" follows."""
    clauses = [
        clause for span in spans for clause in _parted(text, span, _CLAUSE_END, includes_end=False)
    ]
    nows = [found.start() for found in _ONLY_NOW.finditer(text)]
    for start, end in clauses:
        if found := _ONCE.search(text, start, end):
            now = _NOW.search(text, found.end(), end)
            yield Doubt(start, now.start() if now else end, *found.span())
            continue
        believed = _BELIEVED.search(text, start, end) if _HOWEVER.match(text, end) else None
        is_over = any(now >= end for now in nows[-1:]) and not _ONLY_NOW.search(text, start, end)
        if found := believed or (_WAS.search(text, start, end) if is_over else None):
            yield Doubt(start, end, *found.span())


def _taken_back(text: str, values: Sequence[Value]) -> Iterator[Doubt]:
    """Yield what precedes a correction, and values before a conclusion that has its own."""
    for found in _RATHER.finditer(text):
        if re.search(r"\w", text[found.end() :]):
            yield Doubt(0, found.start(), *found.span())
    for found in reversed(list(_SO.finditer(text))):
        if concluded := {value.what for value in values if value.start >= found.end()}:
            for value in values:
                if value.end <= found.start() and value.what in concluded:
                    yield Doubt(value.start, value.end, *found.span())
            break


def _parted(text: str, span: Span, end: re.Pattern[str], *, includes_end: bool) -> list[Span]:
    parts, start = [], span[0]
    for found in end.finditer(text, *span):
        parts.append((start, found.end() if includes_end else found.start()))
        start = found.end()
    parts.append((start, span[1]))
    return [part for part in parts if text[part[0] : part[1]].strip()]
