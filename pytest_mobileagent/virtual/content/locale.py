"""A locale: how a language and a region write dates, times and numbers, and in what direction."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date, datetime
    from typing import TypeAlias

    Moment: TypeAlias = date | datetime

FIRST_SCRIPTS: Final = {  # whose letters come before the Latin ones in a list
    "ar": ("ARABIC",),
    "hi": ("DEVANAGARI",),
    "ko": ("HANGUL", "CJK"),
    "ru": ("CYRILLIC",),
    "ur": ("ARABIC",),
    "zh": ("CJK",),
}
LETTERS: Final = re.compile(r"'[^']*'|([A-Za-z])\1*")  # of a date pattern, or text in quotes
KINDS: Final = {"L": "M", "c": "E", "e": "E", "K": "h", "k": "H", "u": "y"}
NUMBERS: Final = {"y": "%y", "M": "%m", "d": "%d", "H": "%H", "h": "%I", "m": "%M", "s": "%S"}


@dataclass(frozen=True)
class Locale:
    """A language tag such as en-US or zh-Hans-CN, and the habits that go with it."""

    tag: str

    @cached_property
    def parts(self) -> tuple[str, str, str]:
        """Language, script and region; the latter two may be empty."""
        language, *others = self.tag.replace("_", "-").split("-")
        script = next((part.title() for part in others if len(part) == 4 and part.isalpha()), "")
        region = next((part.upper() for part in others if len(part) in (2, 3)), "")
        return language.lower(), script, region

    @property
    def language(self) -> str:
        """The language's code."""
        return self.parts[0]

    @cached_property
    def rtl(self) -> bool:
        """Whether it is written from right to left."""
        return self.language != "en" and self._babel.text_direction == "rtl"

    def isolated(self, text: str) -> str:
        """Keep a number in its own order amid a line from right to left."""
        return (
            f"\N{LEFT-TO-RIGHT EMBEDDING}{text}\N{POP DIRECTIONAL FORMATTING}" if self.rtl else text
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names under which translations for it may be found, the closest first."""
        language, script, region = self.parts
        tags = [f"{language}-{script}-{region}", f"{language}-{region}", f"{language}-{script}"]
        if language == "zh":  # of two scripts; the one that a region writes
            hans = script == "Hans" or (not script and region in ("", "CN", "SG"))
            return (*tags, "zh-CN") if hans else tuple(tags)
        return (*tags, language)

    # Dates and times. A pattern is written for English, in the letters of SimpleDateFormat.

    def date(self, moment: Moment, pattern: str) -> str:
        """Write a date by a pattern, "EEE, MMM d"; other languages order its parts their way."""
        if self.language != "en":
            pattern = _arranged(str(self._babel), pattern)
        return self._formatted(moment, pattern)

    def time(self, moment: datetime, *, long_clock: bool) -> str:
        """Write a time of day, on a clock of 12 or of 24 hours."""
        return self.date(moment, "HH:mm" if long_clock else "h:mm a")

    def clock(self, moment: datetime, *, long_clock: bool) -> str:
        """Write a time of day without its half, as a status bar does."""
        pattern = "HH:mm" if long_clock else "h:mm a"
        if self.language != "en":
            pattern = _arranged(str(self._babel), pattern)
        return self._formatted(moment, pattern.replace("a", "").strip())

    def _formatted(self, moment: Moment, pattern: str) -> str:
        if self.language == "en":
            return _english(moment, pattern)
        from babel.dates import format_datetime  # only when asked for

        if self.language == "ko":  # whose short names for the halves are English
            pattern = pattern.replace("a", "aaaa")
        return self.digits(str(format_datetime(_naive(moment), pattern, locale=self._babel)))

    @cached_property
    def long_clock(self) -> bool:
        """Whether the clock of this place has 24 hours."""
        if self.language == "en":
            return self.parts[2] in ("GB", "IE", "ZA")
        return "H" in str(self._babel.time_formats["short"].pattern)

    @cached_property
    def first_weekday(self) -> int:
        """The day that a week starts with; Monday is 0."""
        if self.language == "en" and self.parts[2] in ("", "US", "CA"):
            return 6
        return int(self._babel.first_week_day)

    # Numbers.

    def number(self, value: float, decimals: int | None = None) -> str:
        """Write a number with the separators and digits of the language."""
        if decimals is None:  # as many as a number has, but three at most, as Java's do
            text = f"{round(value, 3):,}".removesuffix(".0")
        else:
            text = f"{value:,.{decimals}f}"
        if self.language == "en":
            return text
        symbols = self._babel.number_symbols
        marks = dict(symbols["latn"])
        if self._digits:  # whose own marks may be some only, or none
            marks |= dict(symbols.get(str(self._babel.default_numbering_system), {}))
        own = {",": str(marks["group"]), ".": str(marks["decimal"])}
        return self.digits("".join(own.get(sign, sign) for sign in text))

    def filled(self, text: str, values: Mapping[str, object]) -> str:
        """Put values where a text names them, numbers with the digits of the language."""
        if not self._digits:
            return text.format_map(values)
        return _Filling(self).vformat(text, (), values)

    def digits(self, text: str) -> str:
        """Write the digits in a text with those of the language."""
        return text.translate(self._digits) if self._digits else text

    @cached_property
    def _digits(self) -> dict[int, int]:
        if self.language not in ("ar", "fa", "ckb", "my", "ne", "mr", "bn"):
            return {}
        zero = {"arab": 0x660, "arabext": 0x6F0, "deva": 0x966, "beng": 0x9E6, "mymr": 0x1040}
        first = zero.get(str(self._babel.default_numbering_system))
        return {ord("0") + at: first + at for at in range(10)} if first else {}

    # Names and order.

    def name(self, of: Locale | None = None) -> str:
        """Name a language in this one, itself if none is given: "français (France)"."""
        language, script, region = (of or self).parts
        own = self._babel
        names = str(own.languages.get(language, language))
        inner = [str(own.scripts.get(script, script))] if script else []
        inner += [str(own.territories.get(region, region))] if region else []
        return f"{names} ({', '.join(inner)})" if inner else names

    def sort_key(self, text: str) -> tuple[Any, ...]:
        """Give what sorts texts alphabetically."""
        plain = "".join(
            sign
            for sign in unicodedata.normalize("NFKD", text.casefold())
            if not unicodedata.combining(sign)
        )
        first = FIRST_SCRIPTS.get(self.language, ())
        name = unicodedata.name(plain[:1], "") if plain else ""
        if self.language == "zh":  # the national code has the characters by their sound
            return (not name.startswith(first), plain.encode("gb18030", "replace"))
        return (not (first and name.startswith(first)), plain)

    @cached_property
    def _babel(self) -> Any:
        import babel  # takes time, and English needs it not

        language, script, region = self.parts
        for tag in filter(
            None, (f"{language}_{script}_{region}", f"{language}_{region}", language)
        ):
            try:
                return babel.Locale.parse(tag.replace("__", "_").strip("_"))
            except (babel.UnknownLocaleError, ValueError):
                continue
        return babel.Locale.parse("en_US")


class _Filling(string.Formatter):
    """Writes the numbers among the values of a text as a language does."""

    def __init__(self, locale: Locale) -> None:
        self.locale = locale

    def format_field(self, value: object, format_spec: str) -> str:
        """Write a value."""
        text = format(value, format_spec)
        return self.locale.digits(text) if isinstance(value, int | float) else text


def _english(moment: Moment, pattern: str) -> str:
    """Write a date by a pattern without any library: names are those of C's locale."""

    def written(match: re.Match[str]) -> str:
        run = match[0]
        if run[0] == "'":
            return run[1:-1] or "'"
        return _field(moment, run[0], len(run))

    return LETTERS.sub(written, pattern)


def _field(moment: Any, letter: str, count: int) -> str:
    """Write one field of an English date."""
    kind = KINDS.get(letter, letter)
    if kind == "E" or (kind == "M" and count > 2):
        name = f"{moment:%A}" if kind == "E" else f"{moment:%B}"
        return {4: name, 5: name[:1]}.get(count, name[:3])
    if kind == "a":
        return f"{moment:%p}"
    if kind == "y" and count != 2:
        return str(moment.year)
    if kind not in NUMBERS:
        raise ValueError(f"{letter!r} is no letter of a date pattern")
    return f"{int(moment.strftime(NUMBERS[kind])):0{count}}"


def _naive(moment: Any) -> Any:
    """Keep Babel from turning a local time into one of its own zone."""
    return moment.replace(tzinfo=None) if hasattr(moment, "hour") else moment


@lru_cache(512)
def _arranged(locale: str, pattern: str) -> str:
    """Turn an English pattern into what the locale makes of the same fields."""
    import babel  # see above

    own = babel.Locale.parse(locale)
    runs = [match[0] for match in LETTERS.finditer(pattern) if match[0][0] != "'"]
    dates = [run for run in runs if KINDS.get(run[0], run[0]) in "GyQMwdE"]
    times = [run for run in runs if KINDS.get(run[0], run[0]) in "hHms"]
    parts = [_best(own, group) for group in (dates, times) if group]
    if len(parts) < 2:
        return parts[0] if parts else pattern
    joined = str(own.datetime_formats["medium"])
    return joined.replace("{1}", parts[0]).replace("{0}", parts[1])


def _best(own: Any, runs: list[str]) -> str:
    """Find the locale's pattern for some fields, and give them the widths that were asked for."""
    from babel.dates import match_skeleton  # see above

    wanted = {KINDS.get(run[0], run[0]): run for run in runs}
    order = "GyQMEdhHms"
    short = {"M": min(len(wanted.get("M", "M")), 3), "E": 1}
    skeleton = "".join(kind * short.get(kind, 1) for kind in order if kind in wanted)
    skeletons = dict(own.datetime_skeletons.items())
    found = match_skeleton(skeleton, skeletons)
    if found is None:
        return " ".join(runs)
    pattern = str(skeletons[found].pattern)
    month = (
        "M" if "d" in wanted else "L"
    )  # Babel mixes up who stands alone: Russian declines months
    pattern = pattern.translate({ord("L"): month, ord("M"): month, ord("c"): "E"})
    return LETTERS.sub(lambda match: _width(match[0], wanted), pattern)


def _width(run: str, wanted: dict[str, str]) -> str:
    """Give a field the width that was asked for, as long as it is a name either way."""
    kind = KINDS.get(run[0], run[0])
    if run[0] == "'" or kind not in wanted:
        return run
    asked = len(wanted[kind])
    if kind in "ME" and len(run) > 2 - (kind == "E") and asked > 2:
        return run[0] * asked
    if kind == "E" and asked > 3:
        return run[0] * asked
    return run
