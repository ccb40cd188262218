"""Installing apps with adb: streamed, pushed, in several parts; and uninstalling them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.virtual.apks import build
from tests.virtual.phones import BOTH_ADBS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.virtual.phones import Adb

pytestmark = BOTH_ADBS


NAME = "com.example.app"


@pytest.fixture
def apk(tmp_path: Path) -> Path:
    path = tmp_path / "example.apk"
    path.write_bytes(build(permissions=("android.permission.CAMERA",)))
    return path


@pytest.mark.parametrize("how", ["--streaming", "--no-streaming"])
def test_an_app_is_installed_replaced_and_removed(adb: Adb, apk: Path, how: str) -> None:
    assert "\nSuccess" in adb.text("install", how, str(apk))
    assert adb.text("shell", "pm", "list", "packages", NAME) == f"package:{NAME}"
    apk.write_bytes(build(version=2))
    assert "\nSuccess" in adb.text("install", how, "-r", str(apk))
    assert adb.text("shell", f"pm list packages --show-versioncode {NAME}").endswith("Code:2")
    assert adb.text("shell", "ls /data/local/tmp") == ""
    assert adb.text("uninstall", NAME) == "Success"
    assert adb.text("shell", "pm", "list", "packages", NAME) == ""


def test_an_app_in_several_parts(adb: Adb, apk: Path) -> None:
    korean = apk.with_name("korean.apk")
    korean.write_bytes(build(split="config.ko"))
    assert adb.text("install-multiple", str(apk), str(korean)).endswith("Success")
    assert len(adb.text("shell", "pm", "path", NAME).splitlines()) == 2
    korean.write_bytes(build("com.example.other", split="config.ko"))
    refused = adb.run("install-multiple", str(apk), str(korean))
    assert refused.returncode != 0
    assert b"INSTALL_FAILED_INVALID_APK" in refused.stdout + refused.stderr


def test_an_invalid_apk_is_refused_and_the_stream_survives(adb: Adb, tmp_path: Path) -> None:
    apk = tmp_path / "broken.apk"
    apk.write_bytes(bytes(1_000_000))
    done = adb.run("install", str(apk))
    assert done.returncode == 1
    assert b"Failure [INSTALL_PARSE_FAILED_NOT_APK: Failed to parse /data/app/vmdl" in done.stderr
    assert adb.text("shell", "echo fine") == "fine"


def test_an_installed_app_comes_back_as_it_was_sent(adb: Adb, apk: Path, tmp_path: Path) -> None:
    adb.run("install", str(apk))
    path = adb.text("shell", "pm", "path", NAME).removeprefix("package:")
    assert adb.run("pull", path, str(tmp_path / "back.apk")).returncode == 0
    assert (tmp_path / "back.apk").read_bytes() == apk.read_bytes()
