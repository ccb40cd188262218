"""Chinese numerals, and amounts with 万 or 亿, converted to digits.

cn2an 0.5 also reads numerals, but in sentences it turns every 一 into 1 and 零下 into 0, and does
not read 1.2万 and 俩 (tests/check/answers, 2026-11). Most of this module decides when a numeral is
a number.
"""

from __future__ import annotations

import re
from fractions import Fraction

from pytest_mobileagent.check.answers.numerals import written

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")}
_DIGITS |= {"\u3007": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_OTHERS = str.maketrans(
    "兩貳贰壹叁參肆伍陆陸柒捌玖拾佰仟萬億點個週鐘時",
    "两二二一三三四五六六七八九十百千万亿点个周钟时",
)
_ONE = "[一二两三四五六七八九]"
NUMERAL = "[零\u3007一二两三四五六七八九十百千万亿]"
_CJK = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Words for things that are counted, and units. Before a word in _THINGS, 一 usually means
# "a" and is not a number.
_THINGS = (
    "个|條|条|封|张|次|位|本|件|部|台|家|名|杯|份|页|项|首|只|支|块|间|层|门|节|集|站|种|场|张|道|行"
    "|人|号线|路|把|双|辆|瓶|盒|袋|款|篇|段|组|步|楼|通|笔|所|座|颗|倍"
)
_UNITS = (
    "岁|年|个月|月|日|号|天|周|星期|礼拜|小时|个小时|分钟|分(?!之)|秒|刻|点|时(?!候|间|代)|公里|千米|米|厘米|毫米"
    "|公斤|千克|克|斤|吨|升|毫升|度|摄氏度|元|块|毛|角|美元|欧元|英镑|日元|人民币|英里|里路|%|℃|兆|折"
)
# Numerals that are part of a word: 十分 is "very", 一点 "a little", 千万 "by all means".
_IDIOM = re.compile(r"十分(?![钟之\d])|千万(?!\d|元|人|个|美)|万一|百度|一百度|万千|十全")
_PARTS = re.compile(rf"({NUMERAL}+|\d+)分之({NUMERAL}+(?:点{NUMERAL}+)?|[\d.]+)")
_TENTHS = re.compile(rf"(?<!{NUMERAL})({_ONE})成({_ONE})?(?![为功员立绩长本就果都交熟套])")
_HALF_MORE = re.compile(
    rf"({NUMERAL}+|\d+)(?:(个)半(?=小时|月|星期|礼拜|\W|$)"
    r"|(年|天|公里|千米|公斤|斤|块|倍)半|(个?小时)半)"
)
_HALF = re.compile(
    r"(?<![点时个大多年天小\d])半(?=个?(?:小时|钟头)|个月|年|公里|公斤|斤|米|个星期)"
)
_SCALED = re.compile(
    rf"(?<![\d.,])(\d[\d,]*(?:\.\d+)?) ?([十百千]?[万亿]|[百千](?![米克]))(?!{NUMERAL})"
)
_DECIMAL = re.compile(
    rf"(?<![{_CJK}])({NUMERAL}++)点({NUMERAL}++)(?!分|半|刻|钟)|({NUMERAL}++)点({NUMERAL}++)"
    rf"(?=公里|千米|米|公斤|千克|斤|个小时|小时|元|块|度|%|万|亿|倍|分之)"
)
_BELOW = re.compile(rf"(?:零下|负) ?(?={NUMERAL}|\d)")
_NTH = re.compile(rf"第 ?({NUMERAL}+|\d+)")
_RUN = re.compile(rf"(?<!第)(?<!星期)(?<!礼拜)(?<!周){NUMERAL}+")
# Contexts in which a numeral stands alone: after a verb or a mark, and before a mark.
_LED = re.compile(r"(?:[是为有共到於于于剩差第：:=]|(?:\A|[^\w])|[\d-])$")
_ENDED = re.compile(rf"[到至](?:{NUMERAL}|\d)|\Z|[^\w{_CJK}]|了?[。，,;；]|[吧呢哦啊]")
_ONLY = re.compile(r"(?:[只仅就才]有|仅|[总一]?共有?|[总一]?共计|\A|数量[是为]|有)$")


def chinese(text: str) -> str:
    """Return the text with its Chinese numerals converted to digits, where they are numbers."""
    if not re.search(f"[\u3007{_CJK}]", text):
        return text
    text = text.translate(_OTHERS).replace("钟头", "小时")
    text = _below(text)
    text = _PARTS.sub(_parts, text)
    text = _TENTHS.sub(_tenths, text)
    text = re.sub(r"(?<![一大多])一半", "1/2", text)
    text = _HALF_MORE.sub(_half_more, text)
    text = _HALF.sub("0.5", text)
    text = re.sub(r"([\d.]+)(个?)小时半", _hour_and_half, text)
    text = _DECIMAL.sub(_decimal, text)
    text = _SCALED.sub(_scaled, text)
    text = _NTH.sub(_nth, text)
    text = re.sub("[俩倆]", "2", text)
    return _RUN.sub(_run, text)


def numeral(run: str) -> Fraction | None:
    """Return the number in Chinese numerals or digits; None for several (五六)."""
    if run.isdecimal():
        return Fraction(int(run))
    if all(char in _DIGITS for char in run):
        if len(run) != 2 or run[0] in "零\u3007":
            return Fraction("".join(str(_DIGITS[char]) for char in run))
        return None
    total = section = digit = 0  # 亿 closes a section, which later factors leave alone: 一亿两千万
    last = large = 10**9
    has_digit = skipped = False
    for char in run:
        if char in _DIGITS:
            if has_digit and digit:
                return None
            digit, has_digit = _DIGITS[char], True
            skipped = skipped or digit == 0
        elif char in _TENS:
            section += (digit or 1) * _TENS[char]
            digit, has_digit, last, skipped = 0, False, _TENS[char], False
        else:
            scale = 10**4 if char == "万" else 10**8
            if not total + section + digit:
                return None
            closed = total if scale < large else 0
            total = closed + (total - closed + section + digit) * scale
            section, large = 0, scale
            digit, has_digit, last, skipped = 0, False, scale, False
    if digit and not skipped and last > 10:  # 一百二 is 120, 一万二 is 12000
        digit *= last // 10
    return Fraction(total + section + digit)


def _below(text: str) -> str:
    def minus(found: re.Match[str]) -> str:
        before = found.string[found.start() - 1 : found.start()]
        return "-" if not before or before.isspace() else " -"

    return _BELOW.sub(minus, text)


def _parts(found: re.Match[str]) -> str:
    whole = numeral(found[1])
    top = _amount(found[2])
    if not whole or top is None:
        return found[0]
    if whole == 100:
        return f"{written(top)}%"
    is_plain = whole.denominator == top.denominator == 1
    return f"{top}/{whole}" if is_plain else written(top / whole)


def _amount(text: str) -> Fraction | None:
    if re.fullmatch(r"\d+(?:\.\d+)?", text):
        return Fraction(text)
    whole, point, places = text.partition("点")
    value = numeral(whole)
    if value is None or not point:
        return value
    if not all(char in _DIGITS for char in places):
        return None
    return value + Fraction(int("".join(str(_DIGITS[c]) for c in places)), 10 ** len(places))


def _tenths(found: re.Match[str]) -> str:
    return f"{_DIGITS[found[1]] * 10 + (_DIGITS[found[2]] if found[2] else 0)}%"


def _half_more(found: re.Match[str]) -> str:
    value = numeral(found[1])
    if value is None:
        return found[0]
    unit = found[2] or found[3] or found[4]
    return f"{written(value + Fraction(1, 2))}{unit}"


def _hour_and_half(found: re.Match[str]) -> str:
    return f"{written(Fraction(found[1]) + Fraction(1, 2))}{found[2]}小时"


def _decimal(found: re.Match[str]) -> str:
    whole, places = (found[1], found[2]) if found[1] else (found[3], found[4])
    is_time = found[1] and places[0] == "零" and len(places) == 2
    value = None if is_time else _amount(f"{whole}点{places}")
    return found[0] if value is None else written(value)


def _scaled(found: re.Match[str]) -> str:
    value = Fraction(found[1].replace(",", ""))
    for char in found[2]:
        value *= {"万": 10**4, "亿": 10**8, **_TENS}[char]
    return written(value)


def _nth(found: re.Match[str]) -> str:
    value = numeral(found[1])
    return found[0] if value is None else f"{written(value)}th"


def _run(found: re.Match[str]) -> str:
    """Return a run of numerals as digits, if it is a number in its context."""
    run, text = found[0], found.string
    before = text[max(0, found.start() - 12) : found.start()]
    behind = text[found.end() : found.end() + 12]
    value = numeral(run)
    is_idiom = _IDIOM.match(text, found.start()) and not before.endswith("差")
    if value is None or is_idiom:
        return run
    if re.match(r"[几多来余]", behind):  # 十几个: an unknown number
        return run
    if re.fullmatch("[零\u3007][一二三四五六七八九]", run):
        return f"0{written(value)}"  # usually a minute
    is_alone = bool(_LED.search(before)) and bool(_ENDED.match(behind))
    if re.search(rf"(?:\d|{NUMERAL})[块元]$", before) and len(run) == 1:
        is_number = run in _DIGITS and not re.match(rf"[{_CJK}]", behind.lstrip("毛角钱"))
    elif run == "一":
        is_number = _is_one(before, behind) or is_alone
    elif len(run) == 1:
        is_measured = bool(re.match(rf" ?(?:{_THINGS}|{_UNITS})", behind))
        is_number = (is_measured and not re.match("里", behind)) or is_alone
        is_number = is_number and not (run in "十百千万亿" and run != "十")
    else:
        is_number = value >= 10 or len(run) == 2 or is_alone
    return written(value) if is_number else run


def _is_one(before: str, behind: str) -> bool:
    if re.match("点(?!半|整|钟|\\d)", behind):
        return bool(re.search("[午上晚晨早]$", before))
    if re.match(rf" ?(?:{_UNITS})", behind) and not re.match("年级|时|天到晚|日千里", behind):
        return True
    if re.match(rf" ?(?:{_THINGS})", behind):
        return bool(_ONLY.search(before)) and not re.match(".(?:问题|也没|都没|般)", behind)
    return False
