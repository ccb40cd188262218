"""Locales: how a language and region format dates, times and numbers, and the text direction."""

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

FIRST_SCRIPTS: Final = {  # languages that list their own letters before the Latin ones
    "ar": ("ARABIC",),
    "hi": ("DEVANAGARI",),
    "ko": ("HANGUL", "CJK"),
    "ru": ("CYRILLIC",),
    "ur": ("ARABIC",),
    "zh": ("CJK",),
}
LETTERS: Final = re.compile(r"'[^']*'|([A-Za-z])\1*")  # fields of a date pattern, or quoted text
KINDS: Final = {"L": "M", "c": "E", "e": "E", "K": "h", "k": "H", "u": "y"}
NUMBERS: Final = {"y": "%y", "M": "%m", "d": "%d", "H": "%H", "h": "%I", "m": "%M", "s": "%S"}


@dataclass(frozen=True)
class Locale:
    """A language tag such as en-US or zh-Hans-CN, and its conventions."""

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
        """The language code."""
        return self.parts[0]

    @cached_property
    def rtl(self) -> bool:
        """Whether the language is written from right to left."""
        return self.language != "en" and self._babel.text_direction == "rtl"

    def isolated(self, text: str) -> str:
        """Protect a number from being reordered within right-to-left text."""
        embedded = f"\N{LEFT-TO-RIGHT EMBEDDING}{text}\N{POP DIRECTIONAL FORMATTING}"
        return embedded if self.rtl else text

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of possible translations, the closest first."""
        language, script, region = self.parts
        tags = [f"{language}-{script}-{region}", f"{language}-{region}", f"{language}-{script}"]
        if language == "zh":  # has two scripts; the region determines which one
            hans = script == "Hans" or (not script and region in ("", "CN", "SG"))
            return (*tags, "zh-CN") if hans else tuple(tags)
        return (*tags, language)

    # Dates and times. Patterns are written for English, with the letters of SimpleDateFormat.

    def date(self, moment: Moment, pattern: str) -> str:
        """Format a date by a pattern, "EEE, MMM d"; other languages arrange fields their way."""
        if self.language != "en":
            pattern = _arranged(str(self._babel), pattern)
        return self._formatted(moment, pattern)

    def time(self, moment: datetime, *, long_clock: bool) -> str:
        """Format a time of day, with the 12-hour or 24-hour clock."""
        return self.date(moment, "HH:mm" if long_clock else "h:mm a")

    def clock(self, moment: datetime, *, long_clock: bool) -> str:
        """Format a time of day without AM or PM, as in a status bar."""
        pattern = "HH:mm" if long_clock else "h:mm a"
        if self.language != "en":
            pattern = _arranged(str(self._babel), pattern)
        return self._formatted(moment, pattern.replace("a", "").strip())

    def _formatted(self, moment: Moment, pattern: str) -> str:
        if self.language == "en":
            return _english(moment, pattern)
        from babel.dates import format_datetime  # only when needed

        if self.language == "ko":  # the language's short names for AM and PM are English
            pattern = pattern.replace("a", "aaaa")
        return self.digits(str(format_datetime(_naive(moment), pattern, locale=self._babel)))

    @cached_property
    def long_clock(self) -> bool:
        """Whether the region uses the 24-hour clock."""
        if self.language == "en":
            return self.parts[2] in ("GB", "IE", "ZA")
        return "H" in str(self._babel.time_formats["short"].pattern)

    @cached_property
    def first_weekday(self) -> int:
        """The first day of the week; Monday is 0."""
        if self.language == "en" and self.parts[2] in ("", "US", "CA"):
            return 6
        return int(self._babel.first_week_day)

    # Numbers

    def number(self, value: float, decimals: int | None = None) -> str:
        """Format a number with the separators and digits of the language."""
        if decimals is None:  # all decimals, but at most three, like Java
            text = f"{round(value, 3):,}".removesuffix(".0")
        else:
            text = f"{value:,.{decimals}f}"
        if self.language == "en":
            return text
        symbols = self._babel.number_symbols
        marks = dict(symbols["latn"])
        if self._digits:  # the digits' own marks may be incomplete
            marks |= dict(symbols.get(str(self._babel.default_numbering_system), {}))
        own = {",": str(marks["group"]), ".": str(marks["decimal"])}
        return self.digits("".join(own.get(sign, sign) for sign in text))

    def filled(self, text: str, values: Mapping[str, object]) -> str:
        """Fill values into text, with numbers in the digits of the language."""
        if not self._digits:
            return text.format_map(values)
        return _Filling(self).vformat(text, (), values)

    def digits(self, text: str) -> str:
        """Replace the digits in the text by those of the language."""
        return text.translate(self._digits) if self._digits else text

    @cached_property
    def _digits(self) -> dict[int, int]:
        if self.language not in ("ar", "fa", "ckb", "my", "ne", "mr", "bn"):
            return {}
        zero = {"arab": 0x660, "arabext": 0x6F0, "deva": 0x966, "beng": 0x9E6, "mymr": 0x1040}
        first = zero.get(str(self._babel.default_numbering_system))
        return {ord("0") + at: first + at for at in range(10)} if first else {}

    # Names and order

    def name(self, of: Locale | None = None) -> str:
        """Return a language's name in this language, by default its own: "français (France)"."""
        language, script, region = (of or self).parts
        own = self._babel
        names = str(own.languages.get(language, language))
        inner = [str(own.scripts.get(script, script))] if script else []
        inner += [str(own.territories.get(region, region))] if region else []
        return f"{names} ({', '.join(inner)})" if inner else names

    def sort_key(self, text: str) -> tuple[Any, ...]:
        """Return the key that sorts texts alphabetically."""
        signs = unicodedata.normalize("NFKD", text.casefold())
        plain = "".join(sign for sign in signs if not unicodedata.combining(sign))
        first = FIRST_SCRIPTS.get(self.language, ())
        name = unicodedata.name(plain[:1], "") if plain else ""
        if self.language == "zh":  # GB2312 sorts characters by their pronunciation
            return (not name.startswith(first), plain.encode("gb18030", "replace"))
        return (not (first and name.startswith(first)), plain)

    @cached_property
    def _babel(self) -> Any:
        import babel  # slow to import, and not needed for English

        language, script, region = self.parts
        longer, shorter = f"{language}_{script}_{region}", f"{language}_{region}"
        for tag in filter(None, (longer, shorter, language)):
            try:
                return babel.Locale.parse(tag.replace("__", "_").strip("_"))
            except (babel.UnknownLocaleError, ValueError):
                continue
        return babel.Locale.parse("en_US")


