"""Splitting an episode by app, in order, without cutting off any valid way of doing the task."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.judge.segments import SplitError, check_apps, split, visits


def parts(letters: str, apps: str) -> list[tuple[int, int]]:
    """Split a word in which each letter is a screen's package; a dot has no package."""
    packages = ["" if letter == "." else letter for letter in letters]
    return [(part.start, part.stop - 1) for part in split(packages, list(apps))]


@pytest.mark.parametrize(
    ("letters", "apps", "expected"),
    [
        ("HAAHBB", "AB", [(1, 3), (4, 5)]),  # the launcher belongs to no app; leaving is included
        ("AAABBB", "AB", [(0, 3), (3, 5)]),  # directly from one app to the other
        ("AkAAdBB", "AB", [(0, 4), (5, 6)]),  # keyboards and dialogs end no visit
        ("AXXABB", "AB", [(0, 4), (4, 5)]),  # a detour to an app that is not listed
        ("A.AB", "AB", [(0, 3), (3, 3)]),  # a screen without a known package
        ("ABBAA", "ABA", [(0, 1), (1, 3), (3, 4)]),  # the same app twice
        ("BBAABB", "AB", [(2, 4), (4, 5)]),  # a brief visit to the second app first
        ("AB", "AB", [(0, 1), (1, 1)]),
        # There are two ways to assign the visits; each subtask gets the screens of both.
        ("AABBAABB", "AB", [(0, 6), (2, 7)]),
        ("ABABA", "ABA", [(0, 3), (1, 4), (2, 4)]),
    ],
)
def test_subtask_has_the_screens_of_its_app_and_the_next_one(letters, apps, expected):
    assert parts(letters, apps) == expected


@pytest.mark.parametrize(
    ("letters", "apps", "why"),
    [
        ("AAHH", "AB", "B was never used"),
        ("BBAA", "AB", "B was not used after A, as subtask 2"),
        ("ABB", "ABA", "A was not used after B, as subtask 3"),
        ("HHHH", "AB", "A was never used"),
        ("", "A", "A was never used"),
    ],
)
def test_a_missing_app_or_a_wrong_order_is_reported(letters, apps, why):
    with pytest.raises(SplitError, match=why):
        parts(letters, apps)


def test_any_alternative_of_an_app_matches() -> None:
    packages = ["shop.a", "shop.a", "shop.b", "shop.b"]
    assert split(packages, ["news|shop.a", "shop.b"]) == [range(3), range(2, 4)]
    # Neighbouring subtasks may then use the same app, and one visit serves both.
    assert split(packages, ["shop.a", "shop.b", "shop.a|shop.b"])[1:] == [range(2, 4)] * 2
    cheaper_first = [*packages, "shop.a"]
    parts = split(cheaper_first, ["shop.a", "shop.b", "shop.a|shop.b"])
    assert parts == [range(3), range(2, 5), range(2, 5)]
    with pytest.raises(SplitError, match=r"x\|y was never used"):
        split(packages, ["shop.a", "x|y"])


words = st.text("ABCH", max_size=14)
lists = st.lists(st.sampled_from("ABC"), min_size=1, max_size=4).filter(
    lambda apps: all(one != other for one, other in pairwise(apps))
)


def ways(found, apps, start=0):
    """Yield every assignment of visits to apps that preserves their order, by brute force."""
    if not apps:
        yield ()
        return
    for number in range(start, len(found)):
        if found[number].app == apps[0]:
            yield from ((number, *rest) for rest in ways(found, apps[1:], number + 1))


@given(words, lists)
def test_split_covers_every_ordered_assignment_of_visits(letters, apps):
    found = visits(letters, apps)
    possible = list(ways(found, apps))
    if not possible:
        with pytest.raises(SplitError):
            split(letters, apps)
        return
    cut = split(letters, apps)
    for numbers in possible:
        for part, number in zip(cut, numbers, strict=True):
            assert part.start <= found[number].first <= found[number].last < part.stop
    for place, part in enumerate(cut):  # and no wider than necessary
        assert part.start in {found[numbers[place]].first for numbers in possible}
        lasts = {found[numbers[place]].last for numbers in possible}
        assert part.stop in {min(last + 2, len(letters)) for last in lasts}
    assert [part.start for part in cut] == sorted({part.start for part in cut})


def test_adjacent_subtasks_of_one_app_are_a_task_error():
    with pytest.raises(TaskError, match=r"subtasks 2 and 3 both use B"):
        check_apps("ABB")
    with pytest.raises(TaskError, match="needs subtasks"):
        check_apps([])
    check_apps("ABA")
