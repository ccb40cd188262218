"""Tests of patterns from untrusted sources: they match like `re`, but in bounded time."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import patterns
from pytest_mobileagent.patterns import PatternError, SlowPatternError

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS = [
    "", "a", "aab", "foo foo bar", "éa foo", "a\n", "b\na\n", "foo\u00a0b", "12345", "STRASSE",
    "straße",
    "\udcffa\udc80", "A-_ ", "aaa\nbbb", " x ", "日本語 foo", "[a]\x08", "\x1c\x0b", "٣ a٣",
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
    "(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){12}$", "([a-zA-Z]+)*$", "(a*)*b", "(a?){25}(a){25}$",
    r"([\w\s,.'-]+)+\x01", r"(\w+)+\b$", "^(([a-z])+.)+[A-Z]([a-z])+$",
]  # fmt: skip
BACKTRACKING = [r"(a|aa)+\1$", "^(?=(a+)+b)", "(?<!x)(a+)+(?!a)b", "(?>(a+)+)b"]


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
            assert (found and found.spans) == (wanted and wanted.regs), (name, text)
        assert [each.span() for each in ours.finditer(text)] == [
            each.span() for each in theirs.finditer(text)
        ]
        assert ours.sub("-", text) == theirs.sub("-", text)


def test_a_match_has_its_groups() -> None:
    found = patterns.compile(r"(?P<first>a)|(b)").search("xb")
    assert found is not None
    assert (found.text, found[2], found["first"], found.groups()) == ("b", "b", None, (None, "b"))
    assert (found.start(), found.end(2), found.span("first")) == (1, 2, (-1, -1))
    with pytest.raises(IndexError, match="no group 3"):
        found.group(3)


@pytest.mark.parametrize(
    "pattern", ["(", ")", "[a", "a**", "\\", "x{2,1}", "(?P<1>a)", "[z-a]", r"\p{L}", r"\2(a)"]
)
def test_invalid_patterns_are_reported_like_in_re(pattern: str) -> None:
    with pytest.raises(re.error) as wanted:
        re.compile(pattern)
    with pytest.raises(PatternError, match=re.escape(str(wanted.value))):
        patterns.compile(pattern)


@pytest.mark.parametrize("pattern", ["(" * 5000 + ")" * 5000, "a" * 20_000, "(?=a)" * 1000])
def test_too_large_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(PatternError, match=r"nested too deeply|longer than|too long"):
        patterns.compile(pattern).search("b")


@pytest.mark.parametrize("text", ["a" * 40 + "!", "a" * 20_000 + "!", "é" + "a" * 40 + "!"])
@pytest.mark.parametrize("pattern", CATASTROPHES)
def test_patterns_that_stop_re_run_in_linear_time(pattern: str, text: str) -> None:
    try:
        assert patterns.compile(pattern).fullmatch(text, seconds=20) is None
    except SlowPatternError:  # RE2 supports word boundaries only for ASCII.
        assert r"\b" in pattern
        assert not text.isascii()


@pytest.mark.parametrize("pattern", BACKTRACKING)
def test_backtracking_patterns_have_a_time_limit(pattern: str) -> None:
    compiled = patterns.compile(pattern)
    assert compiled.cost("a") == float("inf")
    try:
        assert compiled.search("a" * 20_000 + "!") is None
    except SlowPatternError as error:
        assert "too" in str(error)  # noqa: PT017 - an atomic group does not backtrack


def test_a_limit_is_for_all_that_is_matched_within_it() -> None:
    compiled = patterns.compile(r"(a|aa)+\1$")
    with patterns.within(0.05):
        with pytest.raises(SlowPatternError):
            compiled.search("a" * 2000 + "!")
        with pytest.raises(SlowPatternError):
            compiled.search("aa")
    assert compiled.search("aa") is not None


def test_a_large_pattern_is_not_tried_on_a_long_text() -> None:
    compiled = patterns.compile("(a?){500}(a){500}x")
    assert compiled.search("a" * 499 + "x") is None
    with pytest.raises(SlowPatternError, match="too slow for a text of this length"):
        compiled.search("a" * 1_000_000)


def test_the_longest_match_is_found_where_posix_is_asked_for() -> None:
    assert patterns.compile("a|ab", longest=True).search("abc").text == "ab"  # type: ignore[union-attr]
    assert patterns.compile(r"(a|ab)\1|abab", longest=True).search("abab").text == "abab"  # type: ignore[union-attr]


@pytest.mark.parametrize("pattern", ["sh|a(b)?", r"(s)h|(?=a)ab?", "-?a"])
def test_words_are_found_as_look_around_finds_them(pattern: str) -> None:
    for text in ("sh ash ab,a sh", "a", "--a a-", "ésh sh", "aa a"):
        wanted = re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text)
        found = patterns.compile(pattern, word=True).finditer(text)
        assert [each.spans for each in found] == [each.regs for each in wanted]


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
    assert match.text == found
    with pytest.raises(PatternError):
        patterns.compile(pattern + "(", java=True)
