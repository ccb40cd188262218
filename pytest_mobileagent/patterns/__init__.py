r"""Patterns from outside, matched in bounded time: the one place that compiles them.

What an agent, a model, a task or a command line sends may be `(a+)+$`, on which Python's own `re`
works for years, and nothing else in its process meanwhile. So `re` only says whether it is a
pattern. RE2 matches nearly all of them in time linear in the text. What it lacks (back-references,
look-around, atomic groups) is matched by `regex`, which backtracks as `re` does, but looks at the
clock. A process for each match, the other way to limit time, would cost milliseconds where this
costs nothing, and could be left behind.

The syntax is Python's, whichever engine matches. This room imports nothing else of the package, so
that the virtual phone, which imports nothing else of it, may use it as well as `device`, `llm`,
`episode` or a redaction of records.

PatternError           a text is no pattern
    SlowPatternError   a pattern that would take too long for this text
"""

from __future__ import annotations

from pytest_mobileagent.patterns.pattern import (
    LONGEST,
    PATIENT,
    QUICK,
    Match,
    Pattern,
    PatternError,
    SlowPatternError,
    Span,
    compile,  # noqa: A004 - as in `re`
    within,
)

__all__ = [
    "LONGEST",
    "PATIENT",
    "QUICK",
    "Match",
    "Pattern",
    "PatternError",
    "SlowPatternError",
    "Span",
    "compile",
    "within",
]