class _Filling(string.Formatter):
    """Formats the numbers among a text's values in a language."""

    def __init__(self, locale: Locale) -> None:
        self.locale = locale

    def format_field(self, value: object, format_spec: str) -> str:
        text = format(value, format_spec)
        return self.locale.digits(text) if isinstance(value, int | float) else text


def _english(moment: Moment, pattern: str) -> str:
    """Format a date by a pattern without a library, with the names of the C locale."""

    def written(match: re.Match[str]) -> str:
        run = match[0]
        if run[0] == "'":
            return run[1:-1] or "'"
        return _field(moment, run[0], len(run))

    return LETTERS.sub(written, pattern)


def _field(moment: Any, letter: str, count: int) -> str:
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
    """Remove the time zone, so that Babel does not convert a local time to another zone."""
    return moment.replace(tzinfo=None) if hasattr(moment, "hour") else moment


@lru_cache(512)
def _arranged(locale: str, pattern: str) -> str:
    """Convert an English pattern to the locale's arrangement of the same fields."""
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
    """Return the locale's pattern for some fields, with the requested widths."""
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
    # Babel confuses format and stand-alone names: Russian declines months.
    month = "M" if "d" in wanted else "L"
    pattern = pattern.translate({ord("L"): month, ord("M"): month, ord("c"): "E"})
    return LETTERS.sub(lambda match: _width(match[0], wanted), pattern)


def _width(run: str, wanted: dict[str, str]) -> str:
    """Set a field to the requested width, if it is a name with either width."""
    kind = KINDS.get(run[0], run[0])
    if run[0] == "'" or kind not in wanted:
        return run
    asked = len(wanted[kind])
    named = kind in "ME" and len(run) > 2 - (kind == "E") and asked > 2
    return run[0] * asked if named or (kind == "E" and asked > 3) else run
