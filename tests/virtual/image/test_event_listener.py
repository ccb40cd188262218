"""Tests of the event listener's APK: the one in the package, its sources, and what it replaces."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_mobileagent.virtual.apk import read_apk
from pytest_mobileagent.virtual.image.event_listener import PACKAGE
from tests.virtual.phones import PATIENCE

if TYPE_CHECKING:
    from tests.virtual.phones import Adb

ROOT = Path(__file__).parents[3]
BUILD = ROOT / "fixtures" / "build_apk.py"
SOURCES = ROOT / "fixtures" / "listener"
APK = ROOT / "pytest_mobileagent" / "device" / "doctor" / "listener.apk"
SERVICE = f"{PACKAGE}/{PACKAGE}.ListenerService"


def test_apk_can_be_installed_on_android_8_to_16():
    apk = read_apk(APK.read_bytes(), "listener.apk")
    assert apk.manifest.package == PACKAGE
    assert (apk.manifest.min_sdk, apk.manifest.target_sdk) == (26, 34)
    assert apk.manifest.permissions == ()
    (service,) = apk.manifest.services
    assert (f"{PACKAGE}/{service.name}", service.exported) == (SERVICE, True)
    assert apk.certificate


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """An APK built from the sources."""
    return build(tmp_path / "listener.apk")


def build(apk: Path) -> Path:
    words = [str(BUILD), str(SOURCES), str(apk), "--key", str(apk.with_name("key"))]
    done = subprocess.run([sys.executable, *words], check=False, capture_output=True, text=True)
    if "not installed" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return apk


@pytest.mark.slow  # Java takes seconds
def test_builds_with_the_same_key_are_equal_and_as_in_the_package(made, tmp_path):
    assert build(tmp_path / "again.apk").read_bytes() == made.read_bytes()
    with zipfile.ZipFile(made) as ours, zipfile.ZipFile(APK) as shipped:
        assert ours.namelist() == shipped.namelist()
        for name in ours.namelist():
            assert ours.read(name) == shipped.read(name), f"{name}: run `make listener`"


ACCEPTED_BY = [
    ("apksigner verify --verbose --min-sdk-version 26", "APK Signature Scheme v2): true"),
    ("apksigner verify --verbose --min-sdk-version 26", "APK Signature Scheme v3): true"),
    ("aapt2 dump badging", "provides-component:'accessibility'"),
    ("aapt2 dump xmltree --file res/xml/service.xml", "canRetrieveWindowContent(0x01010385)=true"),
    ("dexdump", "Class descriptor  : 'Lorg/mobileagent/listener/ListenerService;'"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), ACCEPTED_BY)
def test_tools_of_android_accept_the_apk_in_the_package(command, shown):
    tool, *words = command.split()
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run([tool, *words, APK], check=True, capture_output=True, text=True)
    assert shown in done.stdout


def served(adb: Adb) -> dict[str, object]:
    """Enable the listener, and return the first event of the shade that is opened."""
    adb.text("shell", f"settings put secure enabled_accessibility_services {SERVICE}")
    port = int(adb.text("forward", "tcp:0", f"localabstract:{PACKAGE}"))
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as stream,
        stream.makefile("rw", encoding="utf-8") as lines,
    ):
        hello = json.loads(lines.readline())
        lines.write(json.dumps({"since": hello["sequence"]}) + "\n")
        lines.flush()
        adb.text("shell", "input swipe 540 5 540 1800")
        event: dict[str, object] = json.loads(lines.readline())
    return event


def test_apk_replaces_the_built_in_listener_and_events_are_served(adb: Adb) -> None:
    before = adb.text("shell", f"pm path {PACKAGE}")
    assert "\nSuccess" in adb.text("install", str(APK))
    assert adb.text("shell", f"pm path {PACKAGE}") != before
    assert "No such file" in adb.text("shell", f"ls {before.removeprefix('package:')}")
    assert str(served(adb)["type"]).startswith("TYPE_")


@pytest.mark.slow
def test_apk_of_another_key_must_be_removed_first(adb: Adb, made: Path) -> None:
    assert "\nSuccess" in adb.text("install", str(made))
    assert str(served(adb)["type"]).startswith("TYPE_")
    assert "INSTALL_FAILED_UPDATE_INCOMPATIBLE" in adb.text("install", "-r", str(APK))
    assert adb.text("uninstall", PACKAGE) == "Success"
    assert "\nSuccess" in adb.text("install", str(APK))
    assert str(served(adb)["type"]).startswith("TYPE_")
