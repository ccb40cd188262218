"""AndroidWorld's tasks, in a process of their own: what is asked of it, and what may go wrong.

The library here is a small one of ours (`tests/suite/android_world.py`); the helper's process, adb
and the phone are real.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from pytest_mobileagent import rows
from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.drivers.adb.system import AdbSystem
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots
from pytest_mobileagent.errors import DeviceError, InfrastructureError, TaskError

from .android_world import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_mobileagent.device.device import Address

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tasks" / "android_world"
TABLE = rows(SUITE / "tasks.csv", columns={"goal": "id"})


def test_the_table_has_the_116_tasks_of_the_release() -> None:
    assert len(TABLE) == 116
    assert Counter(row.level for row in TABLE) == {"1": 61, "2": 36, "3": 19}
    steps = [int(row.golden_steps) for row in TABLE]
    assert (min(steps), max(steps), round(sum(steps) / 116, 2)) == (1, 60, 8.41)
    limits = [int(row.step_limit) for row in TABLE]
    assert (Counter(limits)[10], max(limits), sum(limits)) == (48, 120, 2349)
    assert all(limit >= least for limit, least in zip(limits, steps, strict=True))
    tags = Counter(tag for row in TABLE for tag in row.tags.split(", ") if tag)
    assert (tags["parameterized"], tags["verification"], tags["multi_app"]) == (96, 7, 8)


def test_every_solution_belongs_to_a_task() -> None:
    solutions = importlib.import_module("tasks.android_world.solutions").SOLUTIONS
    assert solutions.keys() <= {row.id for row in TABLE}


# The library's process.


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    module = importlib.import_module("tasks.android_world.library")
    placed = write(tmp_path)
    monkeypatch.setattr(module, "place", lambda: placed)
    library = module.Library()
    yield library
    library._end("")


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    """A virtual phone with the usual apps, behind an adb server of its own."""
    with contextlib.closing(SharedRun()) as run:
        yield virtual_slots(run, DeviceOptions(apps=(ROOT / "fixtures" / "apps",))).address(0)


@pytest.fixture
def device(address: Address) -> Iterator[Any]:
    system = AdbSystem(address)
    system.reset("default_boot", ())
    yield SimpleNamespace(system=system)
    system.close()


@pytest.fixture
def prepared(library: Any, device: Any) -> Any:
    """Prepares a task, and returns the library."""

    def prepared(name: str) -> Any:
        goal = library.goals(0, 0)["goals"][name]["goal"]
        library.prepare(device, name, goal, 0, 0)
        return library

    return prepared


def test_goals_are_those_of_the_librarys_own_seeds(library: Any) -> None:
    helper = importlib.import_module("tasks.android_world.helper")
    assert helper.seed_of(7, "A", 2) == int(hashlib.sha256(b"7_A_2").hexdigest(), 16) % 2**32
    told = [library.goals(seed, epoch)["goals"] for seed, epoch in ((0, 0), (0, 0), (0, 1), (1, 0))]
    goals = [each["ContactsAddContact"]["goal"] for each in told]
    assert goals[0] == goals[1]
    assert len(set(goals)) == 3
    params = told[0]["ContactsAddContact"]["params"]
    assert goals[0] == "Add {name}, {number}.".format(**params)


def test_a_task_that_cannot_be_made_does_not_take_the_others_along(library: Any) -> None:
    told = library.goals(0, 0)
    assert re.fullmatch(
        r"ValueError: nothing to draw \(registry.py:\d+\)", told["broken"]["SystemWifiTurnOff"]
    )
    assert len(told["goals"]) == 9


def test_a_task_is_scored_as_the_phone_is(prepared: Any, device: Any) -> None:
    library = prepared("ContactsAddContact")
    assert device.system.shell("date +%Y").strip() == "2023"
    assert library.score("") == 0.0
    name = library.goals(0, 0)["goals"]["ContactsAddContact"]["params"]["name"]
    contacts = "content://com.android.contacts"
    device.system.shell(
        f"content insert --uri {contacts}/raw_contacts --bind account_name:n:"
        " --bind account_type:n:;"
        f"content insert --uri {contacts}/data --bind raw_contact_id:i:1"
        f" --bind mimetype:s:vnd.android.cursor.item/name --bind data1:s:'{name}';"
        f"content insert --uri {contacts}/data --bind raw_contact_id:i:1"
        " --bind mimetype:s:vnd.android.cursor.item/phone_v2 --bind data1:s:5550100"
    )
    assert library.score("") == 1.0
    library.tear_down()
    assert device.system.shell("date +%Y").strip() != "2023"
    assert device.system.shell("settings get global auto_time").strip() == "1"


def test_apps_are_set_up_once_for_each_phone(prepared: Any, device: Any) -> None:
    for _ in range(2):
        prepared("ContactsAddContact").tear_down()
    assert device.system.shell("cat /data/local/tmp/kept/times").split() == ["done"]


def test_answer_of_the_agent_is_given_to_the_task(prepared: Any) -> None:
    library = prepared("SimpleCalendarNextEvent")
    assert [library.score(answer) for answer in ("", "Lunch", "Dinner")] == [0.0, 1.0, 0.0]


def test_output_of_the_library_is_no_reply(prepared: Any) -> None:
    assert prepared("ClockTimerEntry").score("") == 0.0


def test_output_of_the_interpreter_is_no_reply(library: Any, tmp_path: Path) -> None:
    python = tmp_path / "env" / "bin" / "python"
    script = python.read_text().replace("exec", "echo Activating; echo '{}'; exec")
    python.write_text(script)
    assert len(library.goals(0, 0)["goals"]) == 9


def test_an_exception_of_the_library_is_the_tasks_fault(prepared: Any) -> None:
    said = r"^AndroidWorld's prepare raised LookupError: no such network \(registry.py:\d+\)$"
    with pytest.raises(TaskError, match=said):
        prepared("SystemWifiTurnOn")


def test_another_goal_than_was_told_is_the_tasks_fault(library: Any, device: Any) -> None:
    with pytest.raises(TaskError, match="its goal has become 'What is next"):
        library.prepare(device, "SimpleCalendarNextEvent", "What was last?", 0, 0)


def test_a_helper_that_dies_is_started_again(prepared: Any) -> None:
    library = prepared("SystemBluetoothTurnOn")
    with pytest.raises(InfrastructureError, match="helper was killed during score"):
        library.score("")
    assert prepared("SystemWifiTurnOnVerify").score("") == 1.0


def test_a_helper_that_dies_while_the_agent_acts_is_infrastructure(prepared: Any) -> None:
    library = prepared("SystemWifiTurnOnVerify")
    library._process.kill()
    library._process.wait()
    with pytest.raises(InfrastructureError, match="helper was killed before score"):
        library.score("")
    assert prepared("SystemWifiTurnOnVerify").score("") == 1.0


def test_a_helper_that_takes_too_long_is_ended(
    prepared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = prepared("SystemBluetoothTurnOff")
    pid = library._process.pid
    limits = importlib.import_module("tasks.android_world.library").LIMITS
    monkeypatch.setitem(limits, "score", 0.1)
    with pytest.raises(DeviceError, match=r"score took longer than 0\.1 s"):
        library.score("")
    assert not alive(pid)


def test_an_error_of_tear_down_is_a_warning(prepared: Any) -> None:
    library = prepared("CameraTakePhoto")
    with pytest.warns(UserWarning, match="tear_down failed: .*KeyError: 'nothing'"):
        library.tear_down()
    assert prepared("SystemWifiTurnOnVerify").score("") == 1.0


def test_a_command_that_fails_on_a_phone_that_answers_is_the_tasks_business(prepared: Any) -> None:
    assert prepared("CameraTakeVideo").score("") == 0.0


def test_a_phone_that_is_gone_is_infrastructure(library: Any, address: Address) -> None:
    gone = replace(address, serial="emulator-1")
    device = SimpleNamespace(system=SimpleNamespace(adb=gone, shell=lambda _: ""))
    with pytest.raises(DeviceError, match=r"prepare lost the phone: .*emulator-1.*not found"):
        library.prepare(device, "SystemWifiTurnOnVerify", "Turn Wi-Fi on.", 0, 0)


def test_no_adb_server_is_started(library: Any, address: Address) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gone = replace(address, adb_port=port)
    device = SimpleNamespace(system=SimpleNamespace(adb=gone, shell=lambda _: ""))
    with pytest.raises(DeviceError, match="lost the phone"):
        library.prepare(device, "SystemWifiTurnOnVerify", "Turn Wi-Fi on.", 0, 0)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_a_phone_behind_a_hub_is_skipped(library: Any) -> None:
    device = SimpleNamespace(system=SimpleNamespace(adb=None))
    with pytest.raises(pytest.skip.Exception, match="behind Appium"):
        library.prepare(device, "SystemWifiTurnOnVerify", "Turn Wi-Fi on.", 0, 0)


@pytest.mark.parametrize("has_goals", [False, True])
def test_an_interpreter_without_the_library_is_told_with_what_to_do(
    library: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    address: Address,
    has_goals: bool,  # as those that pytest's cache keeps
) -> None:
    (tmp_path / "empty").mkdir()
    python, _ = write(tmp_path / "other")
    module = importlib.import_module("tasks.android_world.library")
    monkeypatch.setattr(module, "place", lambda: (python, tmp_path / "empty"))
    device = SimpleNamespace(system=SimpleNamespace(adb=address, shell=lambda _: ""))
    prepare = partial(library.prepare, device, "SystemWifiTurnOnVerify", "Turn Wi-Fi on.")
    ask = prepare if has_goals else library.goals
    with pytest.raises(TaskError) as raised:
        ask(0, 0)
    assert "No module named 'android_" in str(raised.value)
    assert "`make android-world` installs what it needs" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_killed_worker_takes_its_helper_along(tmp_path: Path) -> None:
    placed = write(tmp_path)
    worker = f"""
import importlib, time
from pathlib import Path
module = importlib.import_module("tasks.android_world.library")
module.place = lambda: (Path({str(placed[0])!r}), Path({str(placed[1])!r}))
module.LIBRARY.goals(0, 0)
print(module.LIBRARY._process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", worker], stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        helper = int(process.stdout.readline())
        assert alive(helper)
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while alive(helper) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(helper)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")
