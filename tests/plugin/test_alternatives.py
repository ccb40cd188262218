"""Tasks whose app has a different package on other phones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_mobileagent import load
from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    import pytest

CONFTEST = """
import pytest
from pytest_mobileagent.testing import FakeLease, MemoryPhone, make_screen

@pytest.fixture(scope="session")
def mobile_lease():
    pages = {"home": make_screen("Home"), "app": make_screen("Contacts", package="com.contacts")}
    phone = MemoryPhone(
        pages,
        {("home", "com.contacts"): "app"},
        apps=["com.contacts"],
        answers={"base64 /data/data/com.contacts/n.txt 2>&1": "Mw=="},
    )
    return FakeLease(phone)
"""
TASKS = """
from pytest_mobileagent import answer, file, open_app, rows, task, tasks

CONTACTS = "com.google.contacts|com.contacts"

@tasks(
    rows("table.csv"),
    probes={"n": file("/data/data/{app}/n.txt"), "m": file(f"/data/data/{CONTACTS}/n.txt")},
    solution=[open_app(), answer("{app}")],
)
def test_row(episode, row):
    assert episode.app == "com.contacts"
    assert episode.opened(CONTACTS)
    assert episode.opened(episode.app)
    assert episode.probe("n") == episode.probe("m") == "3"
    assert episode.goal == "Open com.contacts."
    assert episode.answers("com.contacts")

@task("Open it.", apps=[CONTACTS], solution=[open_app(CONTACTS), answer("{app}")])
def test_single(episode):
    assert episode.opened(episode.app)

@task("Open it.", app="org.maps|com.maps", solution=[open_app()])
def test_missing(episode):
    raise AssertionError

def test_device(device):
    assert device.packages() == {"com.contacts"}
"""


def test_records_contain_the_package_found_on_the_phone(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_it=TASKS)
    (pytester.path / "table.csv").write_text(
        "id,goal,app\none,Open {app}.,com.google.contacts|com.contacts\n"
    )
    result = pytester.runpytest_inprocess("--agent=oracle", "-p", "no:cacheprovider", "-rs")
    result.assert_outcomes(passed=3, skipped=1)
    tasks = newest_report(pytester.path)["tasks"]
    report = {each["id"].rpartition("/")[2]: each for each in tasks}
    assert {name: task["app"] for name, task in report.items()} == {
        "row[one]": "com.contacts",
        "single": "com.contacts",
        "missing": "org.maps|com.maps",
    }
    (folder,) = pytester.path.glob("runs/*/episodes/*row*")
    case = load(folder).case
    assert (case.task.packages, case.parameters["app"]) == (("com.contacts",), "com.contacts")
    (path,) = pytester.path.glob("runs/*/run.json")
    apps = [task["task"]["apps"] for task in json.loads(path.read_text())["tasks"]]
    assert ["com.google.contacts|com.contacts"] in apps
    assert report["missing"]["skipped_for"] == "app"
    assert "has no app org.maps or com.maps" in report["missing"]["reason"]
