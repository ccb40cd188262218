"""The programs in tests/examples/programs run as agents: what is recorded and counted."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import trustme  # noqa: F401 - runs in this process would load it, and forget it, one by one

from pytest_mobileagent import init
from pytest_mobileagent.device.device import DeviceOptions
from pytest_mobileagent.device.fleet.shared import SharedRun
from pytest_mobileagent.device.sources.virtual import virtual_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_mobileagent.device.device import Address

PROGRAMS = Path(__file__).parent / "programs"
APPS = Path(init.__file__).parent / "project" / "apps"

SHELL = """
{"reply": "OPEN com.example.shopping", "input_tokens": 100, "output_tokens": 5}
{"reply": "TAP Eggs", "input_tokens": 200, "output_tokens": 6}
{"reply": "DONE the eggs are ticked off", "input_tokens": 300, "output_tokens": 7}
"""
LOOP = """
{"reply": "OPEN com.example.shopping", "input_tokens": 1000, "output_tokens": 5}
{"reply": "TAP 540 346", "input_tokens": 2000, "output_tokens": 5}
{"reply": "TYPE Milk", "input_tokens": 3000, "output_tokens": 5}
{"reply": "TAP 137 470", "input_tokens": 4000, "output_tokens": 5}
{"reply": "DONE", "input_tokens": 5000, "output_tokens": 5}
"""


@pytest.fixture(scope="module")
def shopping_phone() -> Iterator[Address]:
    """A virtual phone with the app of the project created by `init`."""
    with contextlib.closing(SharedRun()) as run:
        yield virtual_slots(run, DeviceOptions(apps=(APPS,))).address(0)


@pytest.fixture
def run(
    pytester: pytest.Pytester, shopping_phone: Address, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    """Runs a program on a task of the project created by `init`.

    Returns the task's entry in the report, with the names of the episode's actions for each step.
    """
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(shopping_phone.adb_port))
    monkeypatch.setenv("HOME", shopping_phone.home)
    assert init.main([str(pytester.path)]) == 0

    def run_program(
        task: str,
        words: str,
        script: str = "",
        *options: str,
        answer: str = "",
        serial: str = "",
    ) -> dict[str, Any]:
        adapter = [
            f"command = {json.dumps(words.split())}",
            f"folder = {json.dumps(str(PROGRAMS))}",
        ]
        adapter += [f"answer = {json.dumps(answer)}"] if answer else []
        (pytester.path / "agents" / "other.toml").write_text("\n".join(adapter))
        given = [*options, f"--mobile-device=serial:{serial or shopping_phone.serial}"]
        if script:
            (pytester.path / "replies.jsonl").write_text(script)
            given.append("--mobile-model=scripted:replies.jsonl")
        given += ["-p", "no:cacheprovider", "-k", task, "--agent=other"]
        pytester.runpytest_inprocess(*given)
        (path,) = pytester.path.glob("runs/*/report.json")
        (entry,) = json.loads(path.read_text())["tasks"]
        lines = (path.parent / entry["episode"] / "episode.jsonl").read_text().splitlines()
        steps = [each for each in map(json.loads, lines) if each["record"] == "step"]
        return {**entry, "done": [[act["action"] for act in each["actions"]] for each in steps]}

    return run_program


def counts(entry: dict[str, Any]) -> tuple[Any, ...]:
    """Return the counts of a task: steps, actions, calls, input tokens and output tokens."""
    names = ("steps", "actions", "calls", "input_tokens", "output_tokens")
    return tuple(entry[name] for name in names)


@pytest.mark.parametrize("url", ["{openai_base_url}", "http://{openai_host}:{openai_port}"])
def test_a_shell_script_of_curl_and_adb(run: Callable[..., dict[str, Any]], url: str) -> None:
    words = f"env OPENAI_BASE_URL={url} sh shell.sh {{goal}}"
    ran = run("eggs", words, SHELL, answer="FINAL ANSWER: (.*)")
    assert ran["done"] == [["Open"], ["Tap"], ["Finish"]]
    assert counts(ran) == (2, 2, 3, 600, 18)
    assert (ran["success"], ran["metered"], ran["answer"]) == (
        True,
        True,
        "the eggs are ticked off",
    )


@pytest.mark.slow
def test_a_loop_of_openai_and_adbutils(run: Callable[..., dict[str, Any]]) -> None:
    ran = run("milk", f"{sys.executable} loop.py {{goal}}", LOOP)
    assert ran["done"] == [["Open"], ["Tap"], ["Type"], ["Tap"], ["Finish"]]
    assert counts(ran) == (4, 4, 5, 15000, 25)
    assert (ran["success"], ran["metered"]) == (True, True)


@pytest.mark.slow
def test_a_program_of_uiautomator2(run: Callable[..., dict[str, Any]]) -> None:
    ran = run("eggs", f"{sys.executable} objects.py {{goal}}")
    assert ran["done"] == [["Open"], ["Tap"], ["Finish"]]
    assert counts(ran) == (2, 2, 0, None, None)
    assert (ran["success"], ran["metered"]) == (True, False)


@pytest.mark.slow
def test_a_program_of_appium(
    run: Callable[..., dict[str, Any]], appium_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APPIUM_HOME", str(appium_home))
    ran = run("milk", f"{sys.executable} appium_session.py {{goal}}")
    assert ran["done"] == [["Open"], ["Type"], ["Tap"], ["Finish"]]
    assert counts(ran) == (3, 3, 0, None, None)
    assert (ran["success"], ran["metered"]) == (True, False)


@pytest.mark.slow
@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_an_mcp_client_of_each_era(run: Callable[..., dict[str, Any]], era: str) -> None:
    ran = run("eggs", f"{sys.executable} mcp_client.py {{goal}} {era}")
    assert ran["done"] == [["Open"], ["Tap"], ["Finish"]]
    assert counts(ran) == (2, 2, 0, None, None)
    assert (ran["success"], ran["answer"]) == (True, "Eggs is ticked off")


@pytest.mark.slow
def test_a_program_that_says_its_steps(run: Callable[..., dict[str, Any]]) -> None:
    ran = run("milk", f"{sys.executable} steps.py {{goal}}")
    assert ran["done"] == [["Open"], ["Tap", "Type"], ["Tap"], ["Finish"]]
    assert counts(ran) == (3, 4, 1, 41, 30)
    assert (ran["success"], ran["metered"], ran["cost_usd"]) == (True, True, None)


@pytest.mark.slow
def test_a_program_of_the_emulators_grpc_controller(
    run: Callable[..., dict[str, Any]], shopping_phone: Address
) -> None:
    command = [sys.executable, "-m", "pytest_mobileagent", "device", f"--apps={APPS}", "--grpc=0"]
    command += ["--port=0", f"--adb-server-port={shopping_phone.adb_port}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as phone:
        assert phone.stdout
        served = json.loads(phone.stdout.readline())
        words = f"{sys.executable} grpc_touch.py {served['grpc_port']}"
        ran = run("eggs", words, serial=served["serial"])
        phone.terminate()
    assert ran["success"] is True
    assert ran["done"] == [["Open"], ["Finish"]]  # actions that bypass adb are not seen


@pytest.mark.slow
@pytest.mark.parametrize("sees", ["hierarchy", "screenshot"])
@pytest.mark.parametrize(
    "work", [("eggs", "objects.py"), ("milk", "appium_session.py"), ("eggs", "mcp_client.py")]
)
def test_programs_that_need_the_hierarchy_do_without_screenshots_but_not_the_reverse(
    run: Callable[..., dict[str, Any]],
    appium_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    work: tuple[str, str],
    sees: str,
) -> None:
    monkeypatch.setenv("APPIUM_HOME", str(appium_home))
    task, program = work
    ran = run(task, f"{sys.executable} {program} {{goal}}", "", f"--mobile-sees={sees}")
    assert (ran["success"], ran["sees"]) == (sees == "hierarchy", sees)
    assert ran["infrastructure"] == []
    if sees == "screenshot":  # nothing was found
        assert ran["done"] in ([["Open"], ["Impossible"]], [["Open"]], [])
