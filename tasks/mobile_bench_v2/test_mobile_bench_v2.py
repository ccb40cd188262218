"""Mobile-Bench-v2 (arXiv 2505.11891): its four splits, on the recorded pages of Mobile3M.

On a single path (`--mobile-path=single`), a task is done if each step matches by the paper's rule;
the figures by the rule of its code are reported beside it. On many paths it is done as soon as its
page, or a page equal to it in the graph, is reached, as in the released code; the steps are then
compared with the golden path, one after the other.
"""

import pytest

from pytest_mobileagent import tasks
from pytest_mobileagent.check import compare, mobile_bench

from .release import copy_of_release, rows_by_split

SPLITS = rows_by_split(*copy_of_release())
COMMON = {"needs": ("pages",), "source": "Mobile-Bench-v2", "stop_on_success": True}


def split(name, **fields):
    """Return the decorator for the tasks of a split."""
    rows, each = SPLITS[name]
    return tasks(rows, each=each, **COMMON, **fields)


def check(episode, row):
    golden = None if episode.is_on_path else SPLITS[row.tags[0]][1][row.id]["golden"]
    compare(mobile_bench, episode, golden, scorer="code", beside=True)
    matched = compare(mobile_bench, episode, golden)
    if episode.is_on_path:
        assert all(matched)
    else:
        assert episode.reached(row.page)


@pytest.mark.mobile_share(600)  # of 800, as the paper samples
@split("simple", step_limit=20)
def test_simple(episode, row):
    check(episode, row)


@pytest.mark.mobile_share(200)
@split("complex", step_limit=25)
def test_complex(episode, row):
    check(episode, row)


@split("noisy")
def test_noisy(episode, row):
    check(episode, row)


@split("ambiguous")
def test_ambiguous(episode, row):
    check(episode, row)
