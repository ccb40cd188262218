"""Runs on emulators that the run itself starts: `--mobile-device=avd:NAME`.

The emulator is a program with the command line and behaviour of Android's emulator, which runs a
virtual phone (tests/sdk).
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent import load
from pytest_mobileagent.device.sources.avd import UNFINISHED
from tests.plugin.leftovers import WAITING, deadly, processes_with, wait_until
from tests.plugin.projects import newest_report

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.project import Project

# Emulators take time to start and to stop.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("temporary")]

TASK = ("tasks", "-k", "code", "--mobile-device=avd:pixel")


def report(project):
    return newest_report(project.pytester.path)


@pytest.fixture
def start(
    project: Project, start: Callable[..., subprocess.Popen[str]]
) -> Callable[..., subprocess.Popen[str]]:
    project.write(agents__waiting=WAITING)
    return start


def test_workers_share_one_avd_restored_from_snapshot_for_each_task(project, sdk, nothing_left):
    sdk.add_avd("pixel", "default_boot")
    sdk.behave(boot_seconds=60)  # starting from a snapshot avoids this
    result = project.run_virtual("tasks", "--agent=oracle", "-n2", "--mobile-device=avd:pixel")
    result.assert_outcomes(passed=2, failed=1)
    tasks = report(project)["tasks"]
    assert [task["reset"]["snapshot"] for task in tasks] == ["default_boot"] * 3
    assert report(project)["summary"]["without_snapshot"] == 0
    nothing_left()


def test_avd_without_snapshots_boots_and_clears_apps(project, sdk, nothing_left):
    sdk.add_avd("pixel")
    sdk.behave(boot_seconds=1)
    result = project.run_virtual(*TASK, "--agent=oracle")
    result.assert_outcomes(passed=1)
    (task,) = report(project)["tasks"]
    assert task["reset"]["cleared"] == ["com.example.counter"]
    assert task["reset"]["reason"] == "no snapshots"
    result.stdout.fnmatch_lines(["1 task began without a snapshot (no snapshots): *"])
    nothing_left()


def test_an_emulator_that_boots_cold_instead_of_from_its_snapshot_is_reported(project, sdk):
    sdk.add_avd("pixel", "default_boot")
    sdk.behave(snapshots=False)
    project.run_virtual(*TASK, "--agent=oracle").assert_outcomes(passed=1)
    (task,) = report(project)["tasks"]
    why = "no snapshots, as the emulator could not start from default_boot"
    assert (task["reset"]["kind"], task["reset"]["reason"]) == ("cleared", why)


def test_missing_snapshot_is_a_task_error(project, sdk):
    sdk.add_avd("pixel", "ready")
    result = project.run_virtual(*TASK, "--agent=oracle")
    result.stdout.fnmatch_lines(["*no snapshot 'default_boot' (it has: ready)*"])


def test_dead_emulator_is_replaced_and_its_task_repeated(project, sdk, markers, nothing_left):
    sdk.add_avd("pixel", "default_boot")
    project.write(agents__deadly=deadly(b"-read-only"))
    project.run_virtual(*TASK, "--agent=deadly").assert_outcomes(passed=1)
    (task,) = report(project)["tasks"]
    assert task["episode"].endswith(".1")
    assert len(task["infrastructure"]) == 1
    nothing_left()


def test_emulator_that_exits_on_start_is_an_error_with_its_output(project, sdk):
    sdk.add_avd("pixel", "default_boot")
    denied = "CPU acceleration status: This user doesn't have permissions to use KVM (/dev/kvm)."
    sdk.behave(says=f"ERROR | x86_64 emulation needs hardware acceleration!\n{denied}", dies=1)
    result = project.run_virtual(*TASK, "--agent=oracle", "--mobile-retries=0")
    result.assert_outcomes(errors=1)
    ended = "*the emulator of AVD pixel ended with status 1 before it had booted; its output:*"
    result.stdout.fnmatch_lines([ended, f"*{denied}*", "*sudo gpasswd -a $USER kvm*"])


def test_emulator_that_does_not_boot_is_an_error_with_the_cause(project, sdk, nothing_left):
    sdk.add_avd("pixel", "default_boot")
    sdk.behave(hangs=True, snapshots=False)
    options = ["-omobile_boot_limit=2", "--mobile-retries=0"]
    result = project.run_virtual(*TASK, "--agent=oracle", *options)
    result.assert_outcomes(errors=1)
    missing = "*AVD pixel has not booted in 2 s (sys.boot_completed is ''); its output:*"
    result.stdout.fnmatch_lines([missing, "*Failed to load snapshot 'default_boot'*"])
    nothing_left()


def test_emulators_take_more_flags_and_refuse_unknown_ones(project, sdk):
    sdk.add_avd("pixel", "default_boot")
    options = ["-omobile_gpu=host", "--mobile-retries=0", "--agent=oracle"]
    project.run_virtual(*TASK, *options, "-omobile_emulator_flags=-accel off -memory 2048")
    result = project.run_virtual(*TASK, *options, "-omobile_emulator_flags=-nonsense")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*unknown option: -nonsense*"])


def test_emulators_are_replaced_after_the_given_number_of_tasks(project, sdk, nothing_left):
    sdk.add_avd("pixel", "default_boot")
    result = project.run_virtual(
        "tasks", "--agent=oracle", "--mobile-device=avd:pixel", "-omobile_recycle=1"
    )
    result.assert_outcomes(passed=2, failed=1)
    assert {task["reset"]["snapshot"] for task in report(project)["tasks"]} == {"default_boot"}
    nothing_left()


def test_appium_follows_a_replaced_emulator(project, sdk, appium_home, nothing_left):
    sdk.add_avd("pixel", "default_boot")
    options = ["--mobile-driver=appium", f"-omobile_appium_home={appium_home}", "--agent=oracle"]
    result = project.run_virtual("tasks", "--mobile-device=avd:pixel", *options)
    result.assert_outcomes(passed=2, failed=1)
    assert {task["reset"]["snapshot"] for task in report(project)["tasks"]} == {"default_boot"}
    assert report(project)["summary"]["infrastructure"] == 0
    nothing_left()


def test_used_ports_are_avoided(project, sdk):
    sdk.add_avd("pixel", "default_boot")
    ours = set()
    with contextlib.ExitStack() as taken:
        for port in range(5554, 5570):
            with contextlib.suppress(OSError):  # the port is already in use
                taken.enter_context(socket.create_server(("127.0.0.1", port)))
                ours.add(port)
        project.run_virtual(*TASK, "--agent=oracle").assert_outcomes(passed=1)
    (task,) = report(project)["tasks"]
    (run,) = project.pytester.path.glob("runs/*")
    serial = load(run / task["episode"]).device.serial
    port = int(serial.removeprefix("emulator-"))
    assert ours
    assert not {port, port + 1} & ours


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_killed_pytest_leaves_nothing_behind(sdk, start, markers, nothing_left, workers):
    sdk.add_avd("pixel", "default_boot")
    process = start("tasks", "--agent=waiting", workers, "--mobile-device=avd:pixel")
    wait_until(lambda: len(list(markers.iterdir())) >= (2 if workers == "-n2" else 1))
    process.send_signal(signal.SIGKILL)
    process.wait()
    nothing_left()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children of the killed")
def test_killed_supervisor_leaves_no_emulator_behind(sdk, start, markers, temporary):
    sdk.add_avd("pixel", "default_boot")
    start(*TASK, "--agent=waiting")
    wait_until(lambda: any(markers.iterdir()))

    def running(word: bytes) -> list[int]:
        found = processes_with(str(temporary))
        return [pid for pid in found if word in Path("/proc", str(pid), "cmdline").read_bytes()]

    (supervisor,) = running(b"fleet.supervisor")
    assert running(b"-read-only")
    os.kill(supervisor, signal.SIGKILL)
    wait_until(lambda: not running(b"-read-only"))


@pytest.mark.parametrize("booting", [False, True])
def test_interrupted_run_ends_its_emulators(sdk, start, markers, nothing_left, booting):
    temporary = Path(os.environ["TMPDIR"])
    sdk.add_avd("pixel", "default_boot")
    sdk.behave(hangs=booting, snapshots=not booting)
    process = start(*TASK, "--agent=waiting")
    if booting:
        wait_until(lambda: any(temporary.glob("mobileagent-run-*/emulator-*.log")))
    else:
        wait_until(lambda: any(markers.iterdir()))
    process.send_signal(signal.SIGINT)
    assert process.wait(40) == 2
    nothing_left()


def test_a_missing_avd_is_a_usage_error_that_lists_the_existing_ones(project, sdk):
    sdk.add_avd("pixel_6")
    sdk.add_avd("tablet")
    result = project.run_virtual(*TASK, "--agent=oracle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    there = "*there is no AVD 'pixel' (existing AVDs: pixel_6, tablet); create it with *setup-avd*"
    result.stderr.fnmatch_lines([there])


def test_incomplete_avd_is_a_usage_error(project, sdk):
    (sdk.add_avd("pixel") / UNFINISHED).touch()
    result = project.run_virtual(*TASK, "--agent=oracle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the AVD 'pixel' is incomplete, because setup-avd was killed*"])


@pytest.mark.parametrize("given", ["/nowhere", None])
def test_without_an_sdk_the_searched_places_are_reported(
    project, sdk, monkeypatch, tmp_path, given
):
    if given:
        monkeypatch.setenv("ANDROID_HOME", given)
    else:
        monkeypatch.delenv("ANDROID_HOME")
        monkeypatch.setenv("PATH", str(tmp_path))
    result = project.run_virtual(*TASK, "--agent=oracle")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    wrong = (
        "ANDROID_HOME=/nowhere is not an SDK with emulator"
        if given
        else "no Android SDK (ANDROID_HOME is not set*"
    )
    result.stderr.fnmatch_lines([f"*--mobile-device=avd:pixel*{wrong}*"])
    project.run_virtual(*TASK, "--collect-only", "--agent=oracle").stdout.fnmatch_lines(
        ["*test_code*"]
    )
