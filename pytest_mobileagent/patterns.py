"""Regular expressions from untrusted sources, matched in bounded time.

A pattern from an agent, a model, a task or a command line may be `(a+)+$`, which can keep Python's
`re` busy for years and block the process. So `re` only checks the syntax, and `regex`, which reads
the same syntax and has a time limit, matches. All untrusted patterns are compiled here. This module
imports nothing else of the package, because the virtual phone may import only this module of it.

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
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "PATIENT", "QUICK", "Match", "Pattern", "PatternError", "SlowPatternError", "compile", "within",
]  # fmt: skip

QUICK: Final = 0.2  # the time limit in seconds where matching blocks an event loop
PATIENT: Final = 2.0  # the time limit in seconds in a thread
_LONGEST = 2_000  # characters of a pattern, as compiling takes time, too
# A brace that does not count is literal in `re`, but begins a fuzzy match in `regex`.
_LITERAL_BRACE = re.compile(r"(\\(?:[NpP]\{[^}]*\}|.))|\{(?!\d*,?\d*\})", re.DOTALL)

Match: TypeAlias = re.Match[str]  # or that of `regex`, which has the same interface


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
class Pattern:
    """A pattern compiled by `compile`.

    All methods that match raise SlowPatternError if matching would take longer than `seconds`. For
    `sub` and `finditer`, this limit applies to all matches together.
    """

    pattern: str
    groups: int
    program: Any  # of `regex`

    def search(self, text: str, at: int = 0, *, seconds: float = QUICK) -> Match | None:
        """Return the first match that begins at or after index `at`, or None."""
        return self._timed(seconds, lambda limit: self.program.search(text, at, timeout=limit))

    def fullmatch(self, text: str, *, seconds: float = QUICK) -> Match | None:
        """Return the match of the whole text, or None."""
        return self._timed(seconds, lambda limit: self.program.fullmatch(text, timeout=limit))

    def finditer(self, text: str, *, seconds: float = QUICK) -> Iterator[Match]:
        """Yield all non-overlapping matches."""
        end = time.monotonic() + seconds
        matches = self.program.finditer(text, timeout=seconds, concurrent=True)
        while found := self._timed(end - time.monotonic(), lambda _limit: next(matches, None)):
            yield found

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

    def _timed(self, seconds: float, match: Callable[[float], Any]) -> Match | None:
        """Return what `match` finds within the limit that it is given, in seconds."""
        left = _left.get()
        limit = seconds if left is None else min(seconds, left[0])
        too_long = f"took too long for a text of this length: {self.pattern[:200]!r}"
        if limit <= 0:
            raise SlowPatternError(too_long)
        start = time.monotonic()
        try:
            found: Match | None = match(limit)
        except (TimeoutError, MemoryError):
            raise SlowPatternError(too_long) from None
        finally:
            if left is not None:
                left[0] -= time.monotonic() - start
        return found


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
    import regex  # loaded only when a pattern is matched

    if len(pattern) > _LONGEST:
        raise PatternError(f"pattern is longer than {_LONGEST} characters")
    source = _LITERAL_BRACE.sub(lambda brace: brace[1] or r"\{", pattern)
    source = rf"(?<!\w)(?:{source})(?!\w)" if word else source
    kind = (regex.V1 if java else regex.V0) | (regex.POSIX if longest else 0)
    for name in ("IGNORECASE", "DOTALL", "MULTILINE", "VERBOSE"):
        kind |= getattr(regex, name) if flags & getattr(re, name) else 0
    try:
        with warnings.catch_warnings(action="ignore"):
            if not java:
                re.compile(pattern, flags)
            program = regex.compile(source, kind, cache_pattern=False)
    except (RecursionError, OverflowError):
        raise PatternError("pattern is nested too deeply") from None
    except (re.error, regex.error) as error:
        raise PatternError(str(error)) from None
    return Pattern(pattern, program.groups, program)
