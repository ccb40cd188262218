"""Tests of doctor's list of tasks: which can run on a device, and what the others require."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_mobileagent import Task
from pytest_mobileagent.__main__ import main
from pytest_mobileagent.device.doctor.tasks import Selected, list_tasks
from pytest_mobileagent.testing import FakePhone, make_screen

TASKS = {
    "fine": Task("Go.", app="com.clock"),
    "other": Task("Go.", app="com.google.clock|com.clock"),
    "none": Task("Go."),
    "shop1": Task("Go.", app="com.shop|com.market", needs=("account:Shop", "web")),
    "shop2": Task("Go.", app="com.shop|com.market"),
    "maps": Task("Go.", app="com.maps"),
    "account": Task("Go.", app="com.clock", needs=("manual:Put in a SIM", "account:Shop")),
    "sim": Task("Go.", needs=("physical", "manual:Put in a SIM")),
    "web": Task("Go.", needs=("web",)),
    "events": Task("Go.", needs=("events",)),
}


def fake(answers: dict[str, str]) -> FakePhone:
    """Return a phone with one app and no listener."""
    found = FakePhone([make_screen("")], apps=["com.clock"], answers=answers)
    found.info = replace(found.info, listener=False)
    return found


def lines(*has: str, answers: dict[str, str] | None = None) -> list[str]:
    selected = Selected(TASKS, {"com.market": "Market"}, has)
    return list_tasks(selected, fake(answers or {}))[1]


def test_missing_apps_are_listed_by_how_many_tasks_need_them():
    assert lines() == [
        "10 tasks: 3 can run here",
        "not installed (3):",
        "  [ ] Market (com.shop or com.market)  2, which also lack: account Shop 1, web 1",
        "  [ ] com.maps  1",
        "need an account, named in --device-has (1):",
        "  [ ] Shop  1, which also lack: manual Put in a SIM 1",
        "need the web, named in --device-has (1):",
        "  [ ] web  1",
        "need a physical phone, named as physical in --device-has (1):",
        "  [ ] physical  1, which also lack: manual Put in a SIM 1",
        "need an event listener (docs/events.md) (1):",
        "  [ ] events  1",
    ]
    has = ("web", "physical", "account:shop", "manual:Put in a SIM")
    assert lines(*has)[0] == "10 tasks: 6 can run here"


def test_an_emulator_is_not_a_physical_phone():
    script = "getprop ro.boot.qemu.avd_name; getprop ro.kernel.qemu; getprop ro.boot.qemu"
    assert lines(answers={script: "\n1\n\n"})[1] == "cannot run on an emulator (1):"
    assert lines(answers={script: "\n\n0\n"})[1] == "not installed (3):"


def test_remarks_come_last():
    weak, odd = "a weak check", "an odd check"
    tasks = {f"a.py::t[{n}]": Task("Go.", remarks=(weak,)) for n in range(4)}
    tasks["b.py::u"] = Task("Go.", remarks=(odd, weak))
    stuck, listed = list_tasks(Selected(tasks), fake({}))
    assert (stuck, listed[0]) == (0, "5 tasks: 5 can run here")
    assert listed[1:] == [
        "caveats about their results:",
        "  5 tasks: a weak check  (t[0], t[1], t[2], …)",
        "  1 task: an odd check  (u)",
    ]


class Versioned(FakePhone):
    """A phone that reports the versions of its apps."""

    def versions(self) -> dict[str, str]:
        return {"com.clock": "7", "com.shop": "3", "com.maps": "5", "com.idle": "1"}


def test_apps_whose_version_differs_from_a_run_are_listed():
    then = {"com.clock": {"6", "7"}, "com.shop": {"2"}, "com.maps": {"5"}, "com.idle": {"0"}}
    selected = Selected(TASKS, {"com.shop": "Shop"}, ("web", "physical"), then)
    phone = Versioned([make_screen("")], apps=["com.clock", "com.shop", "com.maps"])
    listed = list_tasks(selected, phone)[1]
    at = listed.index("apps whose version differs from the run's (2):")
    assert listed[at + 1 :] == [
        "  [ ] com.clock  7, in the run 6 and 7",
        "  [ ] Shop (com.shop)  3, in the run 2",
    ]


PROJECT = """
from pytest_mobileagent import rows, tasks

@tasks(rows("../t.csv"))
def test_one(episode, row):
    pass

def test_no_task():
    pass
"""
TABLE = "id,goal,app,needs\na,Go.,Shop,\nb,Go.,com.android.camera2,web\nc,Go.,,\n"


@pytest.fixture
def doctor(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, whole_phone: Any) -> Any:
    """Return a function that runs the command on a phone, in a project with a table of tasks."""
    pytester.mkdir("deep").joinpath("test_it.py").write_text(PROJECT)
    (pytester.path / "t.csv").write_text(TABLE)
    (pytester.path / "apps.toml").write_text('Shop = ["com.shop", "com.market"]\n')
    monkeypatch.chdir(pytester.path)
    monkeypatch.setenv("HOME", whole_phone.home)
    where = f"{whole_phone.adb_host}:{whole_phone.adb_port}/{whole_phone.serial}"
    return lambda *words: main(["doctor", "--device", where, *words])


def test_tasks_option_lists_the_tasks_selected_by_pytest(doctor, pytester, capsys):
    pytester.makeini("[pytest]\naddopts = -n 2 --mobile-epochs=3\nmobile_device_has = gms")
    assert doctor("--tasks", "deep/test_it.py") == 1
    assert capsys.readouterr().out.splitlines() == [
        "3 tasks: 1 can run here",
        "not installed (1):",
        "  [ ] Shop (com.shop or com.market)  1",
        "need the web, named in --device-has (1):",
        "  [ ] web  1",
    ]
    assert doctor("--tasks", ".", "-k", "one[b or one[c", "--device-has=web") == 0
    assert capsys.readouterr().out == "2 tasks: 2 can run here\n"


def test_tasks_that_cannot_be_collected_are_reported(doctor, pytester, capsys):
    (pytester.path / "t.csv").write_text("id,goal,app\na,Go.,Shp\n")
    with pytest.raises(SystemExit) as caught:
        doctor("--tasks", "deep/test_it.py")
    assert caught.value.code == 4
    assert "t.csv, line 2 (a): apps.toml has no app 'Shp'; did you mean 'shop'?" in (
        capsys.readouterr().err
    )
    with pytest.raises(SystemExit):
        doctor("--tasks", "nowhere")
    assert "--tasks: nowhere does not exist" in capsys.readouterr().err


def test_run_to_compare_with_needs_the_tasks_option(doctor, capsys):
    for words, why in (
        (["--run=runs"], "--run compares the apps of --tasks with an earlier run"),
        (["--run=nowhere", "--tasks", "deep/test_it.py"], "--run: nowhere is not a folder"),
    ):
        with pytest.raises(SystemExit):
            doctor(*words)
        assert why in capsys.readouterr().err
