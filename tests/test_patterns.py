"""Tests of patterns from untrusted sources: they match like `re`, but in bounded time."""

from __future__ import annotations

import contextlib
import re
import signal
import time
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import patterns
from pytest_mobileagent.patterns import PatternError, SlowPatternError

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS = [
    "", "a", "aab", "foo foo bar", "éa foo", "a\n", "b\na\n", "foo\u00a0b", "12345", "STRASSE",
    "straße",
    "\udcffa\udc80", "A-_ ", "aaa\nbbb", " x ", "日本語 foo", "[a]\x08", "٣ a٣",
]  # fmt: skip
SYNTAX = [
    "a+", "(a)|(b)", r"\w+", r"\W", r"[\W]", r"\bfoo\b", r"o\B", r"[\w.-]+", r"\d{2,3}", r"\D+",
    "x*",
    r"[^\s]+", r"\S+", r"[\S]", "a$", "^a", "(?i)STRASSE", "é.", "[é-ü]+", r"\u00e9", r"\x41",
    r"(a)\1",
    "(?=b)b", "(?<!o)o", "a{,2}", "a{1", "[[]", "[]a]", "[^]a]", "(?P<n>a)b", ".*", r"\A\w*\Z",
    "a|",
    "(a*)+?b", r"[\b]", "a++b", r"\-\_\ ", r"\s*$", "(?m)^b?$", r"\é", r"\0", "(?x) a # b",
    "(?s:.)+",
]  # fmt: skip
CATASTROPHES = [
    r"(a|aa)+\1$", "^(?=(a+)+b)", "(?>(a+)+)b", "(a+)+$", "(.*a){12}$", "(a?){25}(a){25}$",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _an_end() -> Iterator[None]:
    """Interrupt a match that would take years; `re` checks for signals from time to time."""
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.mark.parametrize("pattern", SYNTAX)
def test_results_agree_with_re(pattern: str) -> None:
    ours, theirs = patterns.compile(pattern), re.compile(pattern)
    for text in TEXTS:
        for name in ("search", "fullmatch"):
            found, wanted = getattr(ours, name)(text), getattr(theirs, name)(text)
            assert (found and found.regs) == (wanted and wanted.regs), (name, text)
        assert [each.span() for each in ours.finditer(text)] == [
            each.span() for each in theirs.finditer(text)
        ]
        assert ours.sub("-", text) == theirs.sub("-", text)


@pytest.mark.parametrize(
    "pattern", ["(", ")", "[a", "a**", "\\", "x{2,1}", "(?P<1>a)", "[z-a]", r"\p{L}", r"\2(a)"]
)
def test_invalid_patterns_are_reported_like_in_re(pattern: str) -> None:
    with pytest.raises(re.error) as wanted:
        re.compile(pattern)
    with pytest.raises(PatternError, match=re.escape(str(wanted.value))):
        patterns.compile(pattern)


@pytest.mark.parametrize("pattern", ["(" * 5000 + ")" * 5000, "a" * 20_000])
def test_too_large_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match=r"nested too deeply|longer than"):
        patterns.compile(pattern).search("b")


@pytest.mark.parametrize("pattern", CATASTROPHES)
def test_patterns_that_stop_re_have_a_time_limit(pattern: str) -> None:
    compiled = patterns.compile(pattern)
    for text in ("a" * 40 + "!", "a" * 20_000 + "!", "\u00e9" + "a" * 40 + "!"):
        start = time.monotonic()
        with contextlib.suppress(SlowPatternError):  # some of them are recognised as hopeless
            assert compiled.fullmatch(text, seconds=0.05) is None
        assert time.monotonic() - start < 10


@pytest.mark.parametrize("pattern", ["x{e}y", "x{i<=1}y", r"\\{e}", "[{e}]+", r"\N{DIGIT ONE}"])
def test_braces_do_not_make_a_match_fuzzy(pattern: str) -> None:
    for text in ("x{e}y", "x{i<=1}y", "xy", "y", "\\{e}", "1"):
        found, wanted = patterns.compile(pattern).search(text), re.search(pattern, text)
        assert (found and found.span()) == (wanted and wanted.span()), text


def test_a_limit_is_for_all_that_is_matched_within_it() -> None:
    compiled = patterns.compile(r"(a|aa)+\1$")
    with patterns.within(0.05):
        with pytest.raises(SlowPatternError):
            compiled.search("a" * 2000 + "!")
        with pytest.raises(SlowPatternError):
            compiled.search("aa")
    assert compiled.search("aa") is not None


def test_the_longest_match_is_found_where_posix_is_asked_for() -> None:
    assert patterns.compile("a|ab", longest=True).search("abc")[0] == "ab"  # type: ignore[index]
    assert patterns.compile(r"(a|ab)\1|abab", longest=True).search("abab")[0] == "abab"  # type: ignore[index]


@pytest.mark.parametrize("pattern", ["sh|a(b)?", r"(s)h|(?=a)ab?", "-?a"])
def test_words_are_found_as_look_around_finds_them(pattern: str) -> None:
    for text in ("sh ash ab,a sh", "a", "--a a-", "ésh sh", "aa a"):
        wanted = re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text)
        found = patterns.compile(pattern, word=True).finditer(text)
        assert [each.regs for each in found] == [each.regs for each in wanted]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"\p{L}+", "éabc"),
        ("[a-z&&[^b]]+", "a"),
        (r"\h+", " "),
        ("(?<x>b)c", "bc"),
        ("[a[bc]]+", "abc"),
        (r"(?i)ÉA", "éa"),
        ("ab++c", "abc"),
    ],
)
def test_javas_syntax_is_understood(pattern: str, found: str) -> None:
    match = patterns.compile(pattern, java=True).search("éabc def")
    assert match is not None
    assert match[0] == found
    with pytest.raises(PatternError):
        patterns.compile(pattern + "(", java=True)
