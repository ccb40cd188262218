"""Regular expressions from untrusted sources, matched in bounded time.

A pattern from an agent, a model, a task or a command line may be `(a+)+$`, which can keep Python's
`re` busy for years and block the process. So `re` is only used to check the syntax. RE2 matches
nearly all patterns in time linear in the length of the text. Patterns with features that RE2 lacks
(back-references, look-around, atomic groups) are matched by `regex`, which backtracks like `re`,
but has a timeout. Running each match in a separate process would also limit the time, but it would
take milliseconds, and could leave processes behind.

The syntax is Python's, whichever engine matches. All untrusted patterns are compiled here. This
module imports nothing else of the package, so that the virtual phone, which may not import the
package, can use it, too.

PatternError           a string is not a pattern
    SlowPatternError   a pattern that would take too long for this text
"""

from __future__ import annotations

import re
import time
import warnings
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pytest_mobileagent.patterns.re2_syntax import UnsupportedError, for_re2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "LONGEST", "PATIENT", "QUICK", "Match", "Pattern", "PatternError", "SlowPatternError", "Span",
    "compile", "within",
]  # fmt: skip

QUICK: Final = 0.2  # the time limit in seconds where matching blocks an event loop
PATIENT: Final = 2.0  # the time limit in seconds in a thread
LONGEST: Final = 16_384  # characters of a pattern
_LONGEST_SLOW = 2_000  # characters of a pattern for `regex`, whose compilation is slow, too
_STEPS_PER_SECOND = 1e8  # the speed of RE2's slowest matcher on an old computer
_MEMORY = 8 << 20  # the bytes that a compiled RE2 program may use

Span: TypeAlias = tuple[int, int]

_SURROGATE = re.compile("[\ud800-\udfff]")


class PatternError(ValueError):
    """A string is not a valid pattern; the message is that of `re`."""


class SlowPatternError(PatternError):
    """Matching a pattern takes longer than its time limit."""


