"""Compares texts of screens, which contain many special spaces and invisible marks."""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pytest_mobileagent.screen.element import FLAGS

# Bidirectional marks, zero-width characters and the soft hyphen, none of which is visible.
_INVISIBLE = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SPACES = re.compile(r"\s+")


def normalise(text: str) -> str:
    """Return `text` with each run of Unicode spaces as one space, and no invisible characters.

    For example, clock labels separate "9:41" and "AM" by U+200A or U+202F.
    """
    return _SPACES.sub(" ", _INVISIBLE.sub("", text)).strip()


def folded(text: str) -> str:
    """Return `text` in the form for comparing OCR results: compatibility forms (NFKC), no spaces.

    Engines read "：" for ":", "￥" for "¥", and lose the space between two words.
    """
    return _SPACES.sub("", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))


if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_mobileagent.screen.element import Element

    Test = Callable[[Element], bool]

SPOKEN = ("text", "content_desc")  # the criteria that `fuzzy` applies to

_normal = lru_cache(maxsize=8192)(normalise)  # texts repeat within and between screens
_folded = lru_cache(maxsize=8192)(folded)


def meets(name: str, wanted: Any, fuzzy: float | None = None) -> Test:
    """Return a test of whether an attribute of an element matches a wanted value."""
    words = attrgetter(name)
    if name in FLAGS:
        return lambda element: words(element) is wanted
    if isinstance(wanted, re.Pattern):
        search = wanted.search
        return lambda element: search(_normal(words(element))) is not None
    if name == "resource_id":
        return lambda element: (
            wanted in (element.resource_id, element.resource_id.rpartition(":id/")[2])
            and bool(element.resource_id)
        )
    if name == "class_name":
        return lambda element: wanted in (element.class_name, element.class_name.rpartition(".")[2])
    if fuzzy is not None and name in SPOKEN:
        like = _fuzzy_match(wanted, fuzzy)
        return lambda element: like(words(element))
    normal = normalise(wanted)
    return lambda element: _normal(words(element)) == normal


def meets_as_read(name: str, wanted: Any, fuzzy: float | None = None) -> Test:
    """Return a test of whether the text that was read in the picture matches a wanted value.

    Engines lose spaces and confuse full-width characters with others, so texts are compared without
    these differences (see `text.folded`); a pattern is searched for in the text as read and folded.
    """
    if name != "text" or fuzzy is not None:
        return meets(name, wanted, fuzzy)
    if isinstance(wanted, re.Pattern):
        tight = _without_spaces(wanted)
        return lambda element: (
            wanted.search(_normal(element.text)) is not None
            or tight.search(_folded(element.text)) is not None
        )
    sought = folded(wanted)
    return lambda element: _folded(element.text) == sought


def _fuzzy_match(wanted: str, least: float) -> Callable[[str], bool]:
    from rapidfuzz import fuzz  # heavy, so imported only when needed

    sought = folded(wanted)
    return lambda text: fuzz.ratio(sought, _folded(text)) >= least


@lru_cache(maxsize=256)
def _without_spaces(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern in which literal spaces are ignored."""
    words = re.sub(r"(?<!\\)((?:\\\\)*)#", r"\1\\#", pattern.pattern)  # "#" would begin a comment
    return re.compile(words, pattern.flags | re.VERBOSE)


def likeness(name: str, wanted: str, element: Element) -> float:
    """Return how similar an element's texts are to a wanted one, from 0 to 1."""
    if name == "resource_id":
        return _ratio(wanted.rpartition("/")[2], element.resource_id.rpartition("/")[2])
    own, other = element.text, element.content_desc
    if name != "text":
        own, other = other, own
    return max(_ratio(wanted, own), 0.95 * _ratio(wanted, other))


def _ratio(one: str, other: str) -> float:
    one, other = normalise(one).lower(), normalise(other).lower()
    if not one or not other:
        return 0.0
    if one in other or other in one:
        return 0.7 + 0.3 * min(len(one), len(other)) / max(len(one), len(other))
    return difflib.SequenceMatcher(None, one, other).ratio()
