"""--mobile-device-has: what the devices provide that tasks may need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.options.asking import Asking

TASKS = """
from pathlib import Path
import pytest
from pytest_mobileagent import rows, task, tasks

@pytest.fixture(autouse=True)
def set_up():
    Path("set-up.txt").touch()

@pytest.mark.skip(reason="not yet")
@task("Walk.", needs=["physical"])
def test_later(episode):
    assert episode.answers("4711")

@tasks(rows("needs.csv"))
def test_needs(episode, row):
    assert episode.answers("4711")
"""
NEEDS = """id,goal,needs
web,Look it up.,web
shop,Buy it.,web;account:My Shop
sim,Call.,"physical;manual:Put in a SIM,, and wait"
"""


@pytest.fixture
def outcomes(asking: Asking) -> Callable[..., dict[str, str]]:
    """Runs tasks with needs; returns the outcome of each, or why it was skipped."""
    asking.pytester.makepyfile(test_codes=TASKS)
    (asking.pytester.path / "needs.csv").write_text(NEEDS)

    def outcomes(*arguments):
        result = asking.run("-rs", *arguments, agent="Silent")
        tasks = asking.report()["tasks"]
        assert result.ret == (0 if any(task["success"] for task in tasks) else 5)
        (later,) = (task for task in tasks if task["id"] == "codes/later")
        assert (later["skipped_for"], later["reason"]) == ("test", "not yet")
        tasks.remove(later)
        found = {t["id"].partition("[")[2].rstrip("]"): t for t in tasks}
        return {name: task["skipped_for"] or task["outcome"] for name, task in found.items()}

    return outcomes


def test_without_it_tasks_are_skipped_and_no_device_is_started(outcomes, asking):
    assert outcomes() == {"web": "web", "shop": "web", "sim": "physical"}
    for made in ("devices.txt", "set-up.txt"):
        assert not (asking.pytester.path / made).exists()
    lacks = ["physical, manual:Put in a SIM, and wait", "web, account:My Shop", "web"]
    reasons = sorted(task["reason"] for task in asking.report()["tasks"])
    assert reasons == ["not yet"] + [
        f"the task needs {lack}, which --mobile-device-has does not name" for lack in lacks
    ]


@pytest.mark.parametrize(
    ("has", "found"),
    [
        ("web", {"web": "passed", "shop": "account", "sim": "physical"}),
        ("web,account: my shop", {"web": "passed", "shop": "passed", "sim": "physical"}),
        ("physical,gms", {"web": "web", "shop": "web", "sim": "manual"}),
        (
            "manual:Put in a SIM,, and wait,physical",
            {"web": "web", "shop": "web", "sim": "passed"},
        ),
    ],
)
def test_tasks_run_whose_needs_it_names(outcomes, has, found):
    assert outcomes(f"--mobile-device-has={has}") == found


def test_the_ini_key_is_read_in_workers_too(outcomes, asking):
    asking.pytester.makeini(
        "[pytest]\naddopts = -p no:cacheprovider\nmobile_device_has = web,account:My Shop"
    )
    assert outcomes("-n", "1") == {"web": "passed", "shop": "passed", "sim": "physical"}


def test_skipped_tasks_run_when_the_run_is_resumed(outcomes):
    outcomes("--mobile-device-has=web")
    found = outcomes("--mobile-device-has=web,account:My Shop", "--mobile-resume=runs")
    assert found == {"web": "passed", "shop": "passed", "sim": "physical"}


@pytest.mark.parametrize(
    ("has", "error"),
    [
        (
            "wep",
            "is invalid: 'wep' is not one of events, pages, web, *; did you mean 'web'? (double *",
        ),
        ("account:", "is invalid: 'account:' lacks its label: account:LABEL (double a *"),
        (
            "web,then wait",
            "is invalid: 'then wait' is not one of *(double a comma within a text)",
        ),
        ("events", "names events, which is detected from the device (docs/tasks.md)"),
        ("pages", "names pages, which is detected from the device (docs/tasks.md)"),
        (",", "must be a list of web, gms, physical, account:LABEL, manual:TEXT"),
    ],
)
def test_unknown_needs_are_refused(wrong, fnmatch, has, error):
    fnmatch(wrong("--mobile-device-has", has), error)