_left: ContextVar[list[float] | None] = ContextVar("left", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit the total time of all matching in the block to a number of seconds.

    Raises:
        SlowPatternError: in the block, if a match would exceed the limit.
    """
    token = _left.set([seconds])
    try:
        yield
    finally:
        _left.reset(token)


@dataclass(frozen=True, slots=True)
class Match:
    """A match of a pattern, with a subset of the interface of `re.Match`."""

    re: Pattern
    string: str
    spans: tuple[Span, ...]

    def __getitem__(self, group: int | str) -> str | None:
        """Return the text of a group, or None if the group did not participate."""
        start, end = self.span(group)
        return None if start < 0 else self.string[start:end]

    def group(self, group: int | str = 0) -> str | None:
        """Return the text of a group, or None if the group did not participate."""
        return self[group]

    @property
    def text(self) -> str:
        """The text of the whole match."""
        start, end = self.spans[0]
        return self.string[start:end]

    def groups(self) -> tuple[str | None, ...]:
        """Return the strings of all groups."""
        return tuple(self[number] for number in range(1, len(self.spans)))

    def span(self, group: int | str = 0) -> Span:
        """Return the start and end of a group, or (-1, -1) if the group did not participate."""
        number = self.re.names.get(group, -1) if isinstance(group, str) else group
        if not 0 <= number < len(self.spans):
            raise IndexError(f"no group {group!r} in {self.re.pattern!r}")
        return self.spans[number]

    def start(self, group: int | str = 0) -> int:
        """Return the index at which a group begins."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """Return the index at which a group ends."""
        return self.span(group)[1]


@dataclass(frozen=True)
class Pattern:
    """A pattern compiled by `compile`.

    All methods that match raise SlowPatternError if matching would take longer than `seconds`. For
    `sub` and `finditer`, this limit applies to all matches together.
    """

    pattern: str
    flags: int
    longest: bool
    word: bool
    java: bool
    names: dict[str, int]
    groups: int

    def search(self, text: str, at: int = 0, *, seconds: float = QUICK) -> Match | None:
        """Return the first match that begins at or after index `at`, or None."""
        return self._found(text, at, seconds, whole=False)

    def fullmatch(self, text: str, *, seconds: float = QUICK) -> Match | None:
        """Return the match of the whole text, or None."""
        return self._found(text, 0, seconds, whole=True)

    def finditer(self, text: str, *, seconds: float = QUICK) -> Iterator[Match]:
        """Yield all non-overlapping matches."""
        program, end = self._program(text), time.thread_time() + seconds
        if program is not None and not self.word and not self._ends_early(text):
            yield from self._all(program, text, end)
            return
        at = 0
        while found := self.search(text, at, seconds=max(0.0, end - time.thread_time())):
            yield found
            start, at = found.spans[0]
            at += start == at
            if at > len(text):
                return

    def sub(
        self, replacement: Callable[[Match], str] | str, text: str, *, seconds: float = QUICK
    ) -> str:
        """Replace all matches by a literal text, or by the result of a function."""
        parts, end = [], 0
        for found in self.finditer(text, seconds=seconds):
            new = replacement if isinstance(replacement, str) else replacement(found)
            parts += [text[end : found.start()], new]
            end = found.end()
        return "".join([*parts, text[end:]])

    def _all(self, program: Any, text: str, end: float) -> Iterator[Match]:
        """Yield all matches found by RE2 in one pass over the text."""
        speakable = _speakable(text)
        self._check(_cost(program, text), end - time.thread_time())
        left, subject = _left.get(), speakable.encode() if text.isascii() else speakable
        before, last = time.thread_time(), None
        for found in program.finditer(subject):
            if found.span() == last:  # RE2 finds empty matches twice
                continue
            last, now = found.span(), time.thread_time()
            if left is not None:
                left[0] -= now - before
            self._check(0, min(end - time.thread_time(), left[0] if left else 1))
            yield Match(self, text, tuple(found.span(n) for n in range(self.groups + 1)))
            before = time.thread_time()

    def _check(self, cost: float, limit: float) -> None:
        if limit <= 0 or cost > limit:
            raise SlowPatternError(f"too slow for a text of this length: {self.pattern[:200]!r}")

    def _ends_early(self, text: str) -> bool:
        """Return whether `$` may match before a final newline, which RE2 does not support."""
        return "$" in self.pattern and text.endswith("\n") and not self.longest

    def cost(self, text: str) -> float:
        """Return the maximum duration of a search in seconds; infinite for the engine `regex`."""
        program = self._program(text)
        return float("inf") if program is None else _cost(program, text)

    def _found(self, text: str, at: int, seconds: float, *, whole: bool) -> Match | None:
        left = _left.get()
        limit = seconds if left is None else min(seconds, left[0])
        program, subject = self._program(text, at), _speakable(text)
        start = time.thread_time()
        try:
            self._check(0 if program is None else _cost(program, text), limit)
            if program is not None:
                spans = self._by_re2(program, subject, at, whole=whole)
            else:
                spans = self._by_regex(subject, at, limit, whole=whole)
        finally:
            if left is not None:
                left[0] -= time.thread_time() - start
        return None if spans is None else Match(self, text, spans)

    # RE2.

    def _program(self, text: str, at: int = 0) -> Any:
        """Return RE2's program for the text from index `at` on, or None if RE2 cannot match it."""
        key = text.isascii(), at > 0 and self.word
        if key not in self._programs:
            self._programs[key] = self._re2(narrow=key[0], first=not key[1])
        if self._programs[key] is None:
            self._slow  # noqa: B018 - compiled now, outside the time limit of matching
        return self._programs[key]

    @cached_property
    def _programs(self) -> dict[tuple[bool, bool], Any]:
        return {}

    def _re2(self, *, narrow: bool, first: bool = True) -> Any:
        import re2  # loaded only when a pattern is matched

        try:
            source = for_re2(_speakable(self.pattern), self.flags, narrow=narrow, java=self.java)
        except UnsupportedError:
            return None
        if self.word:
            other = r"\W" if narrow else r"[^\p{L}\p{N}_]"
            before = rf"(?:\A|{other})" if first else other
            source = rf"{before}({source})(?:{other}|\z)"
        options = re2.Options()
        options.log_errors, options.max_mem = False, _MEMORY
        options.case_sensitive = not self.flags & re.IGNORECASE
        options.dot_nl = bool(self.flags & re.DOTALL)
        options.longest_match = self.longest
        prefix = "(?m)" if self.flags & re.MULTILINE else ""
        try:
            return re2.compile(prefix + source, options)
        except re2.error:
            return None

    def _by_re2(self, program: Any, text: str, at: int, *, whole: bool) -> tuple[Span, ...] | None:
        ascii_ = text.isascii()
        subject: Any = text.encode() if ascii_ else text
        if whole:
            found = program.fullmatch(subject)
        else:
            # RE2's match includes the character before a word, so search from one character before.
            found = program.search(subject, max(0, at - 1) if self.word else at)
            if self._ends_early(text):
                earlier = program.search(subject[:-1], at) if at < len(text) else None
                if earlier and (found is None or earlier.start() < found.start()):
                    found = earlier
        if found is None:
            return None
        first = 1 if self.word else 0
        return tuple(found.span(number) for number in range(first, self.groups + 1 + first))

    # regex.

    @cached_property
    def _slow(self) -> Any:
        try:
            if len(self.pattern) > _LONGEST_SLOW:
                raise PatternError("pattern is too long")
            return _slowly_compiled(self)
        except RecursionError:
            raise PatternError("pattern is nested too deeply") from None

    def _by_regex(
        self, text: str, at: int, seconds: float, *, whole: bool
    ) -> tuple[Span, ...] | None:
        method = self._slow.fullmatch if whole else self._slow.search
        try:
            found = method(text, at, timeout=seconds, concurrent=True)
        except TimeoutError:
            raise SlowPatternError(f"took too long: {self.pattern[:200]!r}") from None
        except MemoryError:
            raise SlowPatternError(f"took too much memory: {self.pattern[:200]!r}") from None
        return None if found is None else tuple(found.span(n) for n in range(self.groups + 1))


@lru_cache(maxsize=256)
def compile(  # noqa: A001 - named like `re.compile`
    pattern: str, flags: int = 0, *, longest: bool = False, word: bool = False, java: bool = False
) -> Pattern:
    r"""Compile a pattern in Python's syntax.

    `flags` may be IGNORECASE, DOTALL, MULTILINE and VERBOSE of `re`. With `longest`, the longest of
    the leftmost matches is found, as in POSIX, instead of the first in Python's order. With `word`,
    a match has no letter, digit or underscore directly before or after it. With `java`, the
    additional syntax of `java.util.regex` is supported, such as \p{L}, \h and nested sets.

    Raises:
        PatternError: if the pattern is invalid, too long, or nested too deeply.
    """
    if len(pattern) > LONGEST:
        raise PatternError(f"pattern is longer than {LONGEST} characters")
    known: Any = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            known = re.compile(pattern, flags)
    except (RecursionError, OverflowError):
        raise PatternError("pattern is nested too deeply") from None
    except re.error as error:
        if not java:
            raise PatternError(str(error)) from None
        reason = str(error)
    made = Pattern(pattern, int(flags), longest, word, java, {}, 0)
    if known is None:
        known = made._re2(narrow=True)  # noqa: SLF001 - a class of this module
        try:
            known = known if known is not None else made._slow  # noqa: SLF001
        except PatternError:
            raise PatternError(reason) from None
    return Pattern(
        pattern, int(flags), longest, word, java, dict(known.groupindex), int(known.groups)
    )


def _slowly_compiled(pattern: Pattern) -> Any:
    import regex  # loaded only when a pattern needs it

    source, flags = _speakable(pattern.pattern), regex.V1 if pattern.java else regex.V0
    flags |= regex.POSIX if pattern.longest else 0
    for theirs, ours in (
        (re.IGNORECASE, regex.IGNORECASE),
        (re.DOTALL, regex.DOTALL),
        (re.MULTILINE, regex.MULTILINE),
        (re.VERBOSE, regex.VERBOSE),
    ):
        flags |= ours if pattern.flags & theirs else 0
    if pattern.word:
        source = rf"(?<!\w)(?:{source})(?!\w)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return regex.compile(source, flags, cache_pattern=False)
    except regex.error as error:
        raise PatternError(str(error)) from None


def _cost(program: Any, text: str) -> float:
    return float(program.programsize) * len(text) / _STEPS_PER_SECOND


def _speakable(text: str) -> str:
    """Return the text with its surrogates, which UTF-8 cannot encode, as private-use characters."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda found: chr(ord(found[0]) - 0xD800 + 0x100000), text)
