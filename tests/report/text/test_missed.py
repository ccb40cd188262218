from __future__ import annotations

import pytest

from pytest_mobileagent.report.text.narration import missed

ROWS = "assert [{'name': 'Py...', 'week': 1}] == [{'name': 'Py...', 'week': 3}]\n\n  "


@pytest.mark.parametrize(
    ("sought", "reason", "words"),
    [
        (
            'episode.probe("downloads") == others',
            f"{ROWS}Left contains one more item: {{'name': 'Negotiation Skills', 'week': 1}}",
            "probe \"downloads\" also has ('Negotiation Skills', 1)",
        ),
        (
            'others == episode.probe("downloads")',
            f"{ROWS}Left contains 2 more items, first extra item: {{'name': 'Art'}}",
            "probe \"downloads\" lacks 2 items, the first: 'Art'",
        ),
        (  # what is longer is not what is too much: the first ones differ
            'episode.probe("downloads") == others',
            f"{ROWS}At index 0 diff: 'a' != 'b'\n  Left contains one more item: 'b'",
            "probe \"downloads\", item 0: 'a' != 'b'",
        ),
        (
            '{"name": "Art"} in episode.probe("saved")',
            "assert {'name': 'Art'} in [{'name': 'Skills'}]\n +  where [{'name': 'Skills'}] = x",
            "probe \"saved\" lacks 'Art'; it is [{'name': 'Skills'}]",
        ),
        (
            'name not in episode.probe("saved")',
            "assert 'Art' not in ['Art']",
            "probe \"saved\" has 'Art'",
        ),
        (
            '"milk" in [row["name"] for row in episode.probe("items")]',
            "assert 'milk' in ['bread', 'eggs']",
            "'milk' is not in ['bread', 'eggs']",
        ),
        ('episode.probe("dark") == "2"', "assert '1' == '2'", "probe \"dark\" is '1', not '2'"),
        ('"2" == episode.probe("dark")', "assert '2' == '1'", "probe \"dark\" is '1', not '2'"),
        ("left(episode) == right", "assert 'a == b' == 'c'", ""),  # not to be told apart
        ("what(", "assert 1 == 2", ""),
        ("", "", ""),
    ],
)
def test_what_was_there_instead_of_what_was_sought(sought: str, reason: str, words: str) -> None:
    reason = f"AssertionError: {reason}" if reason else ""
    assert missed({"reason": reason, "evidence": {"sought": sought}}) == words


def test_the_words_of_the_author_come_first_then_what_came_closest() -> None:
    evidence = {"sought": "x", "closest": ["the answer does not say '6'\n  it says: '7'"]}
    closest = {"reason": "AssertionError: assert False", "evidence": evidence}
    assert missed(closest) == "the answer does not say '6'; it says: '7'"
    own = {"reason": "AssertionError: still there\nassert False", "evidence": evidence}
    assert missed(own) == "still there"


def test_a_check_that_held_has_missed_nothing() -> None:
    evidence = {"sought": "a == b", "check_held": True}
    assert missed({"reason": "AssertionError: assert 1 == 2", "evidence": evidence}) == ""
