"""`python -m pytest_mobileagent setup-avd`: from a recipe to a run on the AVD created by it."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.plugin.leftovers import processes_with, wait_until
from tests.virtual.apks import build

if TYPE_CHECKING:
    from pathlib import Path

# Emulators take time to start and to stop.
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("temporary")]

RECIPE = """
name = "made"
image = "system-images;android-34;google_apis;x86_64"
device = "pixel_6"
ram_mb = 4096
locale = "ko-KR"
apks = ["example.apk"]

[permissions]
"com.example.app" = ["android.permission.CAMERA"]

[settings.global]
airplane_mode_on = 1

[[files]]
from = "notes.txt"
to = "/sdcard/Download/notes.txt"
"""

TASK = """
from pytest_mobileagent import files, setting, task

@task("Do nothing.", app="com.example.app", probes={
    "plane": setting("global", "airplane_mode_on"),
    "still": setting("global", "window_animation_scale"),
})
def test_made(episode):
    assert episode.probe("plane") == "1"
    assert episode.probe("still") == "0"
    assert episode.device.locale == "ko-KR"

def test_device(device):
    assert "hello" in device.system.shell("cat /sdcard/Download/notes.txt")
    granted = device.system.shell("dumpsys package com.example.app")
    assert "android.permission.CAMERA: granted=true" in granted
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe with all files that it refers to."""
    (tmp_path / "example.apk").write_bytes(build(permissions=("android.permission.CAMERA",)))
    (tmp_path / "broken.apk").write_text("this is none")
    (tmp_path / "notes.txt").write_text("hello")
    file = tmp_path / "made.toml"
    file.write_text(RECIPE)
    return file


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "pytest_mobileagent", "setup-avd", *map(str, words)]


def setup(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, check=False, timeout=120)


def await_end_of_processes_with(text: str) -> None:
    """Wait until the processes have ended; the supervisor is the last to end."""
    wait_until(lambda: not processes_with(text), 30)


def accept(sdk) -> None:
    (sdk.root / "licenses").mkdir()
    (sdk.root / "licenses" / "android-sdk-license").touch()


def test_run_starts_from_an_avd_created_by_a_recipe(project, sdk, recipe, temporary):
    accept(sdk)
    sdk.behave(boot_seconds=1)
    done = setup(recipe)
    assert not done.stderr
    assert done.returncode == 0
    assert "[1/11] install system-images;android-34;google_apis;x86_64" in done.stdout
    assert "ready: pytest … --mobile-device=avd:made" in done.stdout
    assert "hw.ramSize=4096" in (sdk.avds / "made.avd" / "config.ini").read_text()
    await_end_of_processes_with(str(temporary))
    assert not list(temporary.glob("mobileagent-run-*"))

    project.write(tasks__counter__test_counter=TASK)
    result = project.run_virtual("tasks", "--agent=noop", "--mobile-device=avd:made")
    result.assert_outcomes(passed=2)

    again = setup(recipe)
    assert again.returncode == 1
    assert (
        "the AVD made already exists: use --force to replace it, or another --name" in again.stderr
    )
    assert setup(recipe, "--name=other").returncode == 0
    assert setup(recipe, "--force").returncode == 0


def test_dry_run_only_prints_the_steps(sdk, recipe):
    for name in ("shop/base.apk", "shop/config.en.apk"):
        recipe.with_name("apps").joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        recipe.with_name("apps").joinpath(name).touch()
    recipe.write_text(RECIPE.replace('"example.apk"', '"example.apk", "apps"'))
    done = setup(recipe, "--dry-run", "--name=dry")
    assert done.returncode == 0
    lines = [line.strip() for line in done.stdout.splitlines()]
    (whole,) = [line for line in lines if line.startswith("adb install -r -t ")]
    assert whole.endswith("/example.apk")
    (parts,) = [line for line in lines if line.startswith("adb install-multiple -r -t ")]
    assert parts.split()[-2].endswith("/shop/base.apk")
    assert "adb shell pm grant com.example.app android.permission.CAMERA" in lines
    assert "adb shell settings put global airplane_mode_on 1" in lines
    assert "avd snapshot save default_boot" in lines
    assert not list(sdk.avds.iterdir())


def test_licences_are_accepted_by_the_user(sdk, recipe):
    done = setup(recipe)
    assert done.returncode == 1
    assert "sdkmanager failed with status 1" in done.stderr
    assert f"--sdk_root={sdk.root} --licenses`, or set accept_licenses = true" in done.stderr
    recipe.write_text(f"accept_licenses = true\n{RECIPE}")
    assert setup(recipe).returncode == 0


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("pixel_6", "pixel_9000"), "No device found matching --device pixel_9000."),
        (("android.permission.CAMERA", "android.permission.NOPE"), "pm grant com.example.app"),
        (('"example.apk"', '"broken.apk"'), "INSTALL_PARSE_FAILED_NOT_APK"),
        (("/sdcard/Download/", "/system/build.prop/"), "adb failed with status 1"),
    ],
)
def test_a_step_that_fails_is_reported_and_nothing_is_left(sdk, recipe, temporary, change, problem):
    accept(sdk)
    recipe.write_text(RECIPE.replace(*change))
    done = setup(recipe)
    assert done.returncode == 1
    assert problem in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(sdk.avds.glob("made*"))
    await_end_of_processes_with(str(temporary))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_build_leaves_nothing_in_the_way(sdk, recipe, temporary, number):
    accept(sdk)
    sdk.behave(hangs=True)
    with subprocess.Popen(
        command(recipe),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    ) as process:
        wait_until(lambda: list(temporary.glob("mobileagent-run-*/emulator-*.log")), 30)
        process.send_signal(number)
        _, said = process.communicate(timeout=300)
    await_end_of_processes_with(str(temporary))
    if number is not signal.SIGKILL:
        assert process.returncode == 130
        assert "the incomplete AVD made was deleted" in said
        assert not list(sdk.avds.glob("made*"))
    sdk.behave()
    assert setup(recipe).returncode == 0


def test_without_tools_the_error_says_what_to_install(recipe, tmp_path, monkeypatch):
    monkeypatch.setenv("ANDROID_HOME", str(tmp_path))
    done = setup(recipe)
    assert done.returncode == 1
    assert f"ANDROID_HOME={tmp_path} is not an SDK with cmdline-tools" in done.stderr
