"""Tests of cases, which keep one identity from collection to report."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_mobileagent import (
    Case,
    Task,
    log,
    open_app,
    preferences,
    provider,
    setting,
    sqlite,
    tap,
)
from pytest_mobileagent._task.case import all_packages, missing, on_phone, seed_of
from pytest_mobileagent.errors import TaskError

ANY_TEXT = st.text(st.characters())
CASE = Case(
    Task(
        "Set {n}.",
        app="com.a",
        apps=("com.b",),
        solution=[open_app(), tap(text="a")],
        probes={"x": setting("global", "x")},
        tags=("smoke",),
    ),
    "clock/set",
    "clock",
    "tasks/clock/test_set.py::test_set[2]",
    {"n": 2},
)


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({}, "clock/set"),
        ({"epoch": 2}, "clock/set@2"),
        ({"environment": "dark"}, "clock/set@envdark"),
        ({"environment": "dark", "epoch": 1}, "clock/set@envdark@1"),
    ],
)
def test_the_key_names_a_case_among_all_epochs_and_environments(
    fields: dict[str, Any], key: str
) -> None:
    assert replace(CASE, **fields).key == key


def test_a_case_is_plain_data_without_what_stays_in_the_source() -> None:
    plain = CASE.to_json()
    assert plain["task"]["apps"] == ["com.a", "com.b"]
    assert plain["task"]["golden_steps"] == 2, "counted from the solution"
    assert not {"solution", "probes"} & set(plain["task"])
    read = Case.from_json(plain)
    assert read.to_json() == plain
    assert (read.key, read.parameters, read.task.shortest) == (CASE.key, {"n": 2}, 2)
    assert (read.task.packages, read.task.tags) == (("com.a", "com.b"), ("smoke",))
    assert (read.task.solution, read.task.prepare) == ((), None)


def test_fields_of_a_newer_version_are_kept() -> None:
    newer = CASE.to_json() | {"shard": 1}
    newer["task"] |= {"rubric": ["a"], "kind": "a kind of tomorrow"}
    assert Case.from_json(newer).to_json() == newer


@pytest.mark.parametrize(
    ("place", "junk"),
    [
        ("id", 3),
        ("epoch", "1"),
        ("epoch", True),
        ("parameters", []),
        ("environment", 3),
        ("task", "Do it."),
        ("task", {"goal": 3}),
        ("task", {"goal": "a", "apps": "com.a"}),
        ("task", {"goal": "a", "tags": [1]}),
        ("task", {"goal": "a", "level": "2"}),
    ],
)
def test_invalid_cases_are_refused(place: str, junk: Any) -> None:
    with pytest.raises(TypeError):
        Case.from_json(CASE.to_json() | {place: junk})


@given(st.integers(0), ANY_TEXT)
def test_the_seed_of_a_case_is_always_the_same(seed: int, key: str) -> None:
    assert seed_of(seed, key) == seed_of(seed, key)
    assert 0 <= seed_of(seed, key) < 2**32


def test_seeds_differ_between_cases_and_runs_but_not_between_machines() -> None:
    cases = [CASE, replace(CASE, epoch=1), replace(CASE, environment="dark")]
    assert len({case.seed(run) for run in range(20) for case in cases}) == 60
    assert seed_of(0, "clock/alarm/set") == 2483344627


def test_a_function_of_the_device_gets_the_parameters_that_it_names() -> None:
    case = replace(CASE, parameters={"n": 2, "device": "a parameter of this name"})
    assert case.arguments_of(lambda device: device) == {}
    assert case.arguments_of(lambda device, n, more=1: (device, n, more)) == {"n": 2}
    assert case.arguments_of(lambda device, app: (device, app)) == {"app": "com.a"}
    assert replace(case, task=Task("Go.")).arguments_of(lambda device, app="": (device, app)) == {}
    assert case.arguments_of(print) == {}


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
