"""Tests of apps whose package differs between phones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from pytest_mobileagent import Case, Task, log, preferences, provider, setting, sqlite
from pytest_mobileagent.errors import TaskError
from pytest_mobileagent.task.apps import all_packages, missing, on_phone

CONTACTS = "com.google.contacts|com.contacts"
DIALER = "com.google.dialer|com.dialer"


def test_the_first_package_that_is_installed_is_the_app() -> None:
    case = Case(
        Task("Call {name} in {app}.", app=CONTACTS, apps=(DIALER, "org.maps")),
        "id",
        parameters={"app": CONTACTS, "name": CONTACTS + "!", "hour": 7},
    )
    here = on_phone(case, {"com.contacts", "com.google.dialer", "com.dialer"})
    assert here.task.packages == ("com.contacts", "com.google.dialer", "org.maps")
    assert (here.task.app, here.task.apps) == ("com.contacts", ("com.google.dialer", "org.maps"))
    assert here.parameters == {"app": "com.contacts", "name": CONTACTS + "!", "hour": 7}
    assert here.key == case.key


def test_an_app_of_which_none_is_installed_stays_as_it_is_named() -> None:
    task = Task("Go.", app=CONTACTS, apps=("org.maps",))
    assert on_phone(Case(task, "id"), set()).task == task
    assert missing(task, set()) == ["com.google.contacts or com.contacts", "org.maps"]
    assert missing(task, {"com.contacts", "org.maps"}) == []
    assert all_packages(task) == ("com.google.contacts", "com.contacts", "org.maps")


@dataclass(frozen=True)
class Own:
    """A probe defined by a project."""

    script: str
    count: int = 3

    def parse(self, output: str) -> str:
        return output


def test_probes_are_of_the_package_that_the_phone_has() -> None:
    probes: dict[str, Any] = {
        "named": sqlite(f"/data/data/{CONTACTS}/x.db", "select '{app}', '{other}'"),
        "first": preferences("{app}", "Prefs"),
        "second": provider(f"content://{DIALER}/calls", ["{app}"]),
        "pattern": log("START .*{app}", tag="Tag"),
        "own": Own("ls {app}"),
        "other": setting("global", "x"),
    }
    case = Case(Task("Go.", app=CONTACTS, apps=(DIALER,), probes=probes), "id")
    assert on_phone(case, {"com.contacts", "com.dialer"}).task.probes == {
        "named": sqlite("/data/data/com.contacts/x.db", "select 'com.contacts', '{other}'"),
        "first": preferences("com.contacts", "Prefs"),
        "second": provider("content://com.dialer/calls", ["com.contacts"]),
        "pattern": log("START .*com.contacts", tag="Tag"),
        "own": Own("ls com.contacts"),
        "other": setting("global", "x"),
    }


def test_a_probe_of_the_tasks_app_takes_a_task_with_an_app() -> None:
    case = Case(Task("Go.", probes={"x": sqlite("/data/data/{app}/x.db", "select 1")}), "id")
    with pytest.raises(TaskError, match=r"probes\['x'\] uses \{app\}, but the task names no"):
        on_phone(case, set())


@pytest.mark.parametrize("app", ["a.b|", "|", "a.b||c.d", "a.b | c.d", " a.b"])
def test_alternatives_are_packages(app: str) -> None:
    with pytest.raises(TaskError, match=r"must be a package, or several with \| between them"):
        Task("Go.", app=app)
