"""Typed texts, as several rules compare them.

An empty text is a part of every other, so that typing nothing is right by most rules.
"""

from __future__ import annotations

from collections import Counter


def one_in_other(one: str, other: str) -> bool:
    """Whether one of two texts is a part of the other."""
    return one in other or other in one


def alike(one: str, other: str) -> bool:
    """Whether one of two texts is a part of the other; cases and outer spaces do not matter."""
    return one_in_other(one.lower().strip(), other.lower().strip())


def indel_similarity(one: str, other: str) -> float:
    """Return how much two texts have in common in order, 0-1: `Levenshtein.ratio` in Python."""
    from rapidfuzz.distance import Indel  # only some rules need it

    return Indel.normalized_similarity(one, other)


def edit_similarity(one: str, other: str) -> float:
    """Return 1 minus the Levenshtein distance over the length of the longer text, 0-1."""
    from rapidfuzz.distance import Levenshtein  # only some rules need it

    return 1 - Levenshtein.distance(one, other) / max(len(one), len(other), 1)


def common_characters(one: str, other: str) -> int:
    """Return how many characters two texts have in common, in any order, repeated ones too."""
    return (Counter(one) & Counter(other)).total()
