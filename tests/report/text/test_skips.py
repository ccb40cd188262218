"""Tests of the lines about tasks that the devices of a run cannot run."""

import pytest

from pytest_mobileagent.report.gate.missing import mostly_skipped, sample_of

DOCTOR = ["mobileagent", "doctor", "--tasks", "tasks/my shop"]
ONLY = "only 38 of 301 selected tasks can"
KNOWN = "as far as is known before a phone is used"


def counts(tasks, selected, can_run, will_be_skipped):
    return {
        "tasks": tasks,
        "selected": selected,
        "can_run": can_run,
        "will_be_skipped": will_be_skipped,
    }


@pytest.mark.parametrize(
    ("drawn", "lines"),
    [
        (counts(6, 300, 300, 0), []),
        ({}, []),  # a run without a sample, or of an older version
        (
            counts(6, 301, 38, 0),
            [f"sample: drawn from the 38 of 301 tasks that can run here, {KNOWN}"],
        ),
        (
            counts(100, 301, 38, 62),
            [f"sample: 62 of its 100 tasks cannot run here: {ONLY}, {KNOWN}"],
        ),
        (
            counts(1, 2, 0, 1),
            [f"sample: 1 of its 1 task cannot run here: none of 2 selected tasks can, {KNOWN}"],
        ),
    ],
)
def test_a_sample_says_what_it_was_drawn_from(drawn, lines):
    assert sample_of(drawn) == lines


def skipped(result, name, why="web", **fields):
    return result(None, id=name, outcome="skipped", skipped_for=why, **fields)


def test_more_than_half_of_the_tasks_skipped_names_the_command_that_says_why(result):
    results = [skipped(result, "one"), skipped(result, "two", "app"), result(True, id="three")]
    (line,) = mostly_skipped(results, DOCTOR)
    assert line.startswith("most tasks were skipped: 2 of 3; what the devices lack: ")
    assert line.endswith("mobileagent doctor --tasks 'tasks/my shop'")
    assert not mostly_skipped([*results, result(False, id="four")], DOCTOR), "half is not most"
    assert not mostly_skipped([], DOCTOR)


def test_tasks_are_counted_rather_than_their_epochs(result):
    epochs = [skipped(result, "one", epoch=epoch) for epoch in range(5)]
    assert not mostly_skipped([*epochs, result(True, id="two")], DOCTOR)
    some = [skipped(result, "one"), result(True, id="one", epoch=1)]
    assert not mostly_skipped(some, DOCTOR), "a task that ran once was not skipped"


@pytest.mark.parametrize("why", ["test", "solution", "golden", "record"])
def test_the_command_is_not_named_for_skips_that_no_device_explains(result, why):
    (line,) = mostly_skipped([skipped(result, "one", why)], DOCTOR)
    assert line == "most tasks were skipped: 1 of 1"
