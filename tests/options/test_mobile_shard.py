"""--mobile-shard: one of N parts of the selected tests, the same on every machine."""

import itertools
import json
from collections import Counter

import pytest

from pytest_mobileagent.plugin.selection import parts
from tests.plugin.projects import NO_PHONE

NAMES = [f"tasks/shop/shop-{number:03}" for number in range(108)]


def listed(project, *arguments):
    """Return the node ids of the selected tests."""
    result = project.run("--collect-only", "-q", "-p", "no:cacheprovider", *arguments)
    return [line for line in result.outlines if "::" in line]


def about(project, runs):
    (path,) = (project.pytester.path / runs).glob("*/run.json")
    return json.loads(path.read_text())


@pytest.mark.parametrize("arguments", [[], ["--mobile-epochs=2"], ["-k", "0 or 1 or 2 or 3"]])
def test_parts_are_all_of_it_and_nothing_twice(asking, arguments):
    asking.write(count=7)
    each = [listed(asking, f"--mobile-shard={n}/3", *arguments) for n in (1, 2, 3)]
    assert sorted(itertools.chain(*each)) == sorted(listed(asking, *arguments))
    assert all(each)


def test_all_epochs_of_a_task_are_in_one_part(asking):
    asking.write(count=5)
    part = listed(asking, "--mobile-shard=1/2", "--mobile-epochs=3")
    tasks = Counter(nodeid.split("-epoch")[0] for nodeid in part)
    assert set(tasks.values()) == {3}


def test_tasks_left_to_other_shards_are_deselected(asking):
    asking.write(count=6)
    result = asking.run("--mobile-shard=1/2", agent="Silent")
    result.assert_outcomes(passed=3, deselected=3)
    assert len(asking.report()["tasks"]) == 3


def test_tests_that_are_not_tasks_are_distributed_separately(asking):
    asking.write(count=2)
    asking.pytester.makepyfile(test_others="def test_a(): pass\ndef test_b(): pass")
    part = listed(asking, "--mobile-shard=1/2")
    assert sorted(nodeid.split("::")[0] for nodeid in part) == ["test_codes.py", "test_others.py"]


def test_run_json_has_the_shard_and_the_fingerprints_of_the_whole(asking):
    asking.write(count=6)
    runs = {"whole": [], "one": ["--mobile-shard=1/2"], "two": ["--mobile-shard=2/2"]}
    for folder, arguments in runs.items():
        asking.run(f"--mobile-runs={folder}", *arguments, agent="Silent")
    whole, one, two = (about(asking, folder) for folder in runs)
    assert [each["run"]["shard"] for each in (whole, one, two)] == [None, "1/2", "2/2"]
    assert whole["run"]["fingerprint"] == one["run"]["fingerprint"] == two["run"]["fingerprint"]
    assert [len(each["tasks"]) for each in (whole, one, two)] == [6, 3, 3]


def test_more_parts_than_tasks_leave_some_empty(asking):
    results = [asking.run(f"--mobile-shard={n}/2", agent="Silent").ret for n in (1, 2)]
    assert sorted(results) == [0, pytest.ExitCode.NO_TESTS_COLLECTED]


@pytest.mark.parametrize("count", [1, 2, 4, 7, 200])
def test_parts_are_of_one_size(count):
    sizes = Counter(parts(NAMES, count).values())
    assert set(sizes) <= set(range(1, count + 1))
    assert max(sizes.values()) - min(sizes[n] for n in range(1, count + 1)) <= 1


def test_parts_do_not_depend_on_the_order():
    assert parts(NAMES, 4) == parts(list(reversed(NAMES)), 4)
    assert [parts(NAMES[:6], 3)[name] for name in NAMES[:6]] == [1, 2, 1, 3, 2, 3]  # on any machine


def test_a_new_task_moves_few_others():
    before = parts(NAMES, 4)
    for number in range(10):
        after = parts([*NAMES, f"tasks/shop/new-{number}"], 4)
        assert sum(after[name] != part for name, part in before.items()) <= 4


@pytest.mark.parametrize("text", ["0/4", "5/4", "2", "a/b", "1/0"])
def test_other_parts_are_refused(wrong, text):
    said = "must be I/N, such as 2/4 for the second of four parts"
    assert wrong("--mobile-shard", text) == said


@pytest.mark.slow
def test_workers_share_a_part(asking):
    asking.write(count=6)
    result = asking.run("--mobile-shard=1/2", "-n2", NO_PHONE, agent="Silent")
    result.assert_outcomes(passed=3)
