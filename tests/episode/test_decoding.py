"""Tests of finding a text regardless of its encoding."""

from __future__ import annotations

import base64
import html
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.episode.secrets import found, masked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = 'Zoë 4711 <&> "it\'s" 👍'


def search(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in re.finditer(re.escape(SECRET), text))


def in_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": in_json,
    "JSON in JSON": lambda text: in_json(in_json(text)),
    "JSON in JSON in JSON": lambda text: in_json(in_json(in_json(text))),
    "JSON of other characters": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "URL": quote,
    "URL in a URL": lambda text: quote(quote(text)),
    "query": quote_plus,
    "adb's input": lambda text: text.replace(" ", "%s"),
    "adb's input, quoted": lambda text: re.sub(r"([<>&\"'])", r"\\\1", text).replace(" ", "%s"),
    "a shell's words": lambda text: re.sub(r"(\W)", r"\\\1", text),
    "HTML": html.escape,
    "HTML of numbers": lambda text: "".join(f"&#{ord(char)};" for char in text),
    "hexadecimal escapes": lambda text: "".join(
        f"\\x{ord(char):02x}" if ord(char) < 256 else char for char in text
    ),
    "base64": in_base64,
    "base64 for URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in base64": lambda text: in_base64(in_base64(text)),
    "base64 of JSON": lambda text: in_base64(json.dumps({"text": text})),
    "base64 in a URL": lambda text: quote(in_base64(text), safe=""),
}


@pytest.mark.parametrize("way", WAYS)
def test_matches_are_found_in_any_encoding_and_other_text_is_unchanged(way):
    written = WAYS[way](SECRET)
    around = [("", ""), ("He said: ", " (or so)"), ('{"a": "', '"}'), ("😀\\n%41 ", "\\")]
    for before, after in around:
        assert masked(f"{before}{written}{after}", search, "█") == f"{before}█{after}"
    other = WAYS[way]("Zoë 4712 <&> and \\u12 %zz & &x; \\")
    assert masked(other, search, "█") == other


@pytest.mark.parametrize(
    "written",
    [
        "4711\u00a00815",  # separated as by apps and web sites
        "4711&nbsp;0815",
        "４７１１　０８１５",
    ],
)
def test_numbers_are_found_with_separators_anywhere(written):
    def number(text: str) -> Iterator[tuple[int, int]]:
        return (match.span() for match in re.finditer("4711 081", text))

    assert found(f"It is {written}.", number)


def test_all_matches_are_found():
    text = rf"a {SECRET} b {quote(SECRET)} c {in_json(SECRET)} d"
    assert masked(text, search, "█") == "a █ b █ c █ d"
    assert found("nothing", search) == []


@given(st.text(), st.text(), st.sampled_from(sorted(WAYS)))
def test_encoded_secret_is_found_in_any_context(before, after, way):
    kept = f"{before} {after}"
    if not found(kept, search):
        assert masked(kept, search, "█") == kept
    told = masked(f"{before} {WAYS[way](SECRET)} {after}", search, "█")
    assert WAYS[way](SECRET).strip() not in told


@pytest.mark.parametrize(
    "text", ["\\" * 100_000, "%41" * 50_000, "&#65;" * 50_000, "QUJD" * 50_000]
)
def test_long_text_is_searched_once_per_encoding(text):
    calls = 0

    def counts(_text: str) -> list[tuple[int, int]]:
        nonlocal calls
        calls += 1
        return []

    assert found(text, counts) == []
    assert calls < 60
