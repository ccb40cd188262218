"""What is kept for others, as long as there is room."""

from __future__ import annotations

from functools import partial

from pytest_mobileagent.judge.pictures import LruCache


def test_a_value_is_made_once_and_what_was_asked_for_longest_ago_is_dropped() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    kept: LruCache[str] = LruCache(2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(name, partial(make, name)) == name.upper()
    assert made == ["a", "b", "c", "b"]
